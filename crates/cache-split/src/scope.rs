use crate::decision::Hosting;
use crate::layout::Layout;

/// The beta that `"scope":"global"` needs, for the header `anthropic-beta`.
pub const GLOBAL_SCOPE_BETA: &str = "prompt-caching-scope-2026-01-05";

/// What has to come together before an entry may be shared with everybody.
///
/// The public API does not know `"scope":"global"` and refuses it, so the
/// default is that it is not sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GlobalScopeInputs {
    /// Whether it is wanted.
    pub wanted: bool,
    /// Who serves the model; nobody but Anthropic itself knows the key.
    pub hosting: Hosting,
    /// Whether the provider's capabilities say that the key may be sent.
    pub is_supported: bool,
    /// `CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS`.
    pub betas_disabled: bool,
}

impl GlobalScopeInputs {
    /// Whether it may be sent, together with [`GLOBAL_SCOPE_BETA`].
    ///
    /// ```
    /// use aside_cache_split::{GlobalScopeInputs, Hosting};
    ///
    /// let supported = GlobalScopeInputs { wanted: true, is_supported: true, ..Default::default() };
    /// assert!(supported.is_usable());
    /// assert!(!GlobalScopeInputs { betas_disabled: true, ..supported }.is_usable());
    /// assert!(!GlobalScopeInputs { hosting: Hosting::Bedrock, ..supported }.is_usable());
    /// ```
    #[must_use]
    pub fn is_usable(self) -> bool {
        let is_first_party = self.hosting == Hosting::FirstParty;
        self.wanted && is_first_party && self.is_supported && !self.betas_disabled
    }

    /// The layout of a session that names none: the layered one, unless global
    /// scope is switched on.
    #[must_use]
    pub fn default_layout(self) -> Layout {
        if self.is_usable() {
            Layout::Classic
        } else {
            Layout::Layered
        }
    }

    /// The beta header that the request needs, if any.
    #[must_use]
    pub fn beta(self) -> Option<&'static str> {
        self.is_usable().then_some(GLOBAL_SCOPE_BETA)
    }
}
