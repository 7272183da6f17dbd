//! What is known about a model: one struct, one row per model.

use serde::Serialize;

use crate::accepted::{Effort, FastMode, Sampling, ThinkingKept, ThinkingModes};
use crate::date::Date;
use crate::platform::{Platforms, Support};
use crate::price::PriceBand;
use crate::tokenizer::Tokenizer;
use crate::wire::{Tier, Vendor, WireTools};

/// Declares a struct of facts, each with its value if nothing is known.
macro_rules! facts {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$of_fact:meta])* pub $fact:ident: $type:ty = $unknown:expr,)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$of_fact])* pub $fact: $type,)*
        }

        impl $name {
            pub(crate) const UNKNOWN: Self = Self { $($fact: $unknown,)* };
        }
    };
}

facts! {
    /// Everything known about one model. `None`, an empty list and
    /// [`Support::UNKNOWN`] mean that a fact is not known; no row holds a guess.
    ///
    /// Token counts are the vendor's tokenizer's; prices are US dollars per million
    /// tokens.
    ///
    /// ```
    /// use aside_models::{Platform, find};
    ///
    /// let facts = find("claude-opus-5-5").facts;
    /// assert_eq!(facts.cache_minimum, Some(512));
    /// assert_eq!(facts.bound_to_prefix, Some(true));
    /// assert_eq!(facts.clear_at.known_on(Platform::FirstParty), Some(true));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    #[non_exhaustive]
    pub struct ModelFacts {
        /// The id at the vendor's own API, without a date. Empty for a model
        /// without a row.
        pub id: &'static str = "",
        /// Other ids for the same model at the vendor's API.
        pub aliases: &'static [&'static str] = &[],
        /// The display name, such as `Claude Opus 5.5`.
        pub name: &'static str = "",
        /// Who made it.
        pub vendor: Vendor = Vendor::Other,
        /// The product line, such as `opus` or `flash`.
        pub line: &'static str = "",
        /// Major and minor version, such as `(5, 5)`. It orders the models in a
        /// line.
        pub generation: (u16, u16) = (0, 0),
        /// Which Claude lines it replaces on its vendor's wire.
        pub stands_in_for: &'static [Tier] = &[],
        /// Its ids on the clouds.
        pub cloud_ids: CloudIds = CloudIds::NONE,
        /// The wires on which it responds, and whether it accepts tools on each.
        pub wires: &'static [WireTools] = &[],

        /// How long request and response may be together, in tokens.
        pub context_window: Option<u64> = None,
        /// How long a response may be, in tokens.
        pub max_output: Option<u64> = None,
        /// How long a response may be in a batch with a beta, in tokens, if that
        /// differs.
        pub max_batch_output: Option<u64> = None,
        /// Until which month its knowledge is reliable, such as `June 2026`.
        pub knowledge_cutoff: Option<&'static str> = None,
        /// When it was released and is retired.
        pub lifecycle: Lifecycle = Lifecycle::UNKNOWN,
        /// Prices by prompt length, shortest band first.
        pub prices: &'static [PriceBand] = &[],
        /// On which day [`prices`](Self::prices) were as published.
        pub prices_as_of: Option<Date> = None,
        /// Prices in fast mode.
        pub fast_prices: &'static [PriceBand] = &[],
        /// How long a prefix must be to be cached, in tokens.
        pub cache_minimum: Option<u64> = None,
        /// Its tokenizer.
        pub tokenizer: Option<Tokenizer> = None,
        /// How many images a request may hold.
        pub max_images: Option<u32> = None,

        /// Which thinking modes it accepts, and its default.
        pub thinking: Option<ThinkingModes> = None,
        /// The accepted efforts, lowest first. `Some(&[])` means that the parameter
        /// is refused.
        pub efforts: Option<&'static [Effort]> = None,
        /// The effort when a request names none.
        pub default_effort: Option<Effort> = None,
        /// Whether effort `none` is accepted (OpenAI).
        pub effort_none: Option<bool> = None,
        /// Which sampling parameters are accepted.
        pub sampling: Option<Sampling> = None,
        /// Whether the last message may begin the response (prefill).
        pub prefill: Option<bool> = None,
        /// Whether `tool_choice` may force a tool.
        pub forced_tool_choice: Option<bool> = None,
        /// Which earlier thinking the API keeps in the context.
        pub thinking_kept: Option<ThinkingKept> = None,
        /// Whether its thinking is valid only after the prefix that produced it.
        pub bound_to_prefix: Option<bool> = None,
        /// Whether its thinking is valid only for the account that received it.
        pub bound_to_account: Option<bool> = None,
        /// Whether progress updates arrive as thinking blocks before tool calls.
        pub progress_updates: Option<bool> = None,

        /// System messages in mid-conversation.
        pub system_messages: Support = Support::UNKNOWN,
        /// Turn-scoped system messages (`clear_at`).
        pub clear_at: Support = Support::UNKNOWN,
        /// Tools added and removed by reference in mid-conversation.
        pub tool_changes: Support = Support::UNKNOWN,
        /// Tools defined in mid-conversation.
        pub inline_tools: Support = Support::UNKNOWN,
        /// Effort changed by a message.
        pub message_effort: Support = Support::UNKNOWN,
        /// Compaction on demand (`compaction`).
        pub compaction: Support = Support::UNKNOWN,
        /// Compaction by threshold (`compact_20260112`).
        pub threshold_compaction: Support = Support::UNKNOWN,
        /// Clearing tool uses and thinking (`context_management`).
        pub context_editing: Support = Support::UNKNOWN,
        /// The versions of the computer-use tool that it knows.
        pub computer_tools: &'static [ComputerTool] = &[],
        /// Fast mode (`speed`); Anthropic's own API only.
        pub fast_mode: Option<FastMode> = None,
        /// Whether `inference_geo` is accepted.
        pub inference_geo: Option<bool> = None,
        /// Whether a list of `fallbacks` is accepted.
        pub fallbacks: Option<bool> = None,
        /// Whether a task budget is accepted.
        pub task_budget: Option<bool> = None,
        /// Whether it has the priority service tier.
        pub priority_tier: Option<bool> = None,

        /// Whether instructions are a `developer` message (OpenAI).
        pub developer_role: Option<bool> = None,
        /// Whether instructions apply to one turn only and are not cached (OpenAI);
        /// stable text then belongs in a `developer` message.
        pub turn_scoped_instructions: Option<bool> = None,
        /// Whether content parts may hold explicit cache breakpoints (OpenAI).
        pub cache_breakpoints: Option<bool> = None,
        /// Whether a request may name cached content (Gemini).
        pub cached_content: Option<bool> = None,
        /// Whether a function's result may hold media itself.
        pub media_in_results: Option<bool> = None,
        /// Whether each function call must return with its signature (Gemini).
        pub signed_calls: Option<bool> = None,

        /// The facts that rest on one source or on an inference.
        ///
        /// They are named like the fields.
        pub less_certain: &'static [&'static str] = &[],
        /// When the row was last compared with its source.
        pub as_of: Date = crate::AS_OF,
        /// Where the facts are published.
        pub source: &'static str = "",
        /// Where those limits, prices and dates are published that come from a
        /// price map, each with its version and the day on which it was read; empty
        /// if none does.
        pub figures_source: &'static str = "",
    }
}

/// A model's ids on the clouds, if they are known and not chosen by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CloudIds {
    /// Amazon Bedrock, Messages endpoint.
    pub bedrock_messages: Option<&'static str>,
    /// Amazon Bedrock, `InvokeModel`: without the region prefix of an
    /// inference profile.
    pub bedrock_invoke: Option<&'static str>,
    /// Google Cloud.
    pub google_cloud: Option<&'static str>,
}

impl CloudIds {
    /// The ids of a model that Bedrock's Messages endpoint does not have.
    pub(crate) const fn older(bedrock_invoke: &'static str, google_cloud: &'static str) -> Self {
        Self {
            bedrock_invoke: Some(bedrock_invoke),
            google_cloud: Some(google_cloud),
            ..Self::NONE
        }
    }

    pub(crate) const NONE: Self =
        Self { bedrock_messages: None, bedrock_invoke: None, google_cloud: None };
}

facts! {
    /// When a model is released and retired.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[non_exhaustive]
    pub struct Lifecycle {
        /// When it was released.
        pub released: Option<Date> = None,
        /// When it was deprecated.
        pub deprecated: Option<Date> = None,
        /// Until when the vendor guarantees it.
        pub retires_not_before: Option<Date> = None,
        /// When it retires or was retired.
        pub retires: Option<Date> = None,
        /// The id that the vendor recommends instead.
        pub successor: Option<&'static str> = None,
    }
}

/// A model's status on a given day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ModelStatus {
    /// It is available, and no retirement is announced.
    Active,
    /// It retired on this day, which is past.
    Retired(Date),
    /// It retires on this day, at most [`Lifecycle::NOTICE_DAYS`] away.
    RetiresSoon(Date),
    /// The guarantee ended or ends within [`Lifecycle::NOTICE_DAYS`], and no
    /// retirement is announced.
    Unguaranteed(Date),
}

impl Lifecycle {
    /// How many days before a retirement to report it.
    pub const NOTICE_DAYS: i64 = 30;

    /// Returns the status on a day.
    ///
    /// ```
    /// use aside_models::{Date, ModelStatus, find};
    ///
    /// let lifecycle = find("claude-sonnet-4-5").facts.lifecycle;
    /// let retires = Date::new(2026, 11, 30);
    /// assert_eq!(lifecycle.status(Date::new(2026, 9, 1)), ModelStatus::Active);
    /// assert_eq!(lifecycle.status(Date::new(2026, 11, 21)), ModelStatus::RetiresSoon(retires));
    /// assert_eq!(lifecycle.status(Date::new(2026, 11, 30)), ModelStatus::Retired(retires));
    /// ```
    #[must_use]
    pub fn status(&self, today: Date) -> ModelStatus {
        let days = |date: Date| today.days_until(date);
        match (self.retires, self.retires_not_before) {
            (Some(date), _) if days(date) <= 0 => ModelStatus::Retired(date),
            (Some(date), _) if days(date) <= Self::NOTICE_DAYS => ModelStatus::RetiresSoon(date),
            (None, Some(date)) if days(date) <= Self::NOTICE_DAYS => {
                ModelStatus::Unguaranteed(date)
            }
            _ => ModelStatus::Active,
        }
    }

    pub(crate) const fn guaranteed_until(year: u16, month: u8, day: u8) -> Self {
        Self { retires_not_before: Some(Date::new(year, month, day)), ..Self::UNKNOWN }
    }

    pub(crate) const fn retired(date: Date) -> Self {
        Self { retires: Some(date), ..Self::UNKNOWN }
    }
}

/// A version of the computer-use tool, and the platforms that take it from the
/// model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ComputerTool {
    /// The `type` of the tool.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The platforms that accept it.
    pub support: Support,
}

impl ModelFacts {
    /// Only the vendor is known.
    pub(crate) const fn unknown(vendor: Vendor, as_of: Date) -> Self {
        Self { vendor, as_of, ..Self::UNKNOWN }
    }

    /// Returns the row of a model that has these facts in common with others.
    pub(crate) const fn row(
        self,
        id: &'static str,
        name: &'static str,
        line: &'static str,
        generation: (u16, u16),
    ) -> Self {
        Self { id, name, line, generation, ..self }
    }

    /// Returns the price band for a prompt with this many tokens.
    #[must_use]
    pub fn price(&self, prompt_tokens: u64) -> Option<&'static PriceBand> {
        let fits = |band: &&PriceBand| band.max_prompt.is_none_or(|max| prompt_tokens <= max);
        self.prices.iter().find(fits)
    }

    /// Returns true if a request that asks for fast mode may get it: some models ignore that.
    #[must_use]
    pub fn may_run_fast(&self) -> bool {
        !matches!(self.fast_mode, Some(FastMode::Ignored | FastMode::Refused))
    }

    /// Returns the band for a prompt's length, in fast mode or not.
    #[must_use]
    pub fn price_in(&self, is_fast: bool, prompt_tokens: u64) -> Option<&'static PriceBand> {
        if is_fast { self.fast_prices.first() } else { self.price(prompt_tokens) }
    }

    /// Returns which tokenizer to estimate with: the model's; if it is not
    /// known, its vendor's newest, or [`Tokenizer::O200k`].
    #[must_use]
    pub fn estimated_tokenizer(&self) -> Tokenizer {
        self.tokenizer.unwrap_or(match self.vendor {
            Vendor::Anthropic => Tokenizer::ClaudeNew,
            _ => Tokenizer::O200k,
        })
    }

    /// Returns true if the vendor's own API has the model under this id, an
    /// alias or its dated id, unlike that of a cloud or a client's `…[1m]`.
    ///
    /// ```
    /// let facts = aside_models::find("claude-haiku-4-5").facts;
    /// assert!(facts.is_own_id("claude-haiku-4-5-20251001"));
    /// assert!(!facts.is_own_id("anthropic.claude-haiku-4-5-20251001-v1:0"));
    /// ```
    #[must_use]
    pub fn is_own_id(&self, id: &str) -> bool {
        let dated = self.cloud_ids.google_cloud.map(|it| it.replace('@', "-"));
        id == self.id || self.aliases.contains(&id) || dated.is_some_and(|it| it == id)
    }

    /// Returns true if the model takes the effort, and `None` if that is not
    /// known.
    #[must_use]
    pub fn takes_effort(&self, effort: Effort) -> Option<bool> {
        self.efforts.map(|efforts| efforts.contains(&effort))
    }

    /// Returns true if the model is known to refuse the parameter. On OpenAI's wires, such a model
    /// does not reason.
    ///
    /// ```
    /// assert!(aside_models::find("gpt-4.1").facts.refuses_effort());
    /// assert!(!aside_models::find("gpt-5").facts.refuses_effort());
    /// ```
    #[must_use]
    pub fn refuses_effort(&self) -> bool {
        self.efforts.is_some_and(<[_]>::is_empty)
    }

    /// Returns the platforms that accept a version of the computer-use tool, if
    /// the model is known to have it.
    #[must_use]
    pub fn computer_tool(&self, kind: &str) -> Option<Support> {
        let found = self.computer_tools.iter().find(|tool| tool.kind == kind);
        found.map(|tool| tool.support)
    }
}

impl ComputerTool {
    pub(crate) const fn new(kind: &'static str, accepted: Platforms, refused: Platforms) -> Self {
        Self { kind, support: Support::on(accepted).not_on(refused) }
    }
}
