//! The target of a request, for the rules.

use crate::capabilities::Capabilities;
use crate::options::Options;
use crate::provider_spec::{ProviderSpec, WireSpec};

/// The provider, the model and the options for which a request is checked.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// The row of the provider.
    pub(crate) spec: &'static ProviderSpec,
    /// The model, by the provider's name.
    pub(crate) model: &'a str,
    /// The options, of which the server, the version, the global scope and its beta matter.
    pub(crate) options: &'a Options,
}

impl Target<'_> {
    /// Returns the capabilities of the provider on the wire that serves the model.
    pub(crate) fn capabilities(&self) -> Capabilities {
        self.spec.capabilities_on(self.wire(), self.options.enabled_scope())
    }

    /// Returns the wire that serves the model on the server.
    pub(crate) fn wire(&self) -> &'static WireSpec {
        self.spec.wire_on(self.model, self.options.server)
    }
}
