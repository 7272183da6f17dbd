//! Choosing a provider from the environment, its name, and its row.
//!
//! The enum itself is made from the rows in `provider/table.rs`, so every provider has one.

mod error;
mod table;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::capabilities::{Capabilities, GlobalScope};
use crate::provider_spec::ProviderSpec;

pub use error::{ProviderError, ProviderErrorKind};
pub use table::Provider;

impl Provider {
    /// Returns the provider that your environment chooses: the one whose variable has a true value
    /// (`1`, `true`, `yes`, `on`, in any letter case), or else the first party. `variable` has to
    /// return a variable's value.
    ///
    /// ```
    /// use aside_providers::Provider;
    ///
    /// let variable = |name: &str| (name == "CLAUDE_CODE_USE_VERTEX").then(|| "1".to_owned());
    /// assert_eq!(Provider::choose(variable)?, Provider::Vertex);
    /// # Ok::<(), aside_providers::ProviderError>(())
    /// ```
    ///
    /// # Errors
    /// When several variables have a true value; the error names them.
    ///
    /// An unknown value counts as false. `variable` is called once for each provider that has a
    /// variable.
    pub fn choose(variable: impl Fn(&str) -> Option<String>) -> Result<Self, ProviderError> {
        let chosen = Self::ALL.into_iter().filter_map(|provider| {
            let name = provider.spec().chosen_by?;
            is_true(&variable(name)?).then_some((name, provider))
        });
        match *chosen.collect::<Vec<_>>() {
            [] => Ok(Self::default()),
            [(_, provider)] => Ok(provider),
            ref several => {
                let variables = several.iter().map(|(name, _)| *name).collect();
                Err(ProviderError::new(ProviderErrorKind::Several { variables }))
            }
        }
    }

    /// Checks the variable that you set to choose a compatible server's wire
    /// ([`ProviderSpec::wire_variable`]).
    ///
    /// # Errors
    /// When its value is neither `chat` nor `responses`.
    pub fn check_wire(
        self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<(), ProviderError> {
        let Some(name) = self.spec().wire_variable else {
            return Ok(());
        };
        match variable(name) {
            Some(value) if !matches!(value.as_str(), "chat" | "responses") => {
                let variable = name;
                Err(ProviderError::new(ProviderErrorKind::Wire { variable, value }))
            }
            _ => Ok(()),
        }
    }

    /// Returns what the provider supports on its general wire. To ask about another wire, use
    /// [`ProviderSpec::capabilities_on`].
    #[must_use]
    pub fn capabilities(self, global: GlobalScope) -> Capabilities {
        self.spec().capabilities(global)
    }

    /// Returns its name in lower case, as you write it on a command line.
    ///
    /// `FromStr` reads exactly this spelling; another letter case is an error.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.spec().name
    }
}

impl From<Provider> for &'static ProviderSpec {
    fn from(provider: Provider) -> Self {
        provider.spec()
    }
}

/// The first in [`Provider::ALL`]: you need no variable to choose it.
impl Default for Provider {
    fn default() -> Self {
        Self::ALL[0]
    }
}

/// Returns true when a boolean variable means true, ignoring letter case and whitespace around it.
fn is_true(value: &str) -> bool {
    let value = value.trim();
    ["1", "true", "yes", "on"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

impl FromStr for Provider {
    type Err = ProviderError;

    fn from_str(name: &str) -> Result<Self, ProviderError> {
        let found = Self::ALL.into_iter().find(|it| it.as_str() == name);
        let unknown = || ProviderErrorKind::Unknown { name: name.into() };
        found.ok_or_else(|| ProviderError::new(unknown()))
    }
}

/// Written as its name, such as `"bedrock-messages"`.
impl Serialize for Provider {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Read from its name; for an unknown one, the error lists all names.
impl<'de> Deserialize<'de> for Provider {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn check(grok: &str, gemini: &str, expected: Result<Provider, &str>) {
        let variable = |name: &str| match name {
            "CLAUDE_CODE_USE_GROK" => Some(grok.to_owned()),
            "CLAUDE_CODE_USE_GEMINI" => Some(gemini.to_owned()),
            _ => None,
        };
        let chosen = Provider::choose(variable).map_err(|error| error.to_string());
        assert_eq!(chosen, expected.map_err(str::to_owned));
    }

    #[test]
    fn the_one_true_variable_chooses() {
        check("0", "", Ok(Provider::FirstParty));
        check(" Yes ", "false", Ok(Provider::Grok));
        check("no", "TRUE", Ok(Provider::Gemini));
        check(
            "on",
            "1",
            Err("choose one provider: CLAUDE_CODE_USE_GEMINI, CLAUDE_CODE_USE_GROK are all set"),
        );
    }

    #[test]
    fn every_name_is_read_back() {
        for provider in Provider::ALL {
            assert_eq!(provider.to_string().parse(), Ok(provider));
        }
        let error = "Bedrock".parse::<Provider>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown provider \"Bedrock\": expected one of first-party, bedrock, \
             bedrock-messages, vertex, foundry, openai, gemini, grok"
        );
    }

    #[test]
    fn no_two_rows_share_a_variable() {
        let mut seen = BTreeSet::new();
        for spec in Provider::ALL.map(Provider::spec) {
            // AWS services share their credentials.
            let keys =
                spec.keys.iter().map(|key| key.name).filter(|name| !name.starts_with("AWS_"));
            let base = [spec.address.base_variable];
            for variable in keys.chain(spec.chosen_by).chain(base) {
                assert!(seen.insert(variable), "{variable}");
            }
            for place in spec.address.places {
                assert!(
                    spec.address.base.contains(&format!("{{{}}}", place.name))
                        || spec.address.scope.contains(&&*format!("{{{}}}", place.name))
                );
            }
            assert!(!spec.wires.is_empty() && !spec.keys.is_empty());
        }
        let default = Provider::default();
        for provider in Provider::ALL {
            assert_eq!(provider.spec().chosen_by.is_none(), provider == default);
        }
    }
}
