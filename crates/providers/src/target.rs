use crate::capabilities::Capabilities;
use crate::options::Options;
use crate::provider_spec::{ProviderSpec, WireSpec};

/// The provider, the model and the options for which a request is checked.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) spec: &'static ProviderSpec,
    pub(crate) model: &'a str,
    pub(crate) options: &'a Options,
}

impl Target<'_> {
    pub(crate) fn capabilities(&self) -> Capabilities {
        let options = self.options;
        self.spec.capabilities_on(self.wire(), options.global_scope)
    }

    pub(crate) fn wire(&self) -> &'static WireSpec {
        self.spec.wire_on(self.model, self.options.server)
    }
}
