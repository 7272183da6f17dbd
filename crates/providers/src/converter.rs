//! The public entry points: a converter for a session's requests, and functions to convert a single
//! request.
//!
//! Every request is checked against the provider's rules first, so you never send one that would be
//! refused.

mod session;

use aside_messages::encode::{Body, HistoryPosition};
use aside_messages::wire::Request;

use crate::admission::Scope;
use crate::admission::Target;
use crate::options::{Options, ResponseMode};
use crate::outgoing::{Envelope, Outgoing};
use crate::provider_spec::ProviderSpec;
use crate::refused::RefusedError;
use crate::{gemini, openai, responses};

use self::session::{Session, Writer, exchange};

/// Converts a session's requests for one provider.
///
/// Closed messages are converted and encoded once. If you promise that they are lowered
/// ([`Converter::of_lowered`]), they are also checked once: the work for a request is then
/// proportional to its new part. On the Messages API's wires, only the parameters are written;
/// tools, system prompt and messages are sent in their encoded form.
///
/// When you pass a request from another session, or one whose history restarted, this converts it
/// from the start.
///
/// You get each loss once: a request that repeats a closed message does not repeat its losses.
#[derive(Debug)]
pub struct Converter {
    spec: &'static ProviderSpec,
    options: Options,
    /// Where the messages come from.
    scope: Scope,
    /// What all requests so far have in common; replaced when a request does not continue it.
    session: Session,
}

impl Converter {
    /// Creates a converter to use when your messages may break any rule. It checks each request as
    /// a whole.
    #[must_use]
    pub fn new(provider: impl Into<&'static ProviderSpec>, options: Options) -> Self {
        Self::in_scope(provider.into(), options, Scope::Any)
    }

    /// Creates a converter to use when your messages come from a
    /// [`Lowerer`](aside_messages::lower::Lowerer). They cannot break the rules in
    /// [`guaranteed`](aside_rules::guaranteed), so this skips those, and checks a closed message
    /// once.
    #[must_use]
    pub fn of_lowered(provider: impl Into<&'static ProviderSpec>, options: Options) -> Self {
        Self::in_scope(provider.into(), options, Scope::Lowered)
    }

    fn in_scope(spec: &'static ProviderSpec, options: Options, scope: Scope) -> Self {
        Self { spec, session: Session::new(spec, String::new(), &options, scope), options, scope }
    }

    /// Returns true if the request continues those before it, or is the first.
    ///
    /// If not, the next conversion starts over, which costs as much as the first request.
    #[must_use]
    pub fn continues(&self, body: &Body) -> bool {
        self.session.continues(body)
    }

    /// Returns true if the converted session was dropped.
    ///
    /// If you keep a converter for each session, you can drop the idle ones. A converter is not
    /// idle before it has converted anything.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let position = self.session.position.as_ref();
        position.is_some_and(HistoryPosition::is_dead)
    }

    /// Writes a request to send to the provider.
    ///
    /// # Errors
    /// When the provider or the model would refuse the request. Each finding names its rule and
    /// place.
    ///
    /// A refused request is not recorded, so you can correct it and try again.
    pub fn outgoing(&mut self, body: &Body) -> Result<Outgoing, RefusedError> {
        let parameters = body.parts().parameters;
        let model = self.options.model(self.spec, &parameters.model);
        if self.session.model != model || !self.session.continues(body) {
            self.session = Session::new(self.spec, model, &self.options, self.scope);
        }
        let session = &mut self.session;
        let known = session.position.as_ref().map_or(0, HistoryPosition::len);
        let target = Target { spec: self.spec, model: &session.model, options: &self.options };
        let findings = session.admission.findings(body, target);
        if !findings.is_empty() {
            return Err(RefusedError::new(findings));
        }
        let repaired = self.session.repair_tools(&body.parts());
        let written = repaired.and_then(|()| self.write(body, known));
        if written.is_err() {
            // Check before anything is written.
            let model = self.session.model.clone();
            self.session = Session::new(self.spec, model, &self.options, self.scope);
        } else {
            self.session.position = Some(body.parts().history.position());
        }
        written
    }

    /// Writes a checked request, whose first `known` messages were already closed. If it needs beta
    /// features, this adds them to those in the options.
    fn write(&mut self, body: &Body, known: usize) -> Result<Outgoing, RefusedError> {
        let options = &self.options.with_betas(&body.betas());
        let session = &mut self.session;
        let mut parts = body.parts();
        let repaired = session.tools.as_ref().and_then(|(_, repaired)| repaired.as_ref());
        if let Some(repaired) = repaired {
            parts.tools = &repaired.tools;
        }
        let envelope = Envelope {
            spec: self.spec,
            wire: session.wire,
            model: session.model.clone(),
            delivery: options.delivery(parts.parameters),
            options,
        };
        let mut written = match &mut session.writer {
            Writer::Messages(writer, dialect) => match repaired {
                Some(repaired) => writer.write(&repaired.apply(body), &envelope, dialect),
                None => writer.write(body, &envelope, dialect),
            },
            Writer::Responses(bodies) => {
                let head = |names: &mut _, writer: &responses::Writer| {
                    responses::head(&parts, &envelope, writer, names)
                };
                bodies.write(&parts, known, head)?
            }
            Writer::Chat(bodies, dialect) => {
                let head = |names: &mut _, _: &_| openai::head(&parts, &envelope, *dialect, names);
                bodies.write(&parts, known, head)?
            }
            Writer::Gemini(bodies) => {
                let head = |names: &mut _, _: &_| gemini::head(&parts, &envelope.model, names);
                bodies.write(&parts, known, head)?
            }
        };
        if let Some(repaired) = repaired {
            let is_new = |loss: &&_| {
                !session.reported.contains(*loss) && session.reported.insert((*loss).clone())
            };
            let new = repaired.losses.iter().filter(is_new).cloned();
            written.losses.splice(0..0, new);
            written.names.set_keys(repaired.keys.clone());
        }
        let requested = &parts.parameters.model;
        let exchange = exchange(requested, &session.model, self.spec, options.server);
        if let Some(loss) = exchange.filter(|it| session.exchange.as_ref() != Some(it)) {
            written.losses.insert(0, loss.clone());
            session.exchange = Some(loss);
        }
        envelope.around(written)
    }
}

/// Writes a single request for a provider. To send several from one session, use [`Converter`].
///
/// # Errors
/// See [`Converter::outgoing`].
pub fn outgoing(
    body: &Body,
    provider: impl Into<&'static ProviderSpec>,
    options: &Options,
) -> Result<Outgoing, RefusedError> {
    Converter::new(provider, options.clone()).outgoing(body)
}

/// Writes your own request for a provider. Your cache markers stay where they are.
///
/// ```
/// use aside_messages::wire::Request;
/// use aside_providers::{Options, Provider, convert};
///
/// let json = r#"{"model":"gpt-4.1","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#;
/// let request = Request::parse(json.as_bytes())?.value;
/// let outgoing = convert(&request, Provider::OpenAi, &Options::default())?;
/// assert_eq!(
///     String::from_utf8(outgoing.body())?,
///     r#"{"model":"gpt-4.1","max_completion_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// See [`Converter::outgoing`].
pub fn convert(
    request: &Request,
    provider: impl Into<&'static ProviderSpec>,
    options: &Options,
) -> Result<Outgoing, RefusedError> {
    Converter::new(provider, options.clone()).outgoing(&Body::verbatim(request))
}

impl Options {
    /// Options override the request's `stream`.
    fn delivery(&self, parameters: &Request) -> ResponseMode {
        self.delivery.unwrap_or(match parameters.stream {
            Some(true) => ResponseMode::Streamed,
            _ => ResponseMode::Whole,
        })
    }
}
