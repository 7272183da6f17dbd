//! Which provider would serve requests, in a build without HTTP.

use aside_providers::Provider;

use crate::provider::ProviderSelection;

impl ProviderSelection {
    /// Returns the provider that would serve requests: the chosen one, or the default if one of its
    /// keys is set. Without the feature `network` nothing can be sent.
    #[must_use]
    pub fn serving(&self) -> Option<Provider> {
        let mut keys = self.provider().spec().keys.iter();
        let has_key = keys.any(|key| self.variable(key.name).is_some());
        self.chosen().or_else(|| has_key.then(|| self.provider()))
    }
}
