//! What providers support, as data, when they differ although the wire is the same.
//!
//! This decides what a request may contain: a feature that a provider lacks is refused before a
//! request is sent, left out with a conversion loss, or written differently.

/// What a provider supports, apart from its wire's form.
///
/// Each field is about what the service documents. To learn what a model lacks, see `aside-models`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Where to put names of beta features.
    pub betas: Betas,
    /// How a request marks cache breakpoints.
    pub cache_markers: CacheMarkers,
    /// Whether a marker can have `"scope":"global"`.
    pub global_scope: bool,
    /// How to count tokens without a response. [`TokenCount::Exact`] applies only if the provider
    /// also has a path to count at.
    pub token_count: TokenCount,
    /// Whether a system message is allowed within the conversation. If not, your request is refused
    /// when it has one.
    pub mid_conversation_system: bool,
    /// Whether you can send documents other than plain text, such as PDF.
    pub documents: bool,
    /// Whether a tool result can contain images. If not, they are moved to the user message after
    /// the results.
    pub images_in_results: bool,
    /// Where images can come from, other than the request itself.
    pub image_sources: DataSources,
    /// Where documents can come from, other than the request itself.
    pub document_sources: DataSources,
}

impl Capabilities {
    /// Takes away the global scope unless it is enabled.
    pub(crate) fn within(self, global: GlobalScope) -> Self {
        Self { global_scope: self.global_scope && global == GlobalScope::Enabled, ..self }
    }
}

/// Where to put names of beta features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Betas {
    /// In one header, `anthropic-beta`, joined by commas.
    Header,
    /// In the body, under `anthropic_beta`.
    Body,
    /// The provider has no beta features.
    None,
}

/// How a request marks cache breakpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheMarkers {
    /// With `cache_control`.
    Explicit,
    /// Without markers: the provider finds prefixes by itself.
    Implicit,
    /// There is no cache.
    None,
}

/// How to count tokens without a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenCount {
    /// The provider has an endpoint to count at, without generating a response.
    Exact,
    /// There is no endpoint, so you have to estimate.
    Estimate,
}

/// Where data can come from, other than the request itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSources {
    /// From a URL, which the provider fetches itself.
    pub url: bool,
    /// From a file that you uploaded to the same provider, by id.
    pub file: bool,
}

/// Whether the first party may share your cache entries globally.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GlobalScope {
    /// Send no `scope`: the public API refuses the key.
    #[default]
    Disabled,
    /// Send `scope` to the first party; other providers never get it.
    Enabled,
}

pub(crate) const BASE64_ONLY: DataSources = DataSources { url: false, file: false };
const EVERYWHERE: DataSources = DataSources { url: true, file: true };

// Sources for these and the rows: each provider's public documentation, and the Python SDKs
// (`anthropic` 2.11, `openai` 3.52, `google-genai` 3.4). Less sure: that Foundry takes files by id,
// that Bedrock, Vertex and Foundry take system messages in a conversation (they are documented not
// to), and that xAI takes no PDF in Chat Completions.

/// The full Messages API, without global scope.
pub(crate) const MESSAGES: Capabilities = Capabilities {
    betas: Betas::Header,
    cache_markers: CacheMarkers::Explicit,
    global_scope: false,
    token_count: TokenCount::Exact,
    mid_conversation_system: true,
    documents: true,
    images_in_results: true,
    image_sources: EVERYWHERE,
    document_sources: EVERYWHERE,
};

/// Chat Completions at OpenAI.
pub(crate) const CHAT: Capabilities = Capabilities {
    betas: Betas::None,
    cache_markers: CacheMarkers::Implicit,
    global_scope: false,
    token_count: TokenCount::Estimate,
    mid_conversation_system: true,
    documents: true,
    images_in_results: false,
    image_sources: DataSources { url: true, file: false },
    document_sources: BASE64_ONLY,
};

/// Responses at OpenAI.
pub(crate) const RESPONSES: Capabilities = Capabilities {
    images_in_results: true,
    document_sources: DataSources { url: true, file: false },
    ..CHAT
};

pub(crate) const GENERATE_CONTENT: Capabilities =
    Capabilities { mid_conversation_system: false, images_in_results: true, ..RESPONSES };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;

    #[test]
    fn only_the_first_party_has_global_scope_and_only_when_enabled() {
        for provider in Provider::ALL {
            let enabled = provider.capabilities(GlobalScope::Enabled);
            assert_eq!(enabled.global_scope, provider == Provider::FirstParty);
            assert!(!provider.capabilities(GlobalScope::Disabled).global_scope);
        }
    }
}
