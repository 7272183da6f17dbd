//! The public entry points of the conversion: a converter for the requests of a session, and
//! functions for a single request.
//!
//! Each request is checked against the rules of the provider first, so a request that would be
//! refused is never sent.

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

/// Converts the requests of a session for one provider.
///
/// Messages that are closed are converted and encoded once, and checked once if they are known to be
/// lowered ([`Converter::of_lowered`]): the work for a request is then proportional to its new part.
/// On the wires of the Messages API only the parameters are written; tools, system prompt and
/// messages are sent in their encoded form.
///
/// Requests of another session, or of one with a restarted history, are
/// converted from the start.
///
/// Losses are reported once: a request that repeats a closed message does not repeat its losses.
#[derive(Debug)]
pub struct Converter {
    /// The row of the provider.
    spec: &'static ProviderSpec,
    /// The options of every request.
    options: Options,
    /// The origin of the messages.
    scope: Scope,
    /// The common prefix of the requests so far; replaced if a request does not continue it.
    session: Session,
}

impl Converter {
    /// Creates a converter of requests whose messages may break any rule. It checks each request as a
    /// whole.
    #[must_use]
    pub fn new(provider: impl Into<&'static ProviderSpec>, options: Options) -> Self {
        Self::in_scope(provider.into(), options, Scope::Any)
    }

    /// Creates a converter of requests whose messages are those of a
    /// [`Lowerer`](aside_messages::lower::Lowerer). They break no rule of
    /// [`guaranteed`](aside_rules::guaranteed), so it does not check these, and checks a closed
    /// message once.
    #[must_use]
    pub fn of_lowered(provider: impl Into<&'static ProviderSpec>, options: Options) -> Self {
        Self::in_scope(provider.into(), options, Scope::Lowered)
    }

    fn in_scope(spec: &'static ProviderSpec, options: Options, scope: Scope) -> Self {
        Self {
            spec,
            session: Session::new(spec, String::new(), &options, scope),
            options,
            scope,
        }
    }

    /// Returns true if the request continues those that were written before, or
    /// if there were none.
    ///
    /// If not, the next conversion starts over, which costs as much as the first request.
    #[must_use]
    pub fn continues(&self, body: &Body) -> bool {
        self.session.continues(body)
    }

    /// Returns true if the session of the converted requests was dropped.
    ///
    /// A program that keeps a converter for each session can drop an idle one. A converter that has
    /// converted nothing is not idle.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let position = self.session.position.as_ref();
        position.is_some_and(HistoryPosition::is_dead)
    }

    /// Writes a request for the provider.
    ///
    /// # Errors
    /// If the provider or the model would refuse the request; each finding has the name of its
    /// rule and its place.
    ///
    /// A refused request is not recorded, so a corrected one can follow.
    pub fn outgoing(&mut self, body: &Body) -> Result<Outgoing, RefusedError> {
        let parameters = body.parts().parameters;
        let model = self.options.model(self.spec, &parameters.model);
        if self.session.model != model || !self.session.continues(body) {
            self.session = Session::new(self.spec, model, &self.options, self.scope);
        }
        let session = &mut self.session;
        let known = session.position.as_ref().map_or(0, HistoryPosition::len);
        let target = Target {
            spec: self.spec,
            model: &session.model,
            options: &self.options,
        };
        let findings = session.admission.findings(body, target);
        if !findings.is_empty() {
            return Err(RefusedError::new(findings));
        }
        let repaired = self.session.repair_tools(&body.parts());
        let written = repaired.and_then(|()| self.write(body, known));
        if written.is_err() {
            // The check is ahead of the writer.
            let model = self.session.model.clone();
            self.session = Session::new(self.spec, model, &self.options, self.scope);
        } else {
            self.session.position = Some(body.parts().history.position());
        }
        written
    }

    /// Writes a request that was checked, of which the first `known` messages were closed before.
    /// The beta features that the request needs are added to those of the options.
    fn write(&mut self, body: &Body, known: usize) -> Result<Outgoing, RefusedError> {
        let options = &self.options.with_betas(&body.betas());
        let session = &mut self.session;
        let mut parts = body.parts();
        let repaired = session
            .tools
            .as_ref()
            .and_then(|(_, repaired)| repaired.as_ref());
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
        let exchange = exchange(&parts.parameters.model, &session.model);
        if let Some(loss) = exchange.filter(|it| session.exchange.as_ref() != Some(it)) {
            written.losses.insert(0, loss.clone());
            session.exchange = Some(loss);
        }
        envelope.around(written)
    }
}

/// Writes one request for a provider, as a [`Converter`] that sees no other.
///
/// # Errors
/// As [`Converter::outgoing`].
pub fn outgoing(
    body: &Body,
    provider: impl Into<&'static ProviderSpec>,
    options: &Options,
) -> Result<Outgoing, RefusedError> {
    Converter::new(provider, options.clone()).outgoing(body)
}

/// Writes a request of the caller for a provider. Its cache markers stay in
/// place.
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
/// As [`Converter::outgoing`].
pub fn convert(
    request: &Request,
    provider: impl Into<&'static ProviderSpec>,
    options: &Options,
) -> Result<Outgoing, RefusedError> {
    Converter::new(provider, options.clone()).outgoing(&Body::verbatim(request))
}

impl Options {
    /// Returns the delivery that is set, else that of the parameter `stream`.
    fn delivery(&self, parameters: &Request) -> ResponseMode {
        self.delivery.unwrap_or(match parameters.stream {
            Some(true) => ResponseMode::Streamed,
            _ => ResponseMode::Whole,
        })
    }
}
