use crate::decision::Hosting;
use crate::layout::Layout;

/// The beta that `"scope":"global"` needs in the `anthropic-beta` header.
pub const GLOBAL_SCOPE_BETA: &str = "prompt-caching-scope-2026-01-05";

/// When all organizations can share a cache entry.
///
/// The public API refuses `"scope":"global"`, so by default it is not sent.
///
/// A minor version may add fields: end yours with `..Default::default()`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GlobalScopeInputs {
    /// True if you switch it on.
    pub enabled: bool,
    /// Who hosts the model. Only the first party knows this key.
    pub hosting: Hosting,
    /// True if the provider's capabilities include this key.
    pub is_supported: bool,
    /// True if experimental betas are off (`CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS`).
    pub betas_disabled: bool,
}

impl GlobalScopeInputs {
    /// Returns true if the key is sent, together with [`GLOBAL_SCOPE_BETA`].
    ///
    /// ```
    /// use aside_cache_split::{GlobalScopeInputs, Hosting};
    ///
    /// let supported = GlobalScopeInputs { enabled: true, is_supported: true, ..Default::default() };
    /// assert!(supported.is_usable());
    /// assert!(!GlobalScopeInputs { betas_disabled: true, ..supported }.is_usable());
    /// assert!(!GlobalScopeInputs { hosting: Hosting::Bedrock, ..supported }.is_usable());
    /// ```
    #[must_use]
    pub fn is_usable(self) -> bool {
        let is_first_party = self.hosting == Hosting::FirstParty;
        self.enabled && is_first_party && self.is_supported && !self.betas_disabled
    }

    /// Returns the default layout: classic with global scope, otherwise layered.
    #[must_use]
    pub fn default_layout(self) -> Layout {
        if self.is_usable() { Layout::Classic } else { Layout::Layered }
    }

    /// Returns the beta that the request needs, if any.
    #[must_use]
    pub fn beta(self) -> Option<&'static str> {
        self.is_usable().then_some(GLOBAL_SCOPE_BETA)
    }
}
