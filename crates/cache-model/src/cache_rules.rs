//! The rules of a provider's cache, as data.

use std::time::Duration;

use aside_models::{ModelFacts, Platform};
use serde::Serialize;

use aside_body::body::Body;
use aside_body::lifetime::CacheLifetime;

/// The rules of a cache. Each field is a documented rule, or a choice that no
/// provider documents; the latter are [`Choice`]s, which can be flipped.
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
    /// The name of the preset.
    pub name: &'static str,
    /// The mechanism that creates entries.
    pub mechanism: Mechanism,
    /// The number of positions that a marker checks, itself included.
    /// Documented for Anthropic: 20.
    pub look_back: usize,
    /// The unit of a position. Documented for the Claude API: a run of tool
    /// uses is one position, and so is a run of tool results. Unknown on other
    /// platforms, where each block is one.
    pub look_back_unit: LookBackUnit,
    /// Whether a hit also renews the entries of shorter prefixes of the same
    /// request. Undocumented; by default the entry that is read is renewed, as
    /// the documentation says, and no other.
    pub renew_ancestors: bool,
    /// The effect of a marker of one hour at the end of a live entry of five
    /// minutes. One public probe (September 2026): the entry is read, and none
    /// of one hour is written.
    pub hour_over_five: HourOverFive,
    /// Whether a marker below the hit writes a missing entry. Undocumented; by
    /// default it does not, since nothing is billed for it.
    pub writes_below_hit: bool,
    /// Whether the elements of a tool result are positions. Undocumented: the
    /// documentation allows markers on them. By default such a marker counts
    /// as one on the tool result.
    pub nested: NestedPositions,
    /// Which thinking of earlier turns is a part of the prefix. Documented by
    /// model; the catalogue of models knows it.
    pub thinking: ThinkingRule,
    /// The scope that shares entries. Documented: organization and workspace on
    /// the Claude API, organization on Bedrock and Google Cloud.
    pub isolation: Isolation,
    /// When an entry can be read. Documented: once the response begins.
    pub concurrency: Concurrency,
    /// The time from a request to its response if a log does not have it. An
    /// assumption, not a fact.
    pub latency: Duration,
    /// Whether the API adds a marker of five minutes at the last result of a
    /// server tool in requests that have markers. Documented.
    pub server_tool_marker: bool,
    /// The effect of images on the level of the messages. The documentation
    /// says that an image added or removed anywhere invalidates it; its meaning
    /// for images at the end of a growing conversation is undocumented.
    pub images: ImageRule,
    /// The shortest prefix that is cached, in tokens, for every model; `None`
    /// takes it from the catalogue of models.
    pub minimum: Option<u64>,
    /// The platform, if known; it decides about names of models.
    pub platform: Option<Platform>,
}

/// The mechanism that creates entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mechanism {
    /// At the markers of a request (Anthropic).
    Markers,
    /// Everywhere: a request reads the longest prefix that it shares with an
    /// earlier one (OpenAI before GPT-5.6, Gemini).
    Implicit {
        /// The number of tokens that reads are a multiple of.
        step: u64,
        /// The lifetime of unmarked entries. An assumption if the provider
        /// documents none.
        lifetime: CacheLifetime,
    },
    /// At breakpoints: those of a request, and one that the provider sets at
    /// the end of the latest message of the user or a tool. Each is read by a
    /// request with the same bytes up to it, and no prefix between them is
    /// (OpenAI since GPT-5.6).
    Breakpoints,
}

impl Mechanism {
    /// Returns true if writes have a price of their own.
    pub(crate) fn bills_writes(self) -> bool {
        !matches!(self, Self::Implicit { .. })
    }
}

/// The unit of a position of the look-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LookBackUnit {
    /// Every block.
    Block,
    /// Every block, and a run of tool uses or of tool results as one.
    ToolRun,
}

/// The effect of a marker of one hour at a live entry of five minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HourOverFive {
    /// It reads the entry and leaves it as it is.
    Reads,
    /// It does not find the entry, and writes one of an hour.
    Writes,
}

/// Whether the elements of a tool result are positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NestedPositions {
    /// A marker on an element is one on the tool result.
    OfTheResult,
    /// Each element is a position of its own, before that of the tool result.
    Own,
}

/// Which thinking of earlier turns is a part of the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingRule {
    /// By the catalogue's entry for the model; all of it if that is unknown.
    ByModel,
    /// All of it.
    Kept,
    /// That of the last turn.
    LastTurn,
}

/// The scope that shares entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// The requests of one workspace.
    Workspace,
    /// All requests of the log.
    Organization,
}

/// When an entry can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Concurrency {
    /// Once the response to the request that writes it begins.
    OnResponse,
    /// At once.
    AtOnce,
}

/// The effect of images on the level of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageRule {
    /// The first image loses the level, further ones do not.
    Presence,
    /// Every image added or removed loses the level.
    Count,
    /// Images are bytes like all others.
    Ignored,
}

impl CacheRules {
    /// Returns the rules of the Claude API.
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

    /// Returns the rules of Claude on Amazon Bedrock.
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

    /// Returns the rules of OpenAI. The mechanism is that of models before
    /// GPT-5.6; [`CacheRules::mechanism_for`] has that of any model.
    #[must_use]
    pub fn openai() -> Self {
        Self {
            name: "openai",
            mechanism: Mechanism::Implicit {
                step: 128,
                lifetime: CacheLifetime::ThirtyMinutes,
            },
            isolation: Isolation::Organization,
            images: ImageRule::Ignored,
            thinking: ThinkingRule::Kept,
            server_tool_marker: false,
            platform: Some(Platform::OpenAi),
            ..Self::anthropic()
        }
    }

    /// Returns the rules of Gemini's implicit cache.
    #[must_use]
    pub fn gemini() -> Self {
        Self {
            name: "gemini",
            mechanism: Mechanism::Implicit {
                step: 1,
                lifetime: CacheLifetime::OneHour,
            },
            platform: Some(Platform::Gemini),
            ..Self::openai()
        }
    }

    /// Finds a preset by its name.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        let all = [
            Self::anthropic(),
            Self::bedrock(),
            Self::openai(),
            Self::gemini(),
        ];
        all.into_iter().find(|it| it.name == name)
    }

    /// Returns the mechanism for a model: OpenAI has breakpoints since GPT-5.6.
    #[must_use]
    pub fn mechanism_for(&self, facts: &ModelFacts) -> Mechanism {
        let is_implicit = matches!(self.mechanism, Mechanism::Implicit { .. });
        match is_implicit && facts.cache_breakpoints == Some(true) {
            true => Mechanism::Breakpoints,
            false => self.mechanism,
        }
    }

    /// Returns the facts of the model of a request.
    pub(crate) fn facts(&self, request: &Body) -> &'static ModelFacts {
        let model = request.model().unwrap_or_default();
        match self.platform {
            Some(platform) => aside_models::find_on(platform, model).facts,
            None => aside_models::find(model).facts,
        }
    }

    /// Returns the mechanism for the model of a request.
    #[must_use]
    pub fn mechanism_of(&self, request: &Body) -> Mechanism {
        self.mechanism_for(self.facts(request))
    }

    /// Returns the rules of another choice.
    #[must_use]
    pub fn flipped(&self, choice: Choice) -> Self {
        let mut rules = self.clone();
        match choice {
            Choice::LookBackUnit => {
                rules.look_back_unit = match self.look_back_unit {
                    LookBackUnit::Block => LookBackUnit::ToolRun,
                    LookBackUnit::ToolRun => LookBackUnit::Block,
                }
            }
            Choice::RenewAncestors => rules.renew_ancestors = !self.renew_ancestors,
            Choice::HourOverFive => {
                rules.hour_over_five = match self.hour_over_five {
                    HourOverFive::Reads => HourOverFive::Writes,
                    HourOverFive::Writes => HourOverFive::Reads,
                }
            }
            Choice::WritesBelowHit => rules.writes_below_hit = !self.writes_below_hit,
            Choice::Nested => {
                rules.nested = match self.nested {
                    NestedPositions::OfTheResult => NestedPositions::Own,
                    NestedPositions::Own => NestedPositions::OfTheResult,
                }
            }
            Choice::Thinking => {
                rules.thinking = match self.thinking {
                    ThinkingRule::LastTurn => ThinkingRule::Kept,
                    ThinkingRule::ByModel | ThinkingRule::Kept => ThinkingRule::LastTurn,
                }
            }
            Choice::Isolation => {
                rules.isolation = match self.isolation {
                    Isolation::Workspace => Isolation::Organization,
                    Isolation::Organization => Isolation::Workspace,
                }
            }
            Choice::Concurrency => {
                rules.concurrency = match self.concurrency {
                    Concurrency::OnResponse => Concurrency::AtOnce,
                    Concurrency::AtOnce => Concurrency::OnResponse,
                }
            }
            Choice::Images => {
                rules.images = match self.images {
                    ImageRule::Presence => ImageRule::Count,
                    ImageRule::Count | ImageRule::Ignored => ImageRule::Presence,
                }
            }
        }
        rules
    }
}

aside_text::names! {
    /// A field of [`CacheRules`] that no provider documents, or that differs between
    /// platforms and is not documented for all of them.
    ///
    /// [`CacheRules::flipped`] reverses one of them; [`SensitivityRun`](crate::SensitivityRun)
    /// repeats a log with each of them, and shows the ones that a result depends on.
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
