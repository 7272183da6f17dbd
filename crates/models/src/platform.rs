use std::fmt;

use serde::{Serialize, Serializer};

/// A service that runs models. A model's facts can differ between services.
///
/// ```
/// use aside_models::{Platform, find_on};
///
/// assert_eq!(Platform::from_name("bedrock-invoke"), Some(Platform::BedrockInvoke));
/// let found = find_on(Platform::GoogleCloud, "claude-haiku-4-5@20251001");
/// assert_eq!(found.facts.id, "claude-haiku-4-5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Platform {
    /// Anthropic's own API.
    FirstParty,
    /// Anthropic's API, billed through AWS.
    AwsPlatform,
    /// Amazon Bedrock's Messages endpoint.
    BedrockMessages,
    /// Amazon Bedrock's `InvokeModel` and `Converse`.
    BedrockInvoke,
    /// Claude on Google Cloud.
    GoogleCloud,
    /// Claude on Microsoft Foundry.
    Foundry,
    /// OpenAI's own API.
    #[serde(rename = "openai")]
    OpenAi,
    /// OpenAI's models on Azure.
    Azure,
    /// xAI.
    Xai,
    /// Google's Gemini API.
    Gemini,
    /// Another server on one of the wires.
    Compatible,
}

impl Platform {
    /// Every platform.
    pub const ALL: [Self; 11] = [
        Self::FirstParty,
        Self::AwsPlatform,
        Self::BedrockMessages,
        Self::BedrockInvoke,
        Self::GoogleCloud,
        Self::Foundry,
        Self::OpenAi,
        Self::Azure,
        Self::Xai,
        Self::Gemini,
        Self::Compatible,
    ];

    /// Returns its name in lower case, as on a command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FirstParty => "first-party",
            Self::AwsPlatform => "aws-platform",
            Self::BedrockMessages => "bedrock-messages",
            Self::BedrockInvoke => "bedrock-invoke",
            Self::GoogleCloud => "google-cloud",
            Self::Foundry => "foundry",
            Self::OpenAi => "openai",
            Self::Azure => "azure",
            Self::Xai => "xai",
            Self::Gemini => "gemini",
            Self::Compatible => "compatible",
        }
    }

    /// Finds a platform by its name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }

    /// Returns true if the platform serves Claude on the Messages API.
    #[must_use]
    pub const fn is_anthropic(self) -> bool {
        ANTHROPIC.contains(self)
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

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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
        Platform::ALL
            .into_iter()
            .filter(move |it| self.contains(*it))
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
    pub const UNKNOWN: Self = Self {
        accepted: Platforms::NONE,
        refused: Platforms::NONE,
    };

    /// Refused everywhere.
    pub const REFUSED: Self = Self {
        accepted: Platforms::NONE,
        refused: Platforms::ALL,
    };

    /// Accepted on these platforms; the others are unknown.
    pub(crate) const fn on(platforms: Platforms) -> Self {
        Self {
            accepted: platforms,
            refused: Platforms::NONE,
        }
    }

    /// Accepted on these platforms and refused on every other.
    pub(crate) const fn only_on(platforms: Platforms) -> Self {
        Self {
            accepted: platforms,
            refused: Platforms::ALL.without(platforms),
        }
    }

    /// Adds platforms on which it is refused.
    pub(crate) const fn not_on(self, platforms: Platforms) -> Self {
        Self {
            accepted: self.accepted.without(platforms),
            refused: platforms,
        }
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
            assert_eq!(Platform::from_name(platform.as_str()), Some(platform));
            let json = serde_json::to_string(&platform).expect("a name");
            assert_eq!(json, format!("\"{platform}\""));
        }
        assert_eq!(Platform::from_name("bedrock"), None);
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
