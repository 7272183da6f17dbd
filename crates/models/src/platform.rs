use serde::{Serialize, Serializer};

use crate::wire::Wire;

aside_text::names! {
    /// A service that runs models. A model's facts can differ between services.
    ///
    /// ```
    /// use aside_models::{Platform, find_on};
    ///
    /// assert_eq!("bedrock-invoke".parse(), Ok(Platform::BedrockInvoke));
    /// let found = find_on(Platform::GoogleCloud, "claude-haiku-4-5@20251001");
    /// assert_eq!(found.facts.id, "claude-haiku-4-5");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum Platform {
        /// Anthropic's own API.
        FirstParty = "first-party",
        /// Anthropic's API, billed through AWS.
        AwsPlatform = "aws-platform",
        /// Amazon Bedrock's Messages endpoint.
        BedrockMessages = "bedrock-messages",
        /// Amazon Bedrock's `InvokeModel` and `Converse`.
        BedrockInvoke = "bedrock-invoke",
        /// Claude on Google Cloud.
        GoogleCloud = "google-cloud",
        /// Claude on Microsoft Foundry.
        Foundry = "foundry",
        /// OpenAI's own API.
        #[serde(rename = "openai")]
        OpenAi = "openai",
        /// OpenAI's models on Azure.
        Azure = "azure",
        /// xAI.
        Xai = "xai",
        /// Google's Gemini API.
        Gemini = "gemini",
        /// Another server on one of the wires.
        Compatible = "compatible",
    }
}

impl Platform {
    /// Returns true if the platform serves Claude on the Messages API.
    #[must_use]
    pub const fn is_anthropic(self) -> bool {
        ANTHROPIC.contains(self)
    }

    /// Returns the wires that the platform has; of a compatible server, those that it may have.
    ///
    /// ```
    /// use aside_models::{Platform, Wire};
    ///
    /// assert_eq!(Platform::Foundry.wires(), [Wire::Messages]);
    /// assert!(!Platform::OpenAi.wires().contains(&Wire::Messages));
    /// ```
    #[must_use]
    pub const fn wires(self) -> &'static [Wire] {
        match self {
            Self::OpenAi | Self::Azure | Self::Xai => &[Wire::Responses, Wire::ChatCompletions],
            Self::Gemini => &[Wire::GenerateContent, Wire::ChatCompletions],
            Self::Compatible => &Wire::ALL,
            _ => &[Wire::Messages],
        }
    }

    /// Returns true if the user names a deployment, and the model id is only a
    /// part of that name.
    #[must_use]
    pub const fn has_deployments(self) -> bool {
        matches!(self, Self::Foundry | Self::Azure)
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// A set of platforms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Platforms(u16);

/// Every platform that serves Claude.
pub(crate) const ANTHROPIC: Platforms = Platforms::of(&[
    Platform::FirstParty,
    Platform::AwsPlatform,
    Platform::BedrockMessages,
    Platform::BedrockInvoke,
    Platform::GoogleCloud,
    Platform::Foundry,
]);

impl Platforms {
    /// No platform.
    pub const NONE: Self = Self(0);

    /// Every platform.
    pub const ALL: Self = Self::of(&Platform::ALL);

    /// Creates a set from its members.
    #[must_use]
    pub const fn of(platforms: &[Platform]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < platforms.len() {
            bits |= platforms[index].bit();
            index += 1;
        }
        Self(bits)
    }

    /// Returns true if the platform is a member.
    #[must_use]
    pub const fn contains(self, platform: Platform) -> bool {
        self.0 & platform.bit() != 0
    }

    /// Iterates over the members.
    pub fn iter(self) -> impl Iterator<Item = Platform> {
        Platform::ALL.into_iter().filter(move |it| self.contains(*it))
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Serialize for Platforms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// The platforms that accept something, and those that refuse it. A platform in
/// neither set is unknown.
///
/// ```
/// use aside_models::{Platform, find};
///
/// let compaction = find("claude-opus-5-5").facts.compaction;
/// assert!(compaction.is_on(Platform::FirstParty));
/// assert_eq!(compaction.known_on(Platform::BedrockInvoke), Some(false));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Support {
    /// Accepted there.
    pub accepted: Platforms,
    /// Refused there.
    pub refused: Platforms,
}

impl Support {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { accepted: Platforms::NONE, refused: Platforms::NONE };

    /// Refused everywhere.
    pub const REFUSED: Self = Self { accepted: Platforms::NONE, refused: Platforms::ALL };

    /// Accepted on these platforms; the others are unknown.
    pub(crate) const fn on(platforms: Platforms) -> Self {
        Self { accepted: platforms, refused: Platforms::NONE }
    }

    /// Accepted on these platforms and refused on every other.
    pub(crate) const fn only_on(platforms: Platforms) -> Self {
        Self { accepted: platforms, refused: Platforms::ALL.without(platforms) }
    }

    /// Adds platforms on which it is refused.
    pub(crate) const fn not_on(self, platforms: Platforms) -> Self {
        Self { accepted: self.accepted.without(platforms), refused: platforms }
    }

    /// Returns true if the platform accepts it, false if it refuses it, and
    /// `None` if that is unknown.
    #[must_use]
    pub const fn known_on(self, platform: Platform) -> Option<bool> {
        if self.accepted.contains(platform) {
            Some(true)
        } else if self.refused.contains(platform) {
            Some(false)
        } else {
            None
        }
    }

    /// Returns true if the platform is known to accept it; an unknown fact
    /// counts as absent.
    #[must_use]
    pub const fn is_on(self, platform: Platform) -> bool {
        self.accepted.contains(platform)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for platform in Platform::ALL {
            assert_eq!(platform.as_str().parse(), Ok(platform));
            let json = serde_json::to_string(&platform).expect("a name");
            assert_eq!(json, format!("\"{platform}\""));
        }
        assert!("bedrock".parse::<Platform>().is_err());
    }

    #[test]
    fn a_platform_in_neither_set_is_unknown() {
        let support = Support::on(ANTHROPIC).not_on(Platforms::of(&[Platform::Foundry]));
        assert_eq!(support.known_on(Platform::FirstParty), Some(true));
        assert_eq!(support.known_on(Platform::Foundry), Some(false));
        assert_eq!(support.known_on(Platform::OpenAi), None);
        assert!(!support.is_on(Platform::OpenAi));
        assert_eq!(Support::REFUSED.known_on(Platform::Gemini), Some(false));
    }
}
