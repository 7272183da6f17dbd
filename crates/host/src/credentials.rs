//! The credentials of a provider, by the variables that its row of the provider
//! table names.

use aside_providers::{Provider, ServerKind};
use aside_transport::Credentials;

use crate::provider::ProviderSelection;

impl ProviderSelection {
    /// Returns the credentials for the provider: those of the first of its
    /// variables that is set, if any. A compatible server may need none.
    #[must_use]
    pub fn credentials(&self) -> Option<Credentials> {
        let found = Credentials::from_variables(self.provider(), |name| self.variable(name));
        let is_compatible = self.server() != ServerKind::Own;
        found.or_else(|| is_compatible.then_some(Credentials::None))
    }

    /// Returns the provider that serves requests: the one that was chosen, or
    /// the default if there are credentials for it. `None` if requests cannot
    /// be sent.
    #[must_use]
    pub fn serving(&self) -> Option<Provider> {
        let default = || self.credentials().map(|_| self.provider());
        self.chosen().or_else(default)
    }
}
