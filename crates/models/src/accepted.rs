//! Which values a model accepts for a parameter.
//!
//! The catalogue records them per model; the rules of `aside check` and the
//! conversions in `aside-providers` read them.

use serde::Serialize;

aside_text::names! {
    /// How much work a model puts into a response.
    ///
    /// ```
    /// use aside_models::{Effort, find};
    ///
    /// assert_eq!("xhigh".parse(), Ok(Effort::XHigh));
    /// let efforts = find("claude-haiku-4-5").facts.efforts;
    /// assert_eq!(efforts, Some(&[][..]), "the parameter is refused");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "lowercase")]
    #[non_exhaustive]
    pub enum Effort {
        /// No reasoning (OpenAI).
        None = "none",
        /// `minimal` (OpenAI and Gemini)
        Minimal = "minimal",
        /// `low`
        Low = "low",
        /// `medium`
        Medium = "medium",
        /// `high`
        High = "high",
        /// `xhigh`
        XHigh = "xhigh",
        /// `max`
        Max = "max",
    }
}

/// Which thinking modes a model accepts.
///
/// ```
/// use aside_models::{Acceptance, ThinkingDefault, find};
///
/// let modes = find("claude-haiku-4-5").facts.thinking.expect("the modes are known");
/// assert_eq!(modes.default, ThinkingDefault::Off);
/// assert_eq!(modes.mode("enabled"), Some(Acceptance::Accepted));
/// assert_eq!(modes.mode("adaptive"), Some(Acceptance::Refused));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ThinkingModes {
    /// The mode when a request omits the parameter.
    pub default: ThinkingDefault,
    /// `{"type":"adaptive"}`
    pub adaptive: Acceptance,
    /// `{"type":"enabled"}` with a budget
    pub enabled: Acceptance,
    /// `{"type":"disabled"}`
    pub disabled: Acceptance,
    /// `{"type":"between_tools"}`
    pub between_tools: Acceptance,
}

/// What a model does when a request omits `thinking`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ThinkingDefault {
    /// It thinks, and that cannot be turned off.
    AlwaysOn,
    /// It thinks.
    On,
    /// It does not think.
    Off,
}

/// Whether a parameter value is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Acceptance {
    /// Accepted.
    Accepted,
    /// Accepted, and deprecated.
    Deprecated,
    /// Accepted at effort `high` and below.
    UpToHighEffort,
    /// Refused.
    Refused,
}

impl ThinkingModes {
    /// Returns whether a mode is accepted; `None` for a mode that no model has.
    #[must_use]
    pub fn mode(&self, kind: &str) -> Option<Acceptance> {
        self.modes().into_iter().find(|(name, _)| *name == kind).map(|(_, it)| it)
    }

    /// Returns the accepted modes.
    pub fn accepted(&self) -> impl Iterator<Item = &'static str> {
        let accepted = self.modes().into_iter().filter(|(_, it)| *it != Acceptance::Refused);
        accepted.map(|(name, _)| name)
    }

    fn modes(&self) -> [(&'static str, Acceptance); 4] {
        [
            ("adaptive", self.adaptive),
            ("enabled", self.enabled),
            ("disabled", self.disabled),
            ("between_tools", self.between_tools),
        ]
    }
}

/// Which sampling parameters (`temperature`, `top_p`, `top_k`) are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Sampling {
    /// All.
    Accepted,
    /// All when thinking is off. When it is on, `temperature` is 1, `top_p` at
    /// least 0.95, and `top_k` absent.
    WithoutThinking,
    /// Only the default values.
    DefaultsOnly,
    /// None.
    Refused,
    /// All, without effect.
    Ignored,
}

/// Which earlier thinking the API keeps in the context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ThinkingKept {
    /// All of it.
    #[default]
    All,
    /// Only the last turn's; the API removes the rest itself.
    LastTurn,
}

/// Whether a model has fast mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FastMode {
    /// Generally available.
    Available,
    /// Available with the beta `fast-mode-2026-02-01`.
    Beta,
    /// Accepted, without effect.
    Ignored,
    /// Refused.
    Refused,
}
