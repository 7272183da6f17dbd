//! The table of providers. To add a provider, add a row: everything specific to it is here.

use crate::capabilities::{
    BASE64_ONLY, Betas, CHAT, Capabilities, GENERATE_CONTENT, MESSAGES, RESPONSES, TokenCount,
};
use crate::provider_spec::{
    Address, AddressPart, AnswerLimit, ApiKeyHeader, Bare429, CacheTerms, ChatDialect, CountBody,
    Framing, KeyKind, KeyVariable, MessagesDialect, ModelVariables, Paths, ProviderSpec,
    ResponsesDialect, ServerKind, WireDialect, WireSpec,
};
use crate::responses::is_older;
use crate::stand_in::{newest, on_cloud};
use aside_models::{self as models, Platform, Tier, Vendor};

/// Declares the variants of `Provider` and their rows.
macro_rules! providers {
    ($($(#[$doc:meta])* $variant:ident { $($row:tt)* })*) => {
        /// A service that runs models behind an HTTP API.
        ///
        /// You write it by name, as on a command line, and can parse it:
        ///
        /// ```
        /// use aside_providers::Provider;
        ///
        /// assert_eq!("openai".parse(), Ok(Provider::OpenAi));
        /// assert_eq!(Provider::FirstParty.to_string(), "first-party");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Provider {
            $($(#[$doc])* $variant,)*
        }

        impl Provider {
            /// All providers, in row order; the first is the default.
            pub const ALL: [Self; [$(stringify!($variant)),*].len()] = [$(Self::$variant),*];

            /// Returns the provider's row.
            #[must_use]
            pub const fn spec(self) -> &'static ProviderSpec {
                match self {
                    $(Self::$variant => {
                        static ROW: ProviderSpec = ProviderSpec { $($row)* };
                        &ROW
                    })*
                }
            }
        }
    };
}

/// Anthropic's own Messages API.
const OWN: MessagesDialect = MessagesDialect {
    body_version: None,
    stream_key: true,
    automatic_marker: true,
    version_header: true,
    count: CountBody::Bare,
};

const MESSAGES_PATHS: Paths = Paths {
    whole: "/v1/messages",
    stream: "/v1/messages",
    count: Some("/v1/messages/count_tokens"),
};

const CHAT_PATHS: Paths =
    Paths { whole: "/chat/completions", stream: "/chat/completions", count: None };

const RESPONSES_PATHS: Paths = Paths { whole: "/responses", stream: "/responses", count: None };

/// AWS credentials, to sign requests to one AWS service.
const fn aws_keys(service: &'static str) -> [KeyVariable; 2] {
    [
        KeyVariable::bearer("AWS_BEARER_TOKEN_BEDROCK"),
        KeyVariable {
            name: "AWS_ACCESS_KEY_ID",
            holds: KeyKind::AwsKeyId {
                secret: "AWS_SECRET_ACCESS_KEY",
                session_token: "AWS_SESSION_TOKEN",
                service,
            },
        },
    ]
}

const fn all_models(wire: WireDialect, paths: Paths) -> WireSpec {
    WireSpec { wire, serves: |_, _| true, paths, capabilities: None }
}

/// Returns the vendor's newest model to replace this Claude tier, on the wire that this server
/// uses.
fn newest_on(vendor: Vendor, tier: Tier, server: ServerKind) -> String {
    let wire = match server {
        ServerKind::Compatible => models::Wire::ChatCompletions,
        _ => models::Wire::Responses,
    };
    newest(vendor, tier, wire)
}

/// What rows share unless they state something else: a server in Anthropic's form.
const COMMON: ProviderSpec = ProviderSpec {
    name: "",
    title: "",
    chosen_by: None,
    keys: &[],
    api_key: ApiKeyHeader::Bearer,
    address: Address::fixed("", ""),
    wire_variable: None,
    model_variables: ModelVariables { outright: None, opus: None, sonnet: None, haiku: None },
    platform: Platform::FirstParty,
    vendor: Vendor::Anthropic,
    stand_in: |model, _, _| model.to_owned(),
    wires: &[all_models(WireDialect::Messages(OWN), MESSAGES_PATHS)],
    framing: Framing::ServerSentEvents,
    capabilities: MESSAGES,
    cache_terms: CacheTerms::Other,
    bare_429: Bare429::RateLimit,
};

providers! {
    /// Anthropic's own API.
    FirstParty {
        name: "first-party",
        title: "Anthropic",
        keys: &[
            KeyVariable::api_key("ANTHROPIC_API_KEY"),
            KeyVariable::bearer("ANTHROPIC_AUTH_TOKEN"),
        ],
        api_key: ApiKeyHeader::Named("x-api-key"),
        address: Address::fixed("ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
        capabilities: Capabilities {
            global_scope: true,
            ..MESSAGES
        },
        cache_terms: CacheTerms::FirstParty,
        bare_429: Bare429::SpendLimit,
        ..COMMON
    }

    /// Amazon Bedrock's `InvokeModel`.
    Bedrock {
        name: "bedrock",
        title: "Amazon Bedrock",
        chosen_by: Some("CLAUDE_CODE_USE_BEDROCK"),
        keys: &aws_keys("bedrock"),
        address: Address {
            places: &[AddressPart::new("region", "AWS_REGION")],
            ..Address::fixed(
                "ANTHROPIC_BEDROCK_BASE_URL",
                "https://bedrock-runtime.{region}.amazonaws.com",
            )
        },
        platform: Platform::BedrockInvoke,
        // The inference profile that serves it in every region.
        stand_in: |model, _, _| {
            on_cloud(model, |ids| Some(format!("global.{}", ids.bedrock_invoke?)))
        },
        wires: &[all_models(
            WireDialect::Messages(MessagesDialect {
                body_version: Some("bedrock-2023-05-31"),
                stream_key: false,
                automatic_marker: false,
                version_header: false,
                count: CountBody::InvokeModel,
            }),
            Paths {
                whole: "/model/{model}/invoke",
                stream: "/model/{model}/invoke-with-response-stream",
                count: Some("/model/{model}/count-tokens"),
            },
        )],
        framing: Framing::AwsEventStream,
        capabilities: Capabilities {
            betas: Betas::Body,
            mid_conversation_system: false,
            image_sources: BASE64_ONLY,
            document_sources: BASE64_ONLY,
            ..MESSAGES
        },
        cache_terms: CacheTerms::Bedrock,
        ..COMMON
    }

    /// Amazon Bedrock's Messages endpoint, which serves newer models in Anthropic's own form.
    BedrockMessages {
        name: "bedrock-messages",
        title: "Amazon Bedrock (Messages endpoint)",
        chosen_by: Some("CLAUDE_CODE_USE_MANTLE"),
        keys: &aws_keys("bedrock-mantle"),
        address: Address {
            places: &[AddressPart::new("region", "AWS_REGION")],
            ..Address::fixed(
                "ANTHROPIC_BEDROCK_MANTLE_BASE_URL",
                "https://bedrock-mantle.{region}.api.aws/anthropic",
            )
        },
        platform: Platform::BedrockMessages,
        stand_in: |model, _, _| {
            on_cloud(model, |ids| ids.bedrock_messages.map(str::to_owned))
        },
        wires: &[all_models(
            WireDialect::Messages(OWN),
            Paths {
                // Bedrock has a separate URL to count tokens.
                count: None,
                ..MESSAGES_PATHS
            },
        )],
        capabilities: Capabilities {
            token_count: TokenCount::Estimate,
            image_sources: BASE64_ONLY,
            document_sources: BASE64_ONLY,
            ..MESSAGES
        },
        cache_terms: CacheTerms::Bedrock,
        ..COMMON
    }

    /// Claude on Google Cloud's Vertex AI.
    Vertex {
        name: "vertex",
        title: "Google Cloud Vertex AI",
        chosen_by: Some("CLAUDE_CODE_USE_VERTEX"),
        keys: &[KeyVariable::bearer("ANTHROPIC_VERTEX_ACCESS_TOKEN")],
        address: Address {
            base_variable: "ANTHROPIC_VERTEX_BASE_URL",
            base: "https://{region}-aiplatform.googleapis.com/v1",
            own_hosts: &[],
            bases: &[
                ("global", "https://aiplatform.googleapis.com/v1"),
                ("us", "https://aiplatform.us.rep.googleapis.com/v1"),
                ("eu", "https://aiplatform.eu.rep.googleapis.com/v1"),
            ],
            scope: &["projects", "{project}", "locations", "{region}"],
            places: &[
                AddressPart::new("region", "CLOUD_ML_REGION"),
                AddressPart {
                    // A domain-scoped project id has a colon and dots.
                    punctuation: b":.",
                    ..AddressPart::new("project", "ANTHROPIC_VERTEX_PROJECT_ID")
                },
            ],
        },
        platform: Platform::GoogleCloud,
        stand_in: |model, _, _| on_cloud(model, |ids| ids.google_cloud.map(str::to_owned)),
        wires: &[all_models(
            WireDialect::Messages(MessagesDialect {
                body_version: Some("vertex-2023-10-16"),
                version_header: false,
                ..OWN
            }),
            Paths {
                whole: "/publishers/anthropic/models/{model}:rawPredict",
                stream: "/publishers/anthropic/models/{model}:streamRawPredict",
                count: Some("/publishers/anthropic/models/count-tokens:rawPredict"),
            },
        )],
        capabilities: Capabilities {
            mid_conversation_system: true,
            image_sources: BASE64_ONLY,
            document_sources: BASE64_ONLY,
            ..MESSAGES
        },
        ..COMMON
    }

    /// Claude on Microsoft Foundry.
    Foundry {
        name: "foundry",
        title: "Microsoft Foundry",
        chosen_by: Some("CLAUDE_CODE_USE_FOUNDRY"),
        keys: &[KeyVariable::api_key("ANTHROPIC_FOUNDRY_API_KEY")],
        api_key: ApiKeyHeader::Named("x-api-key"),
        address: Address {
            places: &[AddressPart::new("resource", "ANTHROPIC_FOUNDRY_RESOURCE")],
            ..Address::fixed(
                "ANTHROPIC_FOUNDRY_BASE_URL",
                "https://{resource}.services.ai.azure.com/anthropic",
            )
        },
        platform: Platform::Foundry,
        capabilities: Capabilities {
            mid_conversation_system: false,
            ..MESSAGES
        },
        bare_429: Bare429::SpendLimit,
        ..COMMON
    }

    /// OpenAI, or a server that is compatible with Chat Completions.
    OpenAi {
        name: "openai",
        title: "OpenAI",
        chosen_by: Some("CLAUDE_CODE_USE_OPENAI"),
        keys: &[KeyVariable::api_key("OPENAI_API_KEY")],
        address: Address {
            // Azure serves OpenAI's models on OpenAI's wires.
            own_hosts: &["openai.com", "azure.com"],
            ..Address::fixed("OPENAI_BASE_URL", "https://api.openai.com/v1")
        },
        wire_variable: Some("OPENAI_WIRE_API"),
        model_variables: ModelVariables {
            outright: Some("OPENAI_MODEL"),
            ..COMMON.model_variables
        },
        platform: Platform::OpenAi,
        vendor: Vendor::OpenAi,
        stand_in: |_, tier, server| newest_on(Vendor::OpenAi, tier, server),
        wires: &[
            WireSpec {
                wire: WireDialect::Responses(ResponsesDialect {
                    seal: "openai-responses:",
                    instructions: true,
                    summaries: true,
                    service_tiers: true,
                    allowed_tools: true,
                    min_output_tokens: 16,
                }),
                serves: |model, server| match server {
                    ServerKind::Own => !is_older(model),
                    ServerKind::Compatible => false,
                    ServerKind::OwnResponses | ServerKind::CompatibleResponses => true,
                },
                paths: RESPONSES_PATHS,
                capabilities: Some(RESPONSES),
            },
            all_models(
                WireDialect::ChatCompletions(ChatDialect {
                    prompt_cache_key: true,
                    answer_limit: AnswerLimit::MaxCompletionTokens,
                    counts_reasoning: true,
                }),
                CHAT_PATHS,
            ),
        ],
        capabilities: CHAT,
        ..COMMON
    }

    /// Google's Gemini API.
    Gemini {
        name: "gemini",
        title: "Google Gemini",
        chosen_by: Some("CLAUDE_CODE_USE_GEMINI"),
        keys: &[KeyVariable::api_key("GEMINI_API_KEY")],
        api_key: ApiKeyHeader::Named("x-goog-api-key"),
        address: Address::fixed(
            "GEMINI_BASE_URL",
            "https://generativelanguage.googleapis.com/v1beta",
        ),
        model_variables: ModelVariables {
            outright: Some("GEMINI_MODEL"),
            opus: Some("GEMINI_DEFAULT_OPUS_MODEL"),
            sonnet: Some("GEMINI_DEFAULT_SONNET_MODEL"),
            haiku: None,
        },
        platform: Platform::Gemini,
        vendor: Vendor::Google,
        stand_in: |_, tier, _| newest(Vendor::Google, tier, models::Wire::GenerateContent),
        wires: &[all_models(
            WireDialect::GenerateContent,
            Paths {
                whole: "/models/{model}:generateContent",
                stream: "/models/{model}:streamGenerateContent?alt=sse",
                count: None,
            },
        )],
        capabilities: GENERATE_CONTENT,
        ..COMMON
    }

    /// xAI, on OpenAI's wires.
    Grok {
        name: "grok",
        title: "xAI Grok",
        chosen_by: Some("CLAUDE_CODE_USE_GROK"),
        keys: &[
            KeyVariable::api_key("GROK_API_KEY"),
            KeyVariable::api_key("XAI_API_KEY"),
        ],
        address: Address {
            own_hosts: &["x.ai"],
            ..Address::fixed("GROK_BASE_URL", "https://api.x.ai/v1")
        },
        wire_variable: Some("GROK_WIRE_API"),
        model_variables: ModelVariables {
            outright: Some("GROK_MODEL"),
            ..COMMON.model_variables
        },
        platform: Platform::Xai,
        vendor: Vendor::Xai,
        stand_in: |_, tier, server| newest_on(Vendor::Xai, tier, server),
        wires: &[
            WireSpec {
                // Leave out keys that xAI does not document.
                wire: WireDialect::Responses(ResponsesDialect {
                    seal: "xai-responses:",
                    instructions: false,
                    summaries: false,
                    service_tiers: false,
                    allowed_tools: false,
                    min_output_tokens: 1,
                }),
                serves: |_, server| server != ServerKind::Compatible,
                paths: RESPONSES_PATHS,
                capabilities: Some(Capabilities {
                    documents: false,
                    ..RESPONSES
                }),
            },
            all_models(
                WireDialect::ChatCompletions(ChatDialect {
                    // xAI uses a header for this.
                    prompt_cache_key: false,
                    answer_limit: AnswerLimit::MaxCompletionTokens,
                    counts_reasoning: false,
                }),
                CHAT_PATHS,
            ),
        ],
        capabilities: Capabilities {
            documents: false,
            ..CHAT
        },
        ..COMMON
    }
}
