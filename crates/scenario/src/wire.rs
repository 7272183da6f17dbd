//! The body of a request as it is sent: on the wire of its provider, if the
//! scenario names one.

use aside_diagnostic::Diagnostic;
use aside_messages::Source;
use aside_providers::{Converter, Family, GlobalScope, Options};
use aside_session::Prepared;

use crate::format::Scenario;

/// A request that was made.
pub(crate) struct Made {
    pub(crate) prepared: Prepared,
    /// The bytes in the session's own form.
    pub(crate) own: Vec<u8>,
    wire: Option<Wire>,
}

/// The writer of requests for the provider of a scenario.
pub(crate) struct Sender {
    converter: Converter,
    family: Family,
}

/// The same request on a provider's wire.
struct Wire {
    bytes: Vec<u8>,
    family: Family,
}

impl Made {
    /// Writes the request for the provider of the scenario, as a client does.
    /// Conversion losses are reported, one a line.
    ///
    /// # Errors
    ///
    /// The provider would refuse the request.
    pub(crate) fn new(
        prepared: Prepared,
        sender: Option<&mut Sender>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> anyhow::Result<Self> {
        let own = prepared.body.to_vec();
        let mut wire = None;
        if let Some(sender) = sender {
            let outgoing = sender.converter.outgoing(&prepared.body)?;
            diagnostics.extend(outgoing.losses.iter().map(Diagnostic::from));
            wire = Some(Wire {
                bytes: outgoing.body(),
                family: sender.family,
            });
        }
        Ok(Self {
            prepared,
            own,
            wire,
        })
    }

    /// Returns the bytes that are sent.
    pub(crate) fn sent(&self) -> &[u8] {
        self.wire.as_ref().map_or(&self.own, |wire| &wire.bytes)
    }

    /// Returns the source of the byte at `offset` of [`Made::sent`]. On the
    /// wire of another family it is the envelope.
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

impl Sender {
    /// Returns the writer for a scenario that names a provider.
    pub(crate) fn of(scenario: &Scenario) -> Option<Self> {
        let provider = scenario.provider?;
        let is_global = scenario.global_scope == Some(true);
        let options = Options {
            global_scope: if is_global {
                GlobalScope::Enabled
            } else {
                GlobalScope::Disabled
            },
            ..Options::default()
        };
        Some(Self {
            converter: Converter::new(provider, options),
            family: provider.family(),
        })
    }
}

/// Returns the offset in `own` of the byte at `offset` in `sent`. Their
/// beginnings and ends are equal; a byte between has no offset in `own`.
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
    fn only_differing_bytes_have_no_earlier_offset() {
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
