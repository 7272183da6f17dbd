use std::borrow::Cow;
use std::io;

use aside_messages::wire::Request;
use serde::Serialize;

use crate::convert::Options;
use crate::loss::Loss;
use crate::provider::Provider;

/// The beta feature without which `context_management` is refused.
pub(crate) const CONTEXT_MANAGEMENT: &str = "context-management-2025-06-27";

const BEDROCK: &str = "bedrock-2023-05-31";
const VERTEX: &str = "vertex-2023-10-16";

/// The body for a provider that speaks the Messages API.
pub(crate) fn body(
    request: &Request,
    model: &str,
    provider: Provider,
    options: &Options,
    losses: &mut Vec<Loss>,
) -> Result<Vec<u8>, serde_json::Error> {
    let request = adapt(request, model, provider, options, losses);
    match provider {
        Provider::Bedrock => {
            let head = Head::new(&options.body_version, BEDROCK, &options.betas);
            write_behind(head.bytes(&request)?, &request, Stream::Out)
        }
        Provider::Vertex => {
            let head = Head::new(&options.body_version, VERTEX, &[]);
            write_behind(head.bytes(&request)?, &request, Stream::Kept)
        }
        _ => serde_json::to_vec(&*request),
    }
}

/// The body of a request to count tokens: what does not count is left out.
/// Bedrock counts the body of an ordinary request, `max_tokens` included.
pub(crate) fn count_body(
    request: &Request,
    model: &str,
    provider: Provider,
    options: &Options,
) -> Result<Vec<u8>, serde_json::Error> {
    let counted = Request {
        model: model.to_owned(),
        max_tokens: request.max_tokens,
        thinking: request.thinking.clone(),
        tool_choice: request.tool_choice.clone(),
        output_config: request.output_config.clone(),
        cache_control: request.cache_control.clone(),
        tools: request.tools.clone(),
        system: request.system.clone(),
        messages: request.messages.clone(),
        ..Request::default()
    };
    if provider == Provider::Bedrock {
        return body(&counted, model, provider, options, &mut Vec::new());
    }
    let mut head = b"{".to_vec();
    if provider == Provider::Vertex {
        let version = options.body_version.as_deref().unwrap_or(VERTEX);
        let version = serde_json::to_string(version)?;
        head.extend_from_slice(format!("\"anthropic_version\":{version},").as_bytes());
    }
    let model = serde_json::to_string(model)?;
    head.extend_from_slice(format!("\"model\":{model}").as_bytes());
    write_behind(head, &counted, Stream::Kept)
}

/// Changes what this provider would refuse; mostly there is nothing.
fn adapt<'a>(
    request: &'a Request,
    model: &str,
    provider: Provider,
    options: &Options,
    losses: &mut Vec<Loss>,
) -> Cow<'a, Request> {
    let mut request = Cow::Borrowed(request);
    if request.model != model {
        request.to_mut().model = model.to_owned();
    }
    let has_beta = options.betas.iter().any(|beta| beta == CONTEXT_MANAGEMENT);
    if request.context_management.is_some() && !has_beta {
        request.to_mut().context_management = None;
        let what = "left out, because its beta feature is not asked for";
        losses.push(Loss::new("context_management", what));
    }
    let is_cloud = matches!(provider, Provider::Bedrock | Provider::Vertex);
    let is_head = |key: &str| matches!(key, "anthropic_version" | "anthropic_beta");
    if is_cloud && request.extra.0.iter().any(|(key, _)| is_head(key)) {
        request.to_mut().extra.0.retain(|(key, _)| !is_head(key));
        losses.push(Loss::new(
            "anthropic_version",
            "replaced by the one that is asked for",
        ));
    }
    if provider == Provider::Bedrock && request.cache_control.is_some() {
        mark_last(request.to_mut(), losses);
    }
    request
}

/// Bedrock has no automatic marker: the block that the API would mark gets it.
fn mark_last(request: &mut Request, losses: &mut Vec<Loss>) {
    let Some(control) = request.cache_control.take() else {
        return;
    };
    let blocks = request
        .messages
        .iter_mut()
        .flat_map(|message| &mut message.content);
    let system = request.system.iter_mut();
    let last = system.chain(blocks).rev().find(|block| block.is_markable());
    match last {
        Some(block) if block.cache_control().is_none() => block.mark(control),
        Some(_) => {}
        None => losses.push(Loss::new("cache_control", "no block can bear the marker")),
    }
}

/// What stands first in the body of a cloud.
#[derive(Serialize)]
struct Head<'a> {
    anthropic_version: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    anthropic_beta: &'a [String],
}

impl<'a> Head<'a> {
    fn new(version: &'a Option<String>, default: &'a str, betas: &'a [String]) -> Self {
        Self {
            anthropic_version: version.as_deref().unwrap_or(default),
            anthropic_beta: betas,
        }
    }

    /// The beginning of the body, up to `max_tokens`.
    fn bytes(&self, request: &Request) -> Result<Vec<u8>, serde_json::Error> {
        let mut out = serde_json::to_vec(self)?;
        out.pop();
        out.extend_from_slice(format!(",\"max_tokens\":{}", request.max_tokens).as_bytes());
        Ok(out)
    }
}

/// Whether the body has the key `stream`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    Kept,
    Out,
}

/// Writes a request behind a head that stands in the place of `model`,
/// `max_tokens` and, where it is taken out, `stream`: these stand first.
fn write_behind(
    head: Vec<u8>,
    request: &Request,
    stream: Stream,
) -> Result<Vec<u8>, serde_json::Error> {
    let model = serde_json::to_string(&request.model)?;
    let streams = match request.stream {
        Some(streams) if stream == Stream::Out => format!(",\"stream\":{streams}"),
        _ => String::new(),
    };
    let max_tokens = request.max_tokens;
    let beginning = format!("{{\"model\":{model},\"max_tokens\":{max_tokens}{streams}");
    let mut writer = Behind {
        out: head,
        replaced: beginning.as_bytes(),
    };
    serde_json::to_writer(&mut writer, request)?;
    Ok(writer.out)
}

/// Leaves out the bytes that the head replaces.
struct Behind<'a> {
    out: Vec<u8>,
    replaced: &'a [u8],
}

impl io::Write for Behind<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.replaced.is_empty() {
            self.out.extend_from_slice(bytes);
            return Ok(());
        }
        let length = bytes.len().min(self.replaced.len());
        let (replaced, later) = self.replaced.split_at(length);
        assert_eq!(
            replaced,
            &bytes[..length],
            "a request begins with model, max_tokens, stream"
        );
        self.replaced = later;
        self.out.extend_from_slice(&bytes[length..]);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
