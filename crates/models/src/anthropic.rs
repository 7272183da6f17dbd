//! Anthropic's models. Sources: the pages of the platform documentation on
//! models, pricing, deprecations, thinking, effort, tool use, prompt caching,
//! compaction and mid-conversation system messages; the model list of the
//! Python SDK 2.12.0; AWS's model cards for the cloud ids.

use crate::accepted::{
    Acceptance, Effort, FastMode, Sampling, Thinking, ThinkingDefault, ThinkingKept,
};
use crate::date::Date;
use crate::facts::{CloudIds, ComputerTool, Lifecycle, ModelFacts};
use crate::platform::{ANTHROPIC, Platform, Platforms, Support};
use crate::price::PriceBand;
use crate::tokenizer::Tokenizer;
use crate::wire::{ToolSupport, Vendor, Wire, WireTools};

use Acceptance::{Accepted, Deprecated, Refused, UpToHighEffort};
use Effort::{High, Low, Max, Medium, XHigh};

const AS_OF: Date = Date::new(2026, 11, 21);
const SOURCE: &str = "https://platform.claude.com/docs/en/about-claude/models/overview, \
                      /pricing and /model-deprecations; anthropic (Python) 2.12.0";

/// The five efforts of current models.
const FIVE_EFFORTS: &[Effort] = &[Low, Medium, High, XHigh, Max];
const WITHOUT_XHIGH: &[Effort] = &[Low, Medium, High, Max];

const fn thinking(
    default: ThinkingDefault,
    adaptive: Acceptance,
    enabled: Acceptance,
    disabled: Acceptance,
    between_tools: Acceptance,
) -> Option<Thinking> {
    Some(Thinking {
        default,
        adaptive,
        enabled,
        disabled,
        between_tools,
    })
}

const ALWAYS_ON: Option<Thinking> = thinking(
    ThinkingDefault::AlwaysOn,
    Accepted,
    Refused,
    Refused,
    Refused,
);
const ON_UNLESS_DISABLED: Option<Thinking> =
    thinking(ThinkingDefault::On, Accepted, Refused, Accepted, Refused);
const ON_UNLESS_LOW_EFFORT: Option<Thinking> = thinking(
    ThinkingDefault::On,
    Accepted,
    Refused,
    UpToHighEffort,
    Refused,
);
const ON_BETWEEN_TOOLS: Option<Thinking> = thinking(
    ThinkingDefault::On,
    Accepted,
    Refused,
    Refused,
    UpToHighEffort,
);
const OFF: Option<Thinking> = thinking(ThinkingDefault::Off, Accepted, Refused, Accepted, Refused);
const OFF_WITH_BUDGET: Option<Thinking> = thinking(
    ThinkingDefault::Off,
    Accepted,
    Deprecated,
    Accepted,
    Refused,
);
const BUDGET_ONLY: Option<Thinking> =
    thinking(ThinkingDefault::Off, Refused, Accepted, Accepted, Refused);

/// Where mid-conversation features of a model are documented. Foundry is not
/// listed; `InvokeModel` is open.
const MID_CONVERSATION: Platforms = Platforms::of(&[
    Platform::FirstParty,
    Platform::AwsPlatform,
    Platform::BedrockMessages,
    Platform::GoogleCloud,
]);
const FIRST_PARTY: Platforms = Platforms::of(&[Platform::FirstParty]);
const API_AND_GOOGLE: Platforms = Platforms::of(&[Platform::FirstParty, Platform::GoogleCloud]);
const BEDROCK: Platforms = Platforms::of(&[Platform::BedrockMessages, Platform::BedrockInvoke]);
const API_GOOGLE_AND_BEDROCK: Platforms = Platforms::of(&[
    Platform::FirstParty,
    Platform::GoogleCloud,
    Platform::BedrockMessages,
]);

/// Compaction on demand, on every platform but Bedrock.
const COMPACTION: Support = Support::on(ANTHROPIC).not_on(BEDROCK);

const TOOLSET_ONLY: &[ComputerTool] = &[
    ComputerTool::new("computer_toolset_20260801", API_AND_GOOGLE, Platforms::NONE),
    ComputerTool::new("computer_20251124", BEDROCK, API_AND_GOOGLE),
    ComputerTool::new("computer_20250124", Platforms::NONE, API_AND_GOOGLE),
];
const COMPUTER_20251124: &[ComputerTool] = &[ComputerTool::new(
    "computer_20251124",
    ANTHROPIC,
    Platforms::NONE,
)];
const COMPUTER_20250124: &[ComputerTool] = &[ComputerTool::new(
    "computer_20250124",
    ANTHROPIC,
    Platforms::NONE,
)];

/// A Claude model of which only the name is known.
pub(crate) const FAMILY: ModelFacts = ModelFacts {
    tokenizer: Some(Tokenizer::ClaudeNew),
    wires: &[WireTools::new(Wire::Messages, ToolSupport::Accepted)],
    source: SOURCE,
    ..ModelFacts::unknown(Vendor::Anthropic, AS_OF)
};

/// What all models from Opus 4.7 on have in common.
const CURRENT: ModelFacts = ModelFacts {
    context_window: Some(1_000_000),
    max_output: Some(128_000),
    max_images: Some(600),
    efforts: Some(FIVE_EFFORTS),
    default_effort: Some(High),
    sampling: Some(Sampling::DefaultsOnly),
    prefill: Some(false),
    forced_tool_choice: Some(true),
    thinking_kept: Some(ThinkingKept::All),
    bound_to_prefix: Some(false),
    bound_to_account: Some(false),
    system_messages: Support::REFUSED,
    clear_at: Support::REFUSED,
    tool_changes: Support::REFUSED,
    inline_tools: Support::REFUSED,
    message_effort: Support::REFUSED,
    compaction: COMPACTION,
    inference_geo: Some(true),
    ..FAMILY
};

/// The same with the mid-conversation features.
const MID: ModelFacts = ModelFacts {
    system_messages: Support::on(MID_CONVERSATION),
    clear_at: Support::on(MID_CONVERSATION),
    tool_changes: Support::on(MID_CONVERSATION),
    inline_tools: Support::only_on(FIRST_PARTY),
    ..CURRENT
};

/// The same with thinking bound to the prefix.
const BOUND: ModelFacts = ModelFacts {
    bound_to_prefix: Some(true),
    ..MID
};

/// A model of the 4.5 generation.
const GENERATION_4_5: ModelFacts = ModelFacts {
    tokenizer: Some(Tokenizer::ClaudeOld),
    context_window: Some(200_000),
    max_output: Some(64_000),
    max_images: Some(100),
    thinking: BUDGET_ONLY,
    efforts: Some(&[]),
    default_effort: None,
    sampling: Some(Sampling::WithoutThinking),
    prefill: Some(true),
    thinking_kept: Some(ThinkingKept::LastTurn),
    compaction: Support::REFUSED,
    inference_geo: Some(false),
    task_budget: Some(false),
    less_certain: &["inference_geo"],
    ..CURRENT
};

/// The cloud ids of a model from 4.7 on.
macro_rules! clouds {
    ($id:literal) => {
        CloudIds {
            bedrock_messages: Some(concat!("anthropic.", $id)),
            bedrock_invoke: Some(concat!("anthropic.", $id)),
            google_cloud: Some($id),
        }
    };
}

pub(crate) const MODELS: &[ModelFacts] = &[
    ModelFacts {
        id: "claude-fable-5-2",
        name: "Claude Fable 5.2",
        line: "fable",
        knowledge_cutoff: Some("June 2026"),
        ..FIVE_TWO
    },
    ModelFacts {
        id: "claude-mythos-5-2",
        name: "Claude Mythos 5.2",
        line: "mythos",
        cloud_ids: clouds!("claude-mythos-5-2"),
        ..FIVE_TWO
    },
    ModelFacts {
        id: "claude-fable-5-1",
        name: "Claude Fable 5.1",
        line: "fable",
        knowledge_cutoff: Some("June 2026"),
        ..FIVE_ONE
    },
    ModelFacts {
        id: "claude-mythos-5-1",
        name: "Claude Mythos 5.1",
        line: "mythos",
        cloud_ids: clouds!("claude-mythos-5-1"),
        less_certain: &["task_budget", "bound_to_prefix: platforms that enforce it"],
        ..FIVE_ONE
    },
    ModelFacts {
        id: "claude-fable-5",
        name: "Claude Fable 5",
        line: "fable",
        progress_updates: Some(true),
        ..FIVE
    },
    ModelFacts {
        id: "claude-mythos-5",
        name: "Claude Mythos 5",
        line: "mythos",
        cloud_ids: clouds!("claude-mythos-5"),
        ..FIVE
    },
    ModelFacts {
        id: "claude-mythos-preview",
        name: "Claude Mythos Preview",
        line: "mythos",
        generation: (4, 9),
        lifecycle: Lifecycle {
            deprecated: Some(Date::new(2026, 6, 9)),
            ..Lifecycle::UNKNOWN
        },
        tokenizer: None,
        context_window: None,
        max_output: None,
        max_images: None,
        cache_minimum: Some(2_048),
        thinking: thinking(
            ThinkingDefault::AlwaysOn,
            Accepted,
            Accepted,
            Refused,
            Refused,
        ),
        efforts: Some(WITHOUT_XHIGH),
        forced_tool_choice: Some(false),
        less_certain: &["efforts", "generation"],
        ..CURRENT
    },
    ModelFacts {
        id: "claude-opus-5-5",
        name: "Claude Opus 5.5",
        line: "opus",
        generation: (5, 5),
        cloud_ids: clouds!("claude-opus-5-5"),
        knowledge_cutoff: Some("June 2026"),
        lifecycle: Lifecycle::guaranteed_until(2027, 9, 22),
        prices: &[PriceBand::anthropic(4_000, 20_000, 200)],
        cache_minimum: Some(512),
        thinking: ALWAYS_ON,
        default_effort: Some(Medium),
        forced_tool_choice: Some(false),
        progress_updates: Some(true),
        message_effort: Support::on(API_GOOGLE_AND_BEDROCK),
        computer_tools: TOOLSET_ONLY,
        fast_mode: Some(FastMode::Available),
        task_budget: Some(true),
        less_certain: &["fast_mode: generally available since mid-October"],
        ..BOUND
    },
    ModelFacts {
        id: "claude-opus-5",
        name: "Claude Opus 5",
        line: "opus",
        generation: (5, 0),
        cloud_ids: clouds!("claude-opus-5"),
        knowledge_cutoff: Some("May 2026"),
        lifecycle: Lifecycle::guaranteed_until(2027, 7, 24),
        prices: &[PriceBand::anthropic(5_000, 25_000, 500)],
        cache_minimum: Some(512),
        thinking: ON_UNLESS_LOW_EFFORT,
        message_effort: Support::on(API_AND_GOOGLE),
        computer_tools: COMPUTER_20251124,
        fast_mode: Some(FastMode::Beta),
        task_budget: Some(true),
        ..MID
    },
    ModelFacts {
        id: "claude-opus-4-8",
        name: "Claude Opus 4.8",
        line: "opus",
        generation: (4, 8),
        cloud_ids: clouds!("claude-opus-4-8"),
        lifecycle: Lifecycle::guaranteed_until(2027, 5, 28),
        prices: &[PriceBand::anthropic(5_000, 25_000, 500)],
        cache_minimum: Some(1_024),
        thinking: OFF,
        computer_tools: COMPUTER_20251124,
        fast_mode: Some(FastMode::Beta),
        task_budget: Some(true),
        ..MID
    },
    ModelFacts {
        id: "claude-opus-4-7",
        name: "Claude Opus 4.7",
        line: "opus",
        generation: (4, 7),
        cloud_ids: clouds!("claude-opus-4-7"),
        lifecycle: Lifecycle::guaranteed_until(2027, 4, 16),
        prices: &[PriceBand::anthropic(5_000, 25_000, 500)],
        cache_minimum: Some(2_048),
        thinking: OFF,
        computer_tools: COMPUTER_20251124,
        fast_mode: Some(FastMode::Refused),
        task_budget: Some(true),
        ..CURRENT
    },
    ModelFacts {
        id: "claude-opus-4-6",
        name: "Claude Opus 4.6",
        line: "opus",
        generation: (4, 6),
        cloud_ids: CloudIds {
            bedrock_messages: None,
            bedrock_invoke: Some("anthropic.claude-opus-4-6-v1"),
            google_cloud: Some("claude-opus-4-6"),
        },
        lifecycle: Lifecycle::guaranteed_until(2027, 2, 5),
        prices: &[PriceBand::anthropic(5_000, 25_000, 500)],
        cache_minimum: Some(4_096),
        computer_tools: COMPUTER_20251124,
        fast_mode: Some(FastMode::Ignored),
        ..GENERATION_4_6
    },
    ModelFacts {
        id: "claude-opus-4-5",
        name: "Claude Opus 4.5",
        line: "opus",
        generation: (4, 5),
        cloud_ids: CloudIds {
            bedrock_messages: None,
            bedrock_invoke: Some("anthropic.claude-opus-4-5-20251101-v1:0"),
            google_cloud: Some("claude-opus-4-5@20251101"),
        },
        lifecycle: Lifecycle::guaranteed_until(2026, 11, 24),
        prices: &[PriceBand::anthropic(5_000, 25_000, 500)],
        cache_minimum: Some(4_096),
        efforts: Some(&[Low, Medium, High]),
        default_effort: Some(High),
        thinking_kept: Some(ThinkingKept::All),
        computer_tools: COMPUTER_20251124,
        ..GENERATION_4_5
    },
    ModelFacts {
        id: "claude-opus-4-1",
        name: "Claude Opus 4.1",
        line: "opus",
        generation: (4, 1),
        lifecycle: Lifecycle::retired(Date::new(2026, 8, 5)),
        max_output: Some(32_000),
        ..RETIRED
    },
    ModelFacts {
        id: "claude-opus-4",
        aliases: &["claude-opus-4-0"],
        name: "Claude Opus 4",
        line: "opus",
        generation: (4, 0),
        lifecycle: Lifecycle::retired(Date::new(2026, 6, 15)),
        max_output: Some(32_000),
        ..RETIRED
    },
    ModelFacts {
        id: "claude-sonnet-5-5",
        name: "Claude Sonnet 5.5",
        line: "sonnet",
        generation: (5, 5),
        cloud_ids: clouds!("claude-sonnet-5-5"),
        knowledge_cutoff: Some("June 2026"),
        lifecycle: Lifecycle::guaranteed_until(2027, 9, 28),
        prices: &[PriceBand::anthropic(2_000, 10_000, 100)],
        cache_minimum: Some(512),
        thinking: ON_BETWEEN_TOOLS,
        forced_tool_choice: Some(false),
        bound_to_account: Some(true),
        progress_updates: Some(true),
        message_effort: Support::on(API_AND_GOOGLE),
        computer_tools: TOOLSET_ONLY,
        task_budget: Some(true),
        less_certain: &["task_budget"],
        ..BOUND
    },
    ModelFacts {
        id: "claude-sonnet-5",
        name: "Claude Sonnet 5",
        line: "sonnet",
        generation: (5, 0),
        cloud_ids: clouds!("claude-sonnet-5"),
        knowledge_cutoff: Some("January 2026"),
        lifecycle: Lifecycle::guaranteed_until(2027, 6, 30),
        prices: &[PriceBand::anthropic(2_000, 10_000, 200)],
        cache_minimum: Some(1_024),
        thinking: ON_UNLESS_DISABLED,
        // The documentation leaves it out of the list, a live call took it.
        system_messages: Support::UNKNOWN,
        clear_at: Support::UNKNOWN,
        tool_changes: Support::UNKNOWN,
        inline_tools: Support::UNKNOWN,
        ..CURRENT
    },
    ModelFacts {
        id: "claude-sonnet-4-6",
        name: "Claude Sonnet 4.6",
        line: "sonnet",
        generation: (4, 6),
        cloud_ids: CloudIds {
            bedrock_messages: None,
            bedrock_invoke: Some("anthropic.claude-sonnet-4-6"),
            google_cloud: Some("claude-sonnet-4-6"),
        },
        lifecycle: Lifecycle::guaranteed_until(2027, 2, 17),
        prices: &[PriceBand::anthropic(3_000, 15_000, 300)],
        cache_minimum: Some(1_024),
        ..GENERATION_4_6
    },
    ModelFacts {
        id: "claude-sonnet-4-5",
        name: "Claude Sonnet 4.5",
        line: "sonnet",
        generation: (4, 5),
        cloud_ids: CloudIds {
            bedrock_messages: None,
            bedrock_invoke: Some("anthropic.claude-sonnet-4-5-20250929-v1:0"),
            google_cloud: Some("claude-sonnet-4-5@20250929"),
        },
        lifecycle: Lifecycle {
            retires: Some(Date::new(2026, 11, 30)),
            successor: Some("claude-sonnet-5-5"),
            ..Lifecycle::UNKNOWN
        },
        prices: &[PriceBand::anthropic(3_000, 15_000, 300)],
        cache_minimum: Some(1_024),
        // The Models API says a million for the window; the limit follows it.
        max_images: None,
        computer_tools: COMPUTER_20250124,
        less_certain: &["context_window", "max_output", "inference_geo"],
        ..GENERATION_4_5
    },
    ModelFacts {
        id: "claude-sonnet-4",
        aliases: &["claude-sonnet-4-0"],
        name: "Claude Sonnet 4",
        line: "sonnet",
        generation: (4, 0),
        lifecycle: Lifecycle::retired(Date::new(2026, 6, 15)),
        ..RETIRED
    },
    ModelFacts {
        id: "claude-haiku-5-5",
        name: "Claude Haiku 5.5",
        line: "haiku",
        generation: (5, 5),
        cloud_ids: clouds!("claude-haiku-5-5"),
        knowledge_cutoff: Some("June 2026"),
        lifecycle: Lifecycle::guaranteed_until(2027, 10, 7),
        prices: &[
            PriceBand::anthropic(100, 500, 10).up_to(100_000),
            PriceBand::anthropic(500, 2_500, 50),
        ],
        cache_minimum: Some(512),
        thinking: ON_UNLESS_LOW_EFFORT,
        default_effort: Some(Medium),
        bound_to_account: Some(true),
        message_effort: Support::on(API_AND_GOOGLE),
        computer_tools: TOOLSET_ONLY,
        fallbacks: Some(false),
        task_budget: Some(true),
        priority_tier: Some(false),
        less_certain: &["forced_tool_choice", "task_budget"],
        ..BOUND
    },
    ModelFacts {
        id: "claude-haiku-4-5",
        name: "Claude Haiku 4.5",
        line: "haiku",
        generation: (4, 5),
        cloud_ids: CloudIds {
            bedrock_messages: Some("anthropic.claude-haiku-4-5"),
            bedrock_invoke: Some("anthropic.claude-haiku-4-5-20251001-v1:0"),
            google_cloud: Some("claude-haiku-4-5@20251001"),
        },
        knowledge_cutoff: Some("February 2025"),
        lifecycle: Lifecycle::guaranteed_until(2026, 10, 15),
        prices: &[PriceBand::anthropic(1_000, 5_000, 100)],
        cache_minimum: Some(4_096),
        computer_tools: COMPUTER_20250124,
        ..GENERATION_4_5
    },
];

const FIVE_TWO: ModelFacts = ModelFacts {
    generation: (5, 2),
    cloud_ids: clouds!("claude-fable-5-2"),
    lifecycle: Lifecycle {
        released: Some(Date::new(2026, 11, 9)),
        ..Lifecycle::guaranteed_until(2027, 11, 9)
    },
    prices: &[PriceBand::anthropic(8_000, 40_000, 200)],
    cache_minimum: Some(512),
    thinking: ALWAYS_ON,
    forced_tool_choice: Some(false),
    message_effort: Support::UNKNOWN,
    computer_tools: TOOLSET_ONLY,
    task_budget: Some(true),
    less_certain: &[
        "prices: 1-hour write",
        "cache_minimum",
        "efforts",
        "forced_tool_choice",
        "system_messages",
        "clear_at",
        "tool_changes",
        "task_budget",
    ],
    ..BOUND
};

const FIVE_ONE: ModelFacts = ModelFacts {
    generation: (5, 1),
    cloud_ids: clouds!("claude-fable-5-1"),
    lifecycle: Lifecycle::guaranteed_until(2027, 9, 1),
    prices: &[PriceBand::anthropic(10_000, 50_000, 250)],
    cache_minimum: Some(512),
    thinking: ALWAYS_ON,
    forced_tool_choice: Some(false),
    progress_updates: Some(true),
    message_effort: Support::on(API_GOOGLE_AND_BEDROCK),
    task_budget: Some(true),
    less_certain: &["task_budget"],
    ..BOUND
};

const FIVE: ModelFacts = ModelFacts {
    generation: (5, 0),
    cloud_ids: clouds!("claude-fable-5"),
    knowledge_cutoff: Some("January 2026"),
    lifecycle: Lifecycle::guaranteed_until(2027, 6, 9),
    prices: &[PriceBand::anthropic(10_000, 50_000, 1_000)],
    cache_minimum: Some(512),
    thinking: ALWAYS_ON,
    task_budget: Some(true),
    ..MID
};

const GENERATION_4_6: ModelFacts = ModelFacts {
    tokenizer: Some(Tokenizer::ClaudeOld),
    thinking: OFF_WITH_BUDGET,
    efforts: Some(WITHOUT_XHIGH),
    sampling: Some(Sampling::WithoutThinking),
    task_budget: Some(false),
    less_certain: &["max_output", "inference_geo"],
    ..CURRENT
};

/// A model that no longer answers at Anthropic's API.
const RETIRED: ModelFacts = ModelFacts {
    cache_minimum: Some(1_024),
    ..GENERATION_4_5
};
