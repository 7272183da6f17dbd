use std::borrow::Cow;

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
    let body = serde_json::to_vec(&*request)?;
    match provider {
        Provider::Bedrock => {
            let head = Head::new(&options.body_version, BEDROCK, &options.betas);
            rehead(&body, &request, &head, Stream::Out)
        }
        Provider::Vertex => {
            let head = Head::new(&options.body_version, VERTEX, &[]);
            rehead(&body, &request, &head, Stream::Kept)
        }
        _ => Ok(body),
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
    let body = serde_json::to_vec(&counted)?;
    let beginning = Beginning::of(&counted, Stream::Kept)?;
    let rest = beginning.strip(&body);
    let version = options.body_version.as_deref().unwrap_or(VERTEX);
    let mut out = b"{".to_vec();
    if provider == Provider::Vertex {
        let version = serde_json::to_string(version)?;
        out.extend_from_slice(format!("\"anthropic_version\":{version},").as_bytes());
    }
    let model = serde_json::to_string(model)?;
    out.extend_from_slice(format!("\"model\":{model}").as_bytes());
    out.extend_from_slice(rest);
    Ok(out)
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
}

/// Whether the body of the cloud has the key `stream`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    Kept,
    Out,
}

/// The first members of a written request.
struct Beginning {
    whole: String,
    max_tokens: String,
}

impl Beginning {
    fn of(request: &Request, stream: Stream) -> Result<Self, serde_json::Error> {
        let max_tokens = format!("\"max_tokens\":{}", request.max_tokens);
        let streams = match request.stream {
            Some(streams) if stream == Stream::Out => format!(",\"stream\":{streams}"),
            _ => String::new(),
        };
        let model = serde_json::to_string(&request.model)?;
        Ok(Self {
            whole: format!("{{\"model\":{model},{max_tokens}{streams}"),
            max_tokens,
        })
    }

    /// What stands behind them.
    fn strip<'a>(&self, body: &'a [u8]) -> &'a [u8] {
        body.strip_prefix(self.whole.as_bytes())
            .expect("a request begins with model, max_tokens and stream")
    }
}

/// Puts the head in the place of `model`, and of `stream` where it is taken
/// out. Both stand at the beginning, so that the rest is copied as it is.
fn rehead(
    body: &[u8],
    request: &Request,
    head: &Head<'_>,
    stream: Stream,
) -> Result<Vec<u8>, serde_json::Error> {
    let beginning = Beginning::of(request, stream)?;
    let mut out = serde_json::to_vec(head)?;
    out.pop();
    out.push(b',');
    out.extend_from_slice(beginning.max_tokens.as_bytes());
    out.extend_from_slice(beginning.strip(body));
    Ok(out)
}
