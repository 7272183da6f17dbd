//! A converted request: method, path, headers and body segments.

mod path;

use aside_messages::wire::{ContentBlock, Request};
use aside_models::Wire;
use aside_rules::{max_body_bytes, table};
use bytes::Bytes;

use crate::capabilities::{Betas, GlobalScope};
use crate::loss::ConversionLoss;
use crate::names::{Names, given_id};
use crate::options::{Options, ResponseMode};
use crate::provider_spec::{Framing, ProviderSpec, WireDialect, WireSpec};
use crate::refused::RefusedError;

pub(crate) use path::path;

/// A converted request, ready to send: you add only the base URL and your credentials.
///
/// ```text
/// POST {base}/v1/messages
/// content-type: application/json
/// accept: text/event-stream
/// anthropic-version: 2023-06-01
///
/// {"model":"claude-opus-5-5","max_tokens":64,"stream":true,"messages":[…]}
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outgoing {
    /// The HTTP method, always `POST`.
    pub method: &'static str,
    /// The path and query to append to the base URL, percent-encoded. It begins with `/`, such as
    /// `/v1/messages`.
    pub path: String,
    /// The headers, in lower case, without credentials. To add `content-length`, use
    /// [`Outgoing::body_len`].
    pub headers: Vec<(&'static str, String)>,
    /// The body's bytes, in order. Messages that you sent before share theirs with earlier
    /// requests. Send the segments one after the other, and you need no copy of the whole body.
    pub segments: Vec<Bytes>,
    /// What the conversion lost. A [`Converter`](crate::Converter) reports a loss with the first
    /// request that has it.
    pub losses: Vec<ConversionLoss>,
    /// The model, by the provider's name. It can differ from the one that you requested
    /// ([`ModelChoice`](crate::ModelChoice)).
    pub model: String,
    /// How the response will be delivered.
    pub delivery: ResponseMode,
    /// The wire to read the response with.
    pub wire: WireDialect,
    /// Which names were replaced, to read the response with.
    pub names: Names,
}

impl Outgoing {
    /// Returns how many bytes the body has.
    ///
    /// Linear in the number of segments, of which there are few.
    #[must_use]
    pub fn body_len(&self) -> usize {
        self.segments.iter().map(Bytes::len).sum()
    }

    /// Copies the body into one piece.
    ///
    /// It is one JSON object, with no newline at the end.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        self.segments.concat()
    }

    /// Returns the tools with another name in this body than in its request, and the first call
    /// with another id than its server gave it.
    #[must_use]
    pub fn renamed(&self, request: &Request) -> Vec<ConversionLoss> {
        let replacements = self.names.replacements();
        let tools = request.tools.iter().enumerate();
        let mut renamed: Vec<_> = tools
            .filter_map(|(index, tool)| {
                let sent = replacements.get(&*tool.name)?;
                Some(ConversionLoss::renamed_tool(index, &tool.name, sent))
            })
            .collect();
        let is_own = self.wire.wire() == Wire::Messages;
        let messages = request.messages.iter().enumerate();
        let blocks = messages.flat_map(|(message, it)| {
            let blocks = it.content.iter().enumerate();
            blocks.map(move |(block, it)| (message, block, it))
        });
        let first = blocks.into_iter().find_map(|(message, block, it)| {
            let ContentBlock::ToolUse(call) = it else {
                return None;
            };
            let given = given_id(&call.id);
            let sent = if is_own {
                (*given != *call.id).then_some(&*call.id)
            } else {
                replacements.get(&*given).copied()
            }?;
            let path = format_args!("messages[{message}].content[{block}].id");
            let what = format!("{given:?} is sent as {sent:?}, and so are others like it");
            Some(ConversionLoss::new(path, what))
        });
        renamed.extend(first);
        renamed
    }
}

/// A request's body, with further facts.
///
/// A wire's writer returns this; an [`Envelope`] makes it an [`Outgoing`].
pub(crate) struct Written {
    pub(crate) segments: Vec<Bytes>,
    /// The losses that are new in this request.
    pub(crate) losses: Vec<ConversionLoss>,
    /// The names replaced so far.
    pub(crate) names: Names,
}

/// A request without a body.
pub(crate) struct Envelope<'a> {
    pub(crate) spec: &'static ProviderSpec,
    /// The wire that serves the model.
    pub(crate) wire: &'static WireSpec,
    /// The model to put in the path, by the provider's name.
    pub(crate) model: String,
    /// Decides the path and the `accept` header.
    pub(crate) delivery: ResponseMode,
    /// The options, with the request's beta features.
    pub(crate) options: &'a Options,
}

impl Envelope<'_> {
    /// Puts the body in.
    ///
    /// # Errors
    /// When the body is too long for the platform, or the model cannot be in the path.
    pub(crate) fn around(self, written: Written) -> Result<Outgoing, RefusedError> {
        let paths = &self.wire.paths;
        let template = match self.delivery {
            ResponseMode::Whole => paths.whole,
            ResponseMode::Streamed => paths.stream,
        };
        let Written { segments, losses, mut names } = written;
        let len = segments.iter().map(Bytes::len).sum();
        self.check_size(len)?;
        names.seed(len, segments.iter().rev().map(|segment| &segment[..]));
        Ok(Outgoing {
            method: "POST",
            path: path(template, &self.model)?,
            headers: self.headers(),
            segments,
            losses,
            delivery: self.delivery,
            wire: self.wire.wire,
            names,
            model: self.model,
        })
    }

    /// Returns the body's `stream` key: true for a streamed response, or else the request's value.
    pub(crate) fn stream_key(&self, request: &Request) -> Option<bool> {
        match self.delivery {
            ResponseMode::Streamed => Some(true),
            ResponseMode::Whole => request.stream,
        }
    }

    /// Refuses a body that is longer than the platform takes.
    ///
    /// This checks the limits at Anthropic and the clouds that serve its models: 20 MiB for
    /// Bedrock's `InvokeModel`, 30 MiB for Google Cloud, 32 MiB elsewhere. `len` is in bytes.
    fn check_size(&self, len: usize) -> Result<(), RefusedError> {
        let platform = self.spec.platform;
        let limit = max_body_bytes(platform);
        if platform.is_anthropic() && len > limit {
            let found = format!("{len} bytes, {platform} takes {limit}");
            return Err(RefusedError::one(&table::BODY_SIZE, "body", found));
        }
        Ok(())
    }

    /// Puts in the body to count tokens, and uses the path to count them; there are no losses and
    /// no names.
    pub(crate) fn around_count(self, body: Vec<u8>) -> Result<Outgoing, RefusedError> {
        let template = self.wire.paths.count.unwrap_or_default();
        let path = path(template, &self.model)?;
        let written =
            Written { segments: vec![body.into()], losses: Vec::new(), names: Names::default() };
        Ok(Outgoing { path, ..self.around(written)? })
    }

    /// Returns the headers, without credentials: media types for body and response, and those that
    /// the Messages API needs.
    fn headers(&self) -> Vec<(&'static str, String)> {
        let accept = match (self.delivery, self.spec.framing) {
            (ResponseMode::Whole, _) => "application/json",
            (ResponseMode::Streamed, Framing::ServerSentEvents) => "text/event-stream",
            (ResponseMode::Streamed, Framing::AwsEventStream) => {
                "application/vnd.amazon.eventstream"
            }
        };
        let mut headers =
            vec![("content-type", "application/json".to_owned()), ("accept", accept.to_owned())];
        headers.extend(self.options.anthropic_headers(self.spec, &self.wire.wire));
        headers
    }
}

impl Options {
    /// Returns the API version and the beta features, if they are headers. On other wires there are
    /// none.
    pub(crate) fn anthropic_headers(
        &self,
        spec: &ProviderSpec,
        wire: &WireDialect,
    ) -> Vec<(&'static str, String)> {
        let mut headers = Vec::new();
        if let WireDialect::Messages(dialect) = wire
            && dialect.version_header
        {
            headers.push(("anthropic-version", self.api_version.as_str().to_owned()));
        }
        let betas = spec.capabilities(GlobalScope::Disabled).betas;
        if betas == Betas::Header && !self.betas.is_empty() {
            headers.push(("anthropic-beta", self.betas.join(",")));
        }
        headers
    }
}
