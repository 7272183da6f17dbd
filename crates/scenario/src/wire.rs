//! A request's body as it is sent: on the provider's wire, if the scenario
//! names one.

use aside_cache_model::Body;
use aside_diagnostic::Diagnostic;
use aside_inspect::BodySources;
use aside_messages::encode::SourceSpan;
use aside_providers::{Converter, GlobalScope, Options};
use aside_session::Prepared;

use crate::format::Scenario;

pub(crate) struct Made {
    pub(crate) prepared: Prepared,
    /// In the session's own form.
    pub(crate) own: Vec<u8>,
    /// On the provider's wire, if the scenario names one.
    wire: Option<Vec<u8>>,
    /// The model by the provider's name, which is not in every wire's body.
    pub(crate) model: Option<String>,
}

impl Made {
    /// Writes the request for the scenario's provider, as a client does.
    /// Conversion losses are reported, one line each.
    ///
    /// # Errors
    ///
    /// The provider would refuse the request.
    pub(crate) fn new(
        prepared: Prepared,
        converter: Option<&mut Converter>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> anyhow::Result<Self> {
        let own = prepared.body.to_vec();
        let (mut wire, mut model) = (None, None);
        if let Some(converter) = converter {
            let outgoing = converter.outgoing(&prepared.body)?;
            diagnostics.extend(outgoing.losses.iter().map(Diagnostic::from));
            wire = Some(outgoing.body());
            model = Some(outgoing.model);
        }
        Ok(Self { prepared, own, wire, model })
    }

    pub(crate) fn sent(&self) -> &[u8] {
        self.wire.as_ref().unwrap_or(&self.own)
    }

    /// Returns the sources of the texts in [`Made::sent`].
    pub(crate) fn spans(&self) -> Vec<SourceSpan> {
        let own = self.prepared.body.source_spans();
        let Some(sent) = &self.wire else {
            return own;
        };
        let requests = Body::parse(&self.own).and_then(|own| {
            let sent = Body::parse(sent)?;
            Ok(BodySources::of(&self.prepared.body).converted(&own, &sent))
        });
        requests.map_or_else(|_| Vec::new(), BodySources::into_spans)
    }
}

/// `None` if the scenario names no provider.
pub(crate) fn converter(scenario: &Scenario) -> Option<Converter> {
    let provider = scenario.provider?;
    let is_global = scenario.global_scope == Some(true);
    let options = Options {
        global_scope: if is_global { GlobalScope::Enabled } else { GlobalScope::Disabled },
        ..Options::default()
    };
    Some(Converter::of_lowered(provider, options))
}
