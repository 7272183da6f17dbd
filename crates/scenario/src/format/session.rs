//! A scenario's prompt and cache options.

use aside_cache_split::{Caching, Continuation, Hosting, TtlSwitches};
use aside_messages::wire::{CacheControl, Ttl};
use aside_prompt_sections::{AgentMode, OsKind};
use aside_session::{AgentDefinition, CacheOptions, Coordinator, PromptOptions};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::schema::scenario as schema;

/// Texts that replace the default prompt or are appended to it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PromptSpec {
    /// The whole prompt.
    pub r#override: Option<String>,
    /// Coordinator mode.
    pub coordinator: bool,
    /// An agent definition's prompt.
    pub agent: Option<String>,
    /// Whether to append the agent's prompt to the default.
    pub proactive: bool,
    /// Replaces the default prompt.
    pub custom: Option<String>,
    /// Is appended to the prompt.
    pub append: Option<String>,
}

/// Cache options.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CacheSpec {
    /// `on` or `off`.
    #[schemars(with = "schema::CachingForm")]
    pub caching: Caching,
    /// `first_party`, `bedrock` or `other`, by default the provider's.
    #[schemars(with = "Option<schema::HostingForm>")]
    pub hosting: Option<Hosting>,
    /// By default `sdk`.
    pub query_source: Option<String>,
    /// Query sources whose entries live for an hour.
    pub ttl_allowlist: Vec<String>,
    /// `long_on_bedrock`, `long_everywhere`, `force_short`.
    #[schemars(with = "schema::SwitchesForm")]
    pub switches: TtlSwitches,
    /// How long the layers that a project's sessions share live in the cache,
    /// by default `5m`.
    pub prefix: Option<MarkerTtl>,
    /// Whether to switch off experimental betas.
    pub betas_disabled: bool,
    /// The automatic marker.
    pub automatic: Option<MarkerTtl>,
    /// Whether no later request continues this one.
    pub one_shot: bool,
}

/// How long a marker's entry lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum MarkerTtl {
    /// Five minutes.
    #[serde(rename = "5m")]
    FiveMinutes,
    /// An hour.
    #[serde(rename = "1h")]
    OneHour,
}

/// An operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlatformSpec {
    /// Linux.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl PlatformSpec {
    pub(crate) fn kind(self) -> OsKind {
        match self {
            Self::Linux => OsKind::Linux,
            Self::MacOs => OsKind::MacOs,
            Self::Windows => OsKind::Windows,
        }
    }
}

impl PromptSpec {
    pub(crate) fn fill(&self, options: &mut PromptOptions) {
        options.override_prompt.clone_from(&self.r#override);
        options.coordinator = self.coordinator.then(Coordinator::default);
        let mode = if self.proactive { AgentMode::Proactive } else { AgentMode::Replace };
        options.agent = self.agent.clone().map(|prompt| AgentDefinition {
            name: "scenario".to_owned(),
            prompt: prompt.into(),
            mode,
        });
        options.custom.clone_from(&self.custom);
        options.append.clone_from(&self.append);
    }
}

impl CacheSpec {
    pub(crate) fn fill(&self, options: &mut CacheOptions) {
        options.caching = self.caching;
        options.hosting = self.hosting.unwrap_or(options.hosting);
        if let Some(source) = &self.query_source {
            options.query_source.clone_from(source);
        }
        options.ttl_allowlist.clone_from(&self.ttl_allowlist);
        options.ttl_switches = self.switches;
        options.prefix = self.prefix.map(MarkerTtl::ttl);
        options.global_scope.betas_disabled = self.betas_disabled;
        options.automatic = self.automatic.map(MarkerTtl::marker);
        if self.one_shot {
            options.continuation = Continuation::OneShot;
        }
    }
}

impl MarkerTtl {
    fn ttl(self) -> Ttl {
        match self {
            Self::FiveMinutes => Ttl::FiveMinutes,
            Self::OneHour => Ttl::OneHour,
        }
    }

    pub(crate) fn marker(self) -> CacheControl {
        CacheControl::lasting(self.ttl())
    }
}
