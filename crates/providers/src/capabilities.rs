//! The features of providers that differ although the wire is the same, as data.
//!
//! They decide what a request may contain: a feature that a provider lacks is refused before a
//! request is sent, left out with a conversion loss, or written in another form.

/// The capabilities of a provider, apart from the form of its wire.
///
/// A field is about what the service documents. That a model lacks a feature is a fact of the model
/// (`aside-models`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The place for names of beta features.
    pub betas: Betas,
    /// The form of cache breakpoints in a request.
    pub cache_markers: CacheMarkers,
    /// Whether a marker can have `"scope":"global"`.
    pub global_scope: bool,
    /// The way of counting tokens without a response.
    /// It is [`TokenCount::Exact`] only if the provider also has a path for counting.
    pub token_count: TokenCount,
    /// Whether a system message is allowed within the conversation.
    /// If not, a request with one is refused.
    pub mid_conversation_system: bool,
    /// Whether documents other than plain text, such as PDF, are accepted.
    pub documents: bool,
    /// Whether a tool result can contain images.
    /// If not, they are moved to the message of the user after the results.
    pub images_in_results: bool,
    /// The sources of images other than the request itself.
    pub image_sources: DataSources,
    /// The sources of documents other than the request itself.
    pub document_sources: DataSources,
}

/// The place for names of beta features.
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

/// The form of cache breakpoints in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheMarkers {
    /// By `cache_control`.
    Explicit,
    /// Without markers: the provider finds prefixes by itself.
    Implicit,
    /// There is no cache.
    None,
}

/// The way of counting tokens without a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenCount {
    /// By an endpoint of the provider, without generating a response.
    Exact,
    /// There is no endpoint; the caller has to estimate.
    Estimate,
}

/// Sources of data other than the request itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSources {
    /// By URL, which the provider fetches itself.
    pub url: bool,
    /// By the id of a file that was uploaded to the same provider.
    pub file: bool,
}

/// Whether cache entries may be shared globally on the first party.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GlobalScope {
    /// `scope` is not sent: the public API refuses the key.
    #[default]
    Disabled,
    /// `scope` is sent to the first party; other providers never have it.
    Enabled,
}

pub(crate) const BASE64_ONLY: DataSources = DataSources {
    url: false,
    file: false,
};
const EVERYWHERE: DataSources = DataSources {
    url: true,
    file: true,
};

// Sources of these and of the rows: the public documentation of each provider,
// and the Python SDKs (`anthropic` 2.11, `openai` 3.52, `google-genai` 3.4).
// Less sure: that Foundry takes files by id, that Bedrock, Vertex and Foundry
// take system messages in a conversation (they are documented not to), and that
// xAI takes no PDF in Chat Completions.

/// The Messages API in full, without global scope.
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

/// Chat Completions, as OpenAI has them.
pub(crate) const CHAT: Capabilities = Capabilities {
    betas: Betas::None,
    cache_markers: CacheMarkers::Implicit,
    global_scope: false,
    token_count: TokenCount::Estimate,
    mid_conversation_system: true,
    documents: true,
    images_in_results: false,
    image_sources: DataSources {
        url: true,
        file: false,
    },
    document_sources: BASE64_ONLY,
};

/// Responses, as OpenAI has them.
pub(crate) const RESPONSES: Capabilities = Capabilities {
    images_in_results: true,
    document_sources: DataSources {
        url: true,
        file: false,
    },
    ..CHAT
};

/// `generateContent`.
pub(crate) const GENERATE_CONTENT: Capabilities = Capabilities {
    betas: Betas::None,
    cache_markers: CacheMarkers::Implicit,
    global_scope: false,
    token_count: TokenCount::Estimate,
    mid_conversation_system: false,
    documents: true,
    images_in_results: true,
    image_sources: BASE64_ONLY,
    document_sources: BASE64_ONLY,
};

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
