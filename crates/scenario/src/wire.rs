//! The body of a request as it is sent: on its provider's wire, where the
//! scenario names one.

use aside_agent::Prepared;
use aside_messages::Source;
use aside_providers::{Family, GlobalScope, Options, Provider, convert};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::format::Scenario;

/// Who answers the requests of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderSpec {
    /// Anthropic's own API.
    FirstParty,
    /// Amazon Bedrock.
    Bedrock,
    /// Claude on Google Cloud's Vertex AI.
    Vertex,
    /// Claude on Microsoft Foundry.
    Foundry,
    /// OpenAI's Chat Completions.
    #[serde(rename = "openai")]
    OpenAi,
    /// Google's Gemini API.
    Gemini,
    /// xAI.
    Grok,
}

/// A request that was made.
pub(crate) struct Made {
    pub(crate) prepared: Prepared,
    /// The bytes of the session's own form.
    pub(crate) own: Vec<u8>,
    wire: Option<Wire>,
}

/// The same on a provider's wire.
struct Wire {
    bytes: Vec<u8>,
    family: Family,
}

impl From<ProviderSpec> for Provider {
    fn from(spec: ProviderSpec) -> Self {
        match spec {
            ProviderSpec::FirstParty => Self::FirstParty,
            ProviderSpec::Bedrock => Self::Bedrock,
            ProviderSpec::Vertex => Self::Vertex,
            ProviderSpec::Foundry => Self::Foundry,
            ProviderSpec::OpenAi => Self::OpenAi,
            ProviderSpec::Gemini => Self::Gemini,
            ProviderSpec::Grok => Self::Grok,
        }
    }
}

impl Made {
    /// Writes the request for the provider of the scenario; what its wire has
    /// no place for is told, a line each.
    ///
    /// # Errors
    /// What the provider would refuse.
    pub(crate) fn new(
        prepared: Prepared,
        scenario: &Scenario,
        told: &mut Vec<String>,
    ) -> anyhow::Result<Self> {
        let own = prepared.body.to_vec();
        let mut wire = None;
        if let Some(provider) = scenario.provider.map(Provider::from) {
            let converted = convert(&prepared.request()?, provider, &options(scenario))?;
            told.extend(converted.losses.iter().map(ToString::to_string));
            wire = Some(Wire {
                bytes: converted.body,
                family: provider.family(),
            });
        }
        Ok(Self {
            prepared,
            own,
            wire,
        })
    }

    /// The bytes that are sent.
    pub(crate) fn sent(&self) -> &[u8] {
        self.wire.as_ref().map_or(&self.own, |wire| &wire.bytes)
    }

    /// Who put the byte at `offset` of [`Made::sent`] there. What another
    /// family's wire has is the envelope's.
    pub(crate) fn source_at(&self, offset: usize) -> Source {
        let own = match &self.wire {
            None => Some(offset),
            Some(wire) if wire.family == Family::Anthropic => {
                offset_before(&self.own, &wire.bytes, offset)
            }
            Some(_) => None,
        };
        let source = own.map(|own| self.prepared.body.source_at(own).clone());
        source.unwrap_or(Source::Envelope)
    }
}

fn options(scenario: &Scenario) -> Options {
    let is_global = scenario.global_scope == Some(true);
    Options {
        global_scope: if is_global {
            GlobalScope::Enabled
        } else {
            GlobalScope::Disabled
        },
        ..Options::default()
    }
}

/// The offset in `own` of what stands at `offset` in `sent`. What they
/// begin and end with is the same; what is between has no place in `own`.
fn offset_before(own: &[u8], sent: &[u8], offset: usize) -> Option<usize> {
    let same = |(a, b): &(&u8, &u8)| a == b;
    let head = own.iter().zip(sent).take_while(same).count();
    if offset < head {
        return Some(offset);
    }
    let rest = own[head..].iter().rev().zip(sent[head..].iter().rev());
    let tail = rest.take_while(same).count();
    let from_end = sent.len().checked_sub(offset)?;
    (from_end <= tail).then(|| own.len() - from_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_has_no_place_before() {
        let (own, sent) = (br#"{"model":"a","x":1}"#, br#"{"version":"2","x":1}"#);
        let at = |offset| offset_before(own, sent, offset);
        assert_eq!(at(0), Some(0));
        assert_eq!(at(5), None);
        assert_eq!(at(sent.len() - 2), Some(own.len() - 2));
        assert_eq!(at(sent.len()), Some(own.len()));
        assert_eq!(at(sent.len() + 1), None);
        assert_eq!(offset_before(own, own, 7), Some(7));
    }
}
