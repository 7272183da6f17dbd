//! A provider's cache rules, as data.

use std::time::Duration;

use aside_models::{ModelFacts, Platform};
use serde::Serialize;

use crate::values::canonical;
use aside_body::body::Body;
use aside_body::lifetime::CacheLifetime;

/// How a cache works. Each field is a documented rule or a choice that no
/// provider documents; for the latter there is a [`Choice`], which you can
/// flip.
///
/// ```
/// use aside_cache_model::{CacheRules, Choice, HourOverFive};
///
/// let rules = CacheRules::anthropic();
/// assert_eq!(rules.look_back, 20);
/// assert_eq!(rules.hour_over_five, HourOverFive::Reads);
/// assert_eq!(rules.flipped(Choice::HourOverFive).hour_over_five, HourOverFive::Writes);
/// assert_eq!(CacheRules::preset("bedrock").map(|it| it.name), Some("bedrock"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CacheRules {
    /// The preset's name.
    pub name: &'static str,
    /// What creates entries.
    pub mechanism: Mechanism,
    /// How many positions a marker checks, counting its own. Documented for
    /// Anthropic: 20.
    pub look_back: usize,
    /// What counts as a position. Documented for the Claude API: a run of tool
    /// uses is one position, and so is a run of tool results. Unknown on other
    /// platforms, where each block is one.
    pub look_back_unit: LookBackUnit,
    /// Whether a hit also renews entries for shorter prefixes of the same
    /// request. Undocumented; by default only the entry that is read is
    /// renewed, as the documentation says.
    pub renew_ancestors: bool,
    /// What a one-hour marker does at the end of a live five-minute entry. One
    /// public probe (September 2026): the entry is read, and no one-hour entry
    /// is written.
    pub hour_over_five: HourOverFive,
    /// Whether a marker below the hit writes a missing entry. Undocumented; by
    /// default it does not, since nothing is billed for it.
    pub writes_below_hit: bool,
    /// Whether elements in a tool result are positions. Undocumented: the
    /// documentation allows markers on them. By default such a marker counts as
    /// one on the tool result.
    pub nested: NestedPositions,
    /// Which thinking from earlier turns is part of the prefix. Documented by
    /// model; the model catalogue knows.
    pub thinking: ThinkingRule,
    /// Who shares entries. Documented: organization and workspace on the Claude
    /// API, organization on Bedrock and Google Cloud.
    pub isolation: Isolation,
    /// When an entry becomes readable. Documented: once the response begins.
    pub concurrency: Concurrency,
    /// How long a response takes to begin when the log does not say. An
    /// assumption, not a fact.
    pub latency: Duration,
    /// Whether the API adds a five-minute marker at the last server tool
    /// result, in requests that have markers. Documented.
    pub server_tool_marker: bool,
    /// What images do to the messages level. The documentation says that an
    /// image added or removed anywhere invalidates it; what this means for
    /// images at the end of a growing conversation is undocumented.
    pub images: ImageRule,
    /// The shortest prefix to cache, in tokens, for every model; `None` takes
    /// it from the model catalogue.
    pub minimum: Option<u64>,
    /// The platform, if known; model names depend on it.
    pub platform: Option<Platform>,
}

/// What creates entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mechanism {
    /// The request's markers (Anthropic).
    Markers,
    /// Everything: a request reads the longest prefix that it shares with an
    /// earlier one (OpenAI before GPT-5.6, Gemini).
    Implicit {
        /// Reads are a multiple of this many tokens.
        step: u64,
        /// How long unmarked entries live. An assumption when the provider
        /// documents nothing.
        lifetime: CacheLifetime,
    },
    /// Breakpoints: the request's own, and one that the provider sets at the
    /// end of the latest user or tool message. A request reads one if its bytes
    /// are the same up to there, but no prefix in between (OpenAI since
    /// GPT-5.6).
    Breakpoints,
}

impl Mechanism {
    /// Returns the lifetimes that a request can choose, in order; if it cannot, how long unmarked
    /// entries live at most.
    #[must_use]
    pub const fn lifetimes(self) -> &'static [CacheLifetime] {
        use CacheLifetime::{FiveMinutes, OneHour, ThirtyMinutes, TwelveHours, TwentyFourHours};
        match self {
            Self::Markers => &[FiveMinutes, OneHour],
            Self::Breakpoints => &[ThirtyMinutes, TwelveHours],
            Self::Implicit { lifetime: TwentyFourHours, .. } => &[TwentyFourHours],
            Self::Implicit { .. } => &[OneHour],
        }
    }

    /// Returns true if writes have their own price.
    pub(crate) fn bills_writes(self) -> bool {
        !matches!(self, Self::Implicit { .. })
    }

    /// Returns how many of a prefix's tokens a request can read.
    pub(crate) fn readable(self, tokens: u64) -> u64 {
        match self {
            Self::Implicit { step, .. } => tokens / step.max(1) * step.max(1),
            Self::Markers | Self::Breakpoints => tokens,
        }
    }
}

/// What counts as a position for the look-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LookBackUnit {
    /// Every block.
    Block,
    /// Every block, but a run of tool uses or of tool results is one.
    ToolRun,
}

/// What a one-hour marker does at a live five-minute entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HourOverFive {
    /// It reads the entry and leaves it as it is.
    Reads,
    /// It does not find the entry, and writes a one-hour entry.
    Writes,
}

/// Whether elements in a tool result are positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NestedPositions {
    /// A marker on an element is one on the tool result.
    OfTheResult,
    /// Each element is a position of its own, before the tool result's.
    Own,
}

/// Which thinking from earlier turns is part of the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingRule {
    /// What the catalogue says about the model; all of it if it says nothing.
    ByModel,
    /// All of it.
    Kept,
    /// The last turn's.
    LastTurn,
}

/// Who shares entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Requests in one workspace.
    Workspace,
    /// All requests in the log.
    Organization,
}

/// When an entry becomes readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Concurrency {
    /// Once the request that writes it gets its response.
    OnResponse,
    /// At once.
    AtOnce,
}

/// What images do to the messages level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageRule {
    /// The first image loses the level, further ones do not.
    Presence,
    /// Every image added or removed loses the level.
    Count,
    /// Images are bytes like any others.
    Ignored,
}

/// The shortest prefix, in tokens, that models outside the catalogue cache.
const DEFAULT_MINIMUM: u64 = 1_024;

impl CacheRules {
    /// How the Claude API caches.
    #[must_use]
    pub fn anthropic() -> Self {
        Self {
            name: "anthropic",
            mechanism: Mechanism::Markers,
            look_back: 20,
            look_back_unit: LookBackUnit::ToolRun,
            renew_ancestors: false,
            hour_over_five: HourOverFive::Reads,
            writes_below_hit: false,
            nested: NestedPositions::OfTheResult,
            thinking: ThinkingRule::ByModel,
            isolation: Isolation::Workspace,
            concurrency: Concurrency::OnResponse,
            latency: Duration::from_secs(1),
            server_tool_marker: true,
            images: ImageRule::Presence,
            minimum: None,
            platform: Some(Platform::FirstParty),
        }
    }

    /// How Claude on Amazon Bedrock caches.
    #[must_use]
    pub fn bedrock() -> Self {
        Self {
            name: "bedrock",
            look_back_unit: LookBackUnit::Block,
            isolation: Isolation::Organization,
            server_tool_marker: false,
            platform: Some(Platform::BedrockInvoke),
            ..Self::anthropic()
        }
    }

    /// How OpenAI caches. The mechanism is for models before GPT-5.6; ask
    /// [`CacheRules::mechanism_for`] about any other.
    #[must_use]
    pub fn openai() -> Self {
        Self {
            name: "openai",
            mechanism: Mechanism::Implicit { step: 128, lifetime: CacheLifetime::ThirtyMinutes },
            isolation: Isolation::Organization,
            images: ImageRule::Ignored,
            thinking: ThinkingRule::Kept,
            server_tool_marker: false,
            platform: Some(Platform::OpenAi),
            ..Self::anthropic()
        }
    }

    /// How Gemini caches implicitly.
    #[must_use]
    pub fn gemini() -> Self {
        Self {
            name: "gemini",
            mechanism: Mechanism::Implicit { step: 1, lifetime: CacheLifetime::OneHour },
            platform: Some(Platform::Gemini),
            ..Self::openai()
        }
    }

    /// Finds a preset by name.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        let all = [Self::anthropic(), Self::bedrock(), Self::openai(), Self::gemini()];
        all.into_iter().find(|it| it.name == name)
    }

    /// Returns the mechanism for a model: OpenAI has breakpoints since GPT-5.6.
    #[must_use]
    pub fn mechanism_for(&self, facts: &ModelFacts) -> Mechanism {
        let is_implicit = matches!(self.mechanism, Mechanism::Implicit { .. });
        if is_implicit && facts.cache_breakpoints == Some(true) {
            Mechanism::Breakpoints
        } else {
            self.mechanism
        }
    }

    /// Returns the facts of the model of a request.
    pub(crate) fn facts(&self, request: &Body) -> &'static ModelFacts {
        self.facts_of(request.model().unwrap_or_default())
    }

    /// Returns the facts of a model.
    pub(crate) fn facts_of(&self, model: &str) -> &'static ModelFacts {
        match self.platform {
            Some(platform) => aside_models::find_on(platform, model).facts,
            None => aside_models::find(model).facts,
        }
    }

    /// Returns the mechanism for the model of a request, which can state how long unmarked entries
    /// live (`prompt_cache_retention`).
    #[must_use]
    pub fn mechanism_of(&self, request: &Body) -> Mechanism {
        match self.mechanism_for(self.facts(request)) {
            Mechanism::Implicit { step, .. }
                if canonical(request, "prompt_cache_retention") == br#""24h""# =>
            {
                Mechanism::Implicit { step, lifetime: CacheLifetime::TwentyFourHours }
            }
            mechanism => mechanism,
        }
    }

    /// Returns the shortest prefix that is cached for a model, in tokens.
    pub(crate) fn minimum_for(&self, facts: &ModelFacts) -> u64 {
        self.minimum.or(facts.cache_minimum).unwrap_or(DEFAULT_MINIMUM)
    }

    /// Returns the rules with one choice reversed.
    #[must_use]
    pub fn flipped(&self, choice: Choice) -> Self {
        let mut rules = self.clone();
        match choice {
            Choice::LookBackUnit => {
                swap(&mut rules.look_back_unit, LookBackUnit::Block, LookBackUnit::ToolRun);
            }
            Choice::RenewAncestors => rules.renew_ancestors = !self.renew_ancestors,
            Choice::HourOverFive => {
                swap(&mut rules.hour_over_five, HourOverFive::Reads, HourOverFive::Writes);
            }
            Choice::WritesBelowHit => rules.writes_below_hit = !self.writes_below_hit,
            Choice::Nested => {
                swap(&mut rules.nested, NestedPositions::OfTheResult, NestedPositions::Own);
            }
            Choice::Thinking => {
                swap(&mut rules.thinking, ThinkingRule::LastTurn, ThinkingRule::Kept);
            }
            Choice::Isolation => {
                swap(&mut rules.isolation, Isolation::Workspace, Isolation::Organization);
            }
            Choice::Concurrency => {
                swap(&mut rules.concurrency, Concurrency::OnResponse, Concurrency::AtOnce);
            }
            Choice::Images => swap(&mut rules.images, ImageRule::Presence, ImageRule::Count),
        }
        rules
    }
}

/// Replaces `one` by `other`, and any other value by `one`.
fn swap<T: PartialEq>(value: &mut T, one: T, other: T) {
    *value = if *value == one { other } else { one };
}

aside_text::names! {
    /// A field in [`CacheRules`] that no provider documents, or that differs
    /// between platforms and is not documented for all of them.
    ///
    /// Reverse one with [`CacheRules::flipped`].
    /// [`SensitivityRun`](crate::SensitivityRun) repeats a log with each, to
    /// show which ones a result depends on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Choice {
        /// [`CacheRules::look_back_unit`]
        LookBackUnit = "look_back_unit",
        /// [`CacheRules::renew_ancestors`]
        RenewAncestors = "renew_ancestors",
        /// [`CacheRules::hour_over_five`]
        HourOverFive = "hour_over_five",
        /// [`CacheRules::writes_below_hit`]
        WritesBelowHit = "writes_below_hit",
        /// [`CacheRules::nested`]
        Nested = "nested",
        /// [`CacheRules::thinking`]
        Thinking = "thinking",
        /// [`CacheRules::isolation`]
        Isolation = "isolation",
        /// [`CacheRules::concurrency`]
        Concurrency = "concurrency",
        /// [`CacheRules::images`]
        Images = "images",
    }
}
