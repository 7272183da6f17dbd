//! What a converter remembers about its session.

use std::collections::HashSet;
use std::sync::Arc;

use aside_messages::encode::{Body, BodyParts, Encoded, HistoryPosition};
use aside_models::find;

use crate::admission::{Admission, Scope};
use crate::body_writer::BodyWriter;
use crate::loss::ConversionLoss;
use crate::options::Options;
use crate::provider_spec::{
    ChatDialect, MessagesDialect, ProviderSpec, ServerKind, WireDialect, WireSpec,
};
use crate::refused::RefusedError;
use crate::stand_in::elsewhere;
use crate::tool_schemas::{RepairedTools, repaired};
use crate::{anthropic, gemini, openai, responses};

/// What a converter remembers about its session.
///
/// This is valid for one model on one wire: another model begins another session.
#[derive(Debug)]
pub(super) struct Session {
    /// The model, by the provider's name; empty before the first request.
    pub(super) model: String,
    /// The wire that serves the model.
    pub(super) wire: &'static WireSpec,
    pub(super) writer: Writer,
    pub(super) admission: Admission,
    /// The model's replacement, once it was reported.
    pub(super) exchange: Option<ConversionLoss>,
    /// The last request's tools, and their repaired form if they needed one.
    pub(super) tools: Option<(Arc<Encoded>, Option<RepairedTools>)>,
    /// Which repairs were reported.
    pub(super) reported: HashSet<ConversionLoss>,
    /// Where the closed messages ended at the last conversion.
    pub(super) position: Option<HistoryPosition>,
}

/// The conversion's state, by wire. The dialect is a copy of the wire's.
#[derive(Debug)]
pub(super) enum Writer {
    Messages(anthropic::Writer, MessagesDialect),
    Responses(Box<BodyWriter<responses::Writer>>),
    Chat(BodyWriter<openai::Writer>, ChatDialect),
    Gemini(BodyWriter<gemini::Writer>),
}

impl Session {
    /// Creates the state to use before a model's first request.
    pub(super) fn new(
        spec: &'static ProviderSpec,
        model: String,
        options: &Options,
        scope: Scope,
    ) -> Self {
        let wire = spec.wire_on(&model, options.server);
        let writer = match wire.wire {
            WireDialect::Messages(dialect) => {
                Writer::Messages(anthropic::Writer::default(), dialect)
            }
            WireDialect::Responses(dialect) => {
                let writer = responses::Writer::new(&model, dialect);
                Writer::Responses(BodyWriter::new(writer).into())
            }
            WireDialect::ChatCompletions(dialect) => {
                let writer = openai::Writer::new(&model, options.reasoning);
                Writer::Chat(BodyWriter::new(writer), dialect)
            }
            WireDialect::GenerateContent => {
                Writer::Gemini(BodyWriter::new(gemini::Writer::new(&model)))
            }
        };
        Self {
            model,
            wire,
            writer,
            admission: Admission::new(scope),
            exchange: None,
            tools: None,
            reported: HashSet::new(),
            position: None,
        }
    }

    /// Repairs tool schemas, unless these are the last request's tools. The tool choice may differ
    /// when the tools are the same, so every request compares it.
    pub(super) fn repair_tools(&mut self, parts: &BodyParts<'_>) -> Result<(), RefusedError> {
        let known = self.tools.as_ref();
        if !known.is_some_and(|(tools, _)| Arc::ptr_eq(tools, parts.tools)) {
            let repaired = repaired(parts.tools.as_tools(), self.wire.wire.wire())?;
            self.tools = Some((parts.tools.clone(), repaired));
        }
        let repaired = self.tools.as_ref().and_then(|(_, it)| it.as_ref());
        let choice = parts.parameters.tool_choice.as_ref();
        repaired.map_or(Ok(()), |it| it.permit(choice))
    }

    /// Returns true if the request continues those before, or is the first.
    pub(super) fn continues(&self, body: &Body) -> bool {
        let position = self.position.as_ref();
        position.is_none_or(|position| position.is_within(body.parts().history))
    }
}

/// Returns the conversion loss when another model is used, or one that the platform does not have.
/// If this is just another platform's id for the same model, nothing is lost.
///
/// ```text
/// claude-sonnet-5-5 → gpt-5.5                      reported
/// claude-haiku-4-5  → claude-haiku-4-5@20251001    the same model on Vertex: nothing
/// gpt-5.5           → gpt-5.5                      anywhere but at OpenAI: reported
/// claude-haiku-4-5@20251001                        anywhere but on Vertex: reported
/// ```
pub(super) fn exchange(
    requested: &str,
    model: &str,
    spec: &ProviderSpec,
    server: ServerKind,
) -> Option<ConversionLoss> {
    let (before, after) = (find(requested), find(model));
    // A deployment may have any name, and a compatible server any model.
    let is_own = !spec.platform.has_deployments() && server.is_own();
    let is_unknown_here = after.is_known() && after.facts.vendor != spec.vendor
        || elsewhere(model, spec.platform).is_some();
    if is_own && is_unknown_here {
        let what = format!("{model} is kept, which this platform does not have: name another one");
        return Some(ConversionLoss::new("model", what));
    }
    let is_same = before.is_known() && before.facts.id == after.facts.id;
    let what = || match requested {
        "" => format!("the request names none: {model} is used"),
        _ => format!("{requested} is replaced by {model}"),
    };
    (requested != model && !is_same).then(|| ConversionLoss::new("model", what()))
}
