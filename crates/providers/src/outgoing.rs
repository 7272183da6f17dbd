//! A converted request: method, path, headers and the segments of its body.

mod path;

use aside_messages::max_body_bytes;
use bytes::Bytes;

use crate::capabilities::{Betas, GlobalScope};
use crate::loss::ConversionLoss;
use crate::names::Names;
use crate::options::{Options, ResponseMode};
use crate::provider_spec::{Framing, ProviderSpec, WireDialect, WireSpec};
use crate::refused::RefusedError;

pub(crate) use path::path;

/// A converted request, ready to be sent: everything but the base address and
/// the credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outgoing {
    /// The HTTP method.
    pub method: &'static str,
    /// The path and the query after the base address, percent-encoded.
    pub path: String,
    /// The headers, in lower case, without credentials.
    pub headers: Vec<(&'static str, String)>,
    /// The bytes of the body, in order. Those of messages that were sent before
    /// are shared with earlier requests.
    pub segments: Vec<Bytes>,
    /// The conversion losses. A [`Converter`](crate::Converter) reports a loss
    /// with the first request that has it.
    pub losses: Vec<ConversionLoss>,
    /// The model, by the provider's name.
    pub model: String,
    /// The delivery of the response.
    pub delivery: ResponseMode,
    /// The wire, for reading the response.
    pub wire: WireDialect,
    /// The names that were replaced, for reading the response.
    pub names: Names,
}

impl Outgoing {
    /// Returns the number of bytes of the body.
    #[must_use]
    pub fn body_len(&self) -> usize {
        self.segments.iter().map(Bytes::len).sum()
    }

    /// Copies the body into one piece.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        self.segments.concat()
    }
}

/// The body of a request, with further facts.
pub(crate) struct Written {
    pub(crate) segments: Vec<Bytes>,
    pub(crate) losses: Vec<ConversionLoss>,
    pub(crate) names: Names,
}

/// A request without a body.
pub(crate) struct Envelope<'a> {
    pub(crate) spec: &'static ProviderSpec,
    pub(crate) wire: &'static WireSpec,
    pub(crate) model: String,
    pub(crate) delivery: ResponseMode,
    pub(crate) options: &'a Options,
}

impl Envelope<'_> {
    /// Puts the body in.
    pub(crate) fn around(self, written: Written) -> Result<Outgoing, RefusedError> {
        let paths = &self.wire.paths;
        let template = match self.delivery {
            ResponseMode::Whole => paths.whole,
            ResponseMode::Streamed => paths.stream,
        };
        let Written {
            segments,
            losses,
            mut names,
        } = written;
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

    /// Refuses a body that is longer than the platform takes.
    fn check_size(&self, len: usize) -> Result<(), RefusedError> {
        let platform = self.spec.platform;
        let limit = max_body_bytes(platform);
        if platform.is_anthropic() && len > limit {
            let found = format!("{len} bytes, {platform} takes {limit}");
            return Err(RefusedError::one("body-size", "body", found));
        }
        Ok(())
    }

    /// Puts the body of a request to count tokens in.
    pub(crate) fn around_count(self, body: Vec<u8>) -> Result<Outgoing, RefusedError> {
        let template = self.wire.paths.count.unwrap_or_default();
        let path = path(template, &self.model)?;
        let written = Written {
            segments: vec![body.into()],
            losses: Vec::new(),
            names: Names::default(),
        };
        Ok(Outgoing {
            path,
            ..self.around(written)?
        })
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let accept = match (self.delivery, self.spec.framing) {
            (ResponseMode::Whole, _) => "application/json",
            (ResponseMode::Streamed, Framing::ServerSentEvents) => "text/event-stream",
            (ResponseMode::Streamed, Framing::AwsEventStream) => {
                "application/vnd.amazon.eventstream"
            }
        };
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", accept.to_owned()),
        ];
        headers.extend(self.options.anthropic_headers(self.spec, &self.wire.wire));
        headers
    }
}

impl Options {
    /// Returns the version of the API and the beta features, if they are headers.
    pub(crate) fn anthropic_headers(
        &self,
        spec: &ProviderSpec,
        wire: &WireDialect,
    ) -> Vec<(&'static str, String)> {
        let mut headers = Vec::new();
        if let WireDialect::Messages(dialect) = wire
            && dialect.version_header
        {
            headers.push(("anthropic-version", self.version().to_owned()));
        }
        let betas = spec.capabilities(GlobalScope::Disabled).betas;
        if betas == Betas::Header && !self.betas.is_empty() {
            headers.push(("anthropic-beta", self.betas.join(",")));
        }
        headers
    }
}
