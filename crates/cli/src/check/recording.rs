//! Recorded requests: bodies, with the headers and address used to send them.
//!
//! Some rules depend on what a body alone does not show: the API version, the
//! betas, the platform and the endpoint. `read` recognizes a recording by its
//! keys, `aside-request-logs` reads it, and `Recorded::context` adds what was
//! recorded to the rules set by arguments, which take precedence.
//!
//! | file | recognized by |
//! |---|---|
//! | HAR | the key `log` |
//! | a record of a proxy, or a line of a log | the key `request` |
//! | one request with its headers | the keys `headers` and `body` |
//! | a line of a batch | the key `custom_id`, with `params` or `body` |
//! | a batch at Anthropic | the key `requests` |
//! | the body of a request for batches or files | the same, or lines of a batch |
//! | a YAML cassette | a line that begins with `interactions:`, `requests:` or `when:` |
//! | a list | a JSON array of such objects only |

use std::collections::HashSet;

use aside_body::wire::{Keys, of_url};
use aside_models::{Platform, Wire};
use aside_request_logs::{Bytes, Exchange, Format, LogError, RecordedBody, read as read_log};
use aside_rules::{ApiEndpoint, ApiVersion, Context};
use serde_json::value::RawValue;

use super::bodies::is_value;
use super::other_form::{self, OtherForm};

/// Address parts to recognize endpoints that take an input but are not requests
/// to a chat model.
const OTHER_ENDPOINTS: [&str; 7] =
    ["/embeddings", "/moderations", "/images/", "/audio/", "/files", "/batches", "/compact"];

/// A recorded request.
///
/// When a field is `None`, it was not recorded, and rules that depend on it
/// follow the arguments.
pub(super) struct Recorded {
    /// Its number in the file, from 1, when the file has several.
    pub(super) number: Option<usize>,
    /// The body as sent, or as the recorder serialized it again.
    pub(super) body: Bytes,
    version: Option<ApiVersion>,
    /// The names in `anthropic-beta`. `None` when the headers are unknown or
    /// redacted: an empty list would claim that no beta was sent.
    betas: Option<Vec<String>>,
    /// The model, when it is named outside the body, such as in the address.
    model: Option<String>,
    /// The platform, when the address leaves no doubt.
    pub(super) platform: Option<Platform>,
    /// The endpoint, when the address or the batch shows it.
    endpoint: Option<ApiEndpoint>,
    /// The body's wire, when its address decides it.
    pub(super) wire: Option<Wire>,
    /// True when the address is for embeddings, files or the like: it is not checked.
    pub(super) is_other_endpoint: bool,
    /// The form that the address shows, when no rule describes it.
    pub(super) other_form: Option<OtherForm>,
    /// Its `custom_id` as JSON, when an earlier request of the batch has it, too.
    pub(super) doubled_id: Option<String>,
}

/// What the lines of a file, or the requests of a batch, know about each other.
#[derive(Default)]
pub(super) struct Before {
    /// The format of a coding agent's session: once a line shows that the file is one, the next
    /// lines belong to it, even if their own keys show nothing.
    session: Option<Format>,
    /// The values of `custom_id`, as JSON.
    ids: HashSet<Vec<u8>>,
}

/// Reads a recording: a HAR file, a YAML cassette, a JSON object with `request`
/// or with `headers` and `body`, a batch, or a list of such objects. Returns `None` for
/// anything else, such as a body by itself.
///
/// When an entry cannot be read, its error is in the list, next to the others.
pub(super) fn read(
    keys: &Keys<'_>,
    before: &mut Before,
) -> Option<Vec<Result<Recorded, LogError>>> {
    let text = keys.body();
    if text.trim_ascii_start().first() == Some(&b'[') {
        return read_list(text);
    }
    if let Some(list) = keys.value("requests").filter(|_| is_value(text)) {
        return read_list(list);
    }
    let found = format(keys);
    before.session = before.session.or(found.filter(|it| *it == Format::Transcript));
    let format = found.or_else(|| before.session.filter(|_| is_value(text)))?;
    let id = keys.value("custom_id");
    let is_batch = id.is_some();
    let is_doubled = |id: &&[u8]| !before.ids.insert(id.to_vec());
    let doubled = id.filter(is_doubled).map(|id| String::from_utf8_lossy(id).into_owned());
    let exchanges = read_log(text, Some(format));
    let is_document = matches!(format, Format::Har | Format::Cassette);
    let recorded = exchanges.filter_map(|it| match it {
        Ok(exchange) => {
            let recorded = recorded(exchange, is_document, is_batch)?;
            Some(Ok(Recorded { doubled_id: doubled.clone(), ..recorded }))
        }
        Err(error) => Some(Err(error)),
    });
    Some(recorded.collect())
}

/// Reads a list of recordings, as SDK snapshots are. Returns `None` unless
/// every item is a recording, to leave any other list to be checked as a body.
/// Numbers start at 1.
fn read_list(text: &[u8]) -> Option<Vec<Result<Recorded, LogError>>> {
    let entries: Vec<&RawValue> = serde_json::from_slice(text).ok()?;
    let mut before = Before::default();
    let read_one = |(index, entry): (usize, &&RawValue)| {
        before.session = None;
        let mut recorded = read(&Keys::read(entry.get().as_bytes()), &mut before)?;
        for it in recorded.iter_mut().flatten() {
            it.number = Some(index + 1);
        }
        Some(recorded)
    };
    let is_object = |entry: &&RawValue| entry.get().starts_with('{');
    if entries.is_empty() || !entries.iter().all(is_object) {
        return None;
    }
    let recorded: Option<Vec<_>> = entries.iter().enumerate().map(read_one).collect();
    recorded.map(|it| it.into_iter().flatten().collect())
}

/// Returns a recording's format, judging by its keys or, for YAML, by how a
/// line begins.
fn format(keys: &Keys<'_>) -> Option<Format> {
    let text = keys.body().trim_ascii_start();
    if text.first() == Some(&b'{') {
        let has = |key: &str| keys.has_value(key);
        let format = if has("log") {
            Format::Har
        } else if let Some(request) = keys.value("request") {
            let is_nested = Keys::read(request).has_value("body");
            if is_nested { Format::Proxy } else { Format::Plain }
        } else if has("body") && (has("headers") || has("t") || has("custom_id")) {
            // `t`: a log with its own times.
            Format::Plain
        } else if has("params") && has("custom_id") {
            Format::Plain
        } else {
            Format::of_keys(has)?
        };
        return is_value(text).then_some(format);
    }
    let mut lines = text.split(|byte| *byte == b'\n');
    let keys: [&[u8]; 4] = [b"interactions:", b"requests:", b"when:", b"- when:"];
    let is_cassette = lines.any(|line| keys.iter().any(|key| line.starts_with(key)));
    is_cassette.then_some(Format::Cassette)
}

/// Returns what an exchange shows about its request; `None` when the log has no
/// whole body.
///
/// `is_document` is true for HAR files and cassettes. Their recorders may omit
/// or redact headers, so betas count as known only when the version was
/// recorded too, or when a beta is named. A line of a batch has no headers.
fn recorded(exchange: Exchange, is_document: bool, is_batch: bool) -> Option<Recorded> {
    let header = |name: &str| {
        let mut headers = exchange.headers.iter();
        headers.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    };
    let version = header("anthropic-version").and_then(|it| it.parse().ok());
    // A document recorder may omit headers. When the version was recorded, so
    // were the betas.
    let has_headers = !(is_document || is_batch) || version.is_some();
    let betas: Vec<String> = header("anthropic-beta")
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .map(Into::into)
        .collect();
    let is_count = exchange.is_count();
    let url = exchange.url.unwrap_or_default();
    let endpoint = if is_batch {
        Some(ApiEndpoint::Batches)
    } else {
        is_count.then_some(ApiEndpoint::CountTokens)
    };
    // A recorder may redact the names.
    let is_name = |name: &String| {
        let is_in_name = |it: u8| it.is_ascii_alphanumeric() || it == b'-';
        name.bytes().all(is_in_name)
    };
    let is_known = betas.iter().all(is_name) && (has_headers || !betas.is_empty());
    let betas = is_known.then_some(betas);
    let body = match exchange.request {
        RecordedBody::Bytes(body) | RecordedBody::Reserialized(body) => body,
        _ => return None,
    };
    let other_form = other_form::of_url(&url);
    let is_other_endpoint = OTHER_ENDPOINTS.iter().any(|it| url.contains(it));
    Some(Recorded {
        number: is_document.then_some(exchange.line),
        body,
        version,
        betas,
        model: exchange.model,
        platform: server(&url).or_else(|| platform(exchange.provider.as_deref()?)),
        endpoint,
        wire: of_url(&url),
        is_other_endpoint,
        other_form,
        doubled_id: None,
    })
}

/// Returns the platform, when an address leaves no doubt.
///
/// `bedrock` means its InvokeModel API. Platforms that do not serve the
/// Messages API are ignored.
fn platform(provider: &str) -> Option<Platform> {
    match provider {
        "bedrock" => Some(Platform::BedrockInvoke),
        name => name.parse().ok().filter(|it: &Platform| it.is_anthropic()),
    }
}

/// Returns the platform whose rules apply to a server: look at its host, or assume a compatible
/// server on another wire than the Messages API. Returns `None` for any other server of that, and
/// for an address without a scheme.
fn server(url: &str) -> Option<Platform> {
    let wire = of_url(url)?;
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', ':', '?']).next()?;
    Some(match wire {
        Wire::Messages if host == "api.anthropic.com" => Platform::FirstParty,
        Wire::Messages => return None,
        _ if host == "api.openai.com" => Platform::OpenAi,
        _ if host.ends_with(".azure.com") => Platform::Azure,
        _ if host == "api.x.ai" => Platform::Xai,
        _ if host.ends_with(".googleapis.com") => Platform::Gemini,
        _ => Platform::Compatible,
    })
}

impl Recorded {
    /// Returns the requests of a batch that this one creates, or whose lines it uploads in a form;
    /// they have its headers and its number. `None` for another request.
    pub(super) fn batch(&self, keys: &Keys<'_>) -> Option<Vec<Result<Self, LogError>>> {
        let mut before = Before::default();
        let mut of_lines = || {
            let lines = self.body.split(|byte| *byte == b'\n').map(Keys::read);
            let lines = lines.filter(|it| it.has_value("custom_id") && is_value(it.body()));
            let all: Vec<_> = lines.filter_map(|it| read(&it, &mut before)).flatten().collect();
            Some(all).filter(|it| !it.is_empty())
        };
        let mut all = keys.value("requests").and_then(read_list).or_else(&mut of_lines)?;
        for it in all.iter_mut().flatten() {
            it.number = self.number;
            it.version = self.version;
            it.betas.clone_from(&self.betas);
            it.platform = it.platform.or(self.platform);
        }
        Some(all)
    }

    /// Returns the argument rules, completed by the recording.
    pub(super) fn context(&self, given: &Context) -> Context {
        let mut rules = given.clone();
        rules.version = rules.version.or(self.version);
        rules.betas = rules.betas.or_else(|| self.betas.clone());
        rules.model = rules.model.or_else(|| self.model.clone());
        rules.platform = rules.platform.or(self.platform);
        rules.endpoint = self.endpoint.unwrap_or(rules.endpoint);
        rules
    }
}
