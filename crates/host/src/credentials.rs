//! A provider's credentials, from the variables in its row of the provider
//! table.

use aside_providers::{Provider, ServerKind};
use aside_transport::Credentials;

use crate::provider::ProviderSelection;

impl ProviderSelection {
    /// Returns the provider's credentials: those in the first of its variables
    /// that is set, if any. A compatible server may need none.
    #[must_use]
    pub fn credentials(&self) -> Option<Credentials> {
        let found = Credentials::from_variables(self.provider(), |name| self.variable(name));
        let is_compatible = self.server() != ServerKind::Own;
        found.or_else(|| is_compatible.then_some(Credentials::None))
    }

    /// Returns the provider to send requests to: the chosen one, or the default
    /// if there are credentials for it. `None` when requests cannot be sent.
    #[must_use]
    pub fn serving(&self) -> Option<Provider> {
        let default = || self.credentials().map(|_| self.provider());
        self.chosen().or_else(default)
    }
}
