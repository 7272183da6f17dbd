//! Checks cache markers: those to insert into a request, and those in its own blocks.
//!
//! Only the inserted markers and the automatic one are typed. When other bytes in the request have
//! the key `cache_control`, those bytes are checked.

use std::fmt;
use std::sync::LazyLock;

use aside_messages::encode::{BlockRef, Body, Encoded};
use aside_messages::wire::{CacheControl, Request, Ttl};
use aside_models::Wire;
use aside_rules::of::markers::{Marker, late_hours, other_lifetime, over_limit};
use aside_rules::{check as check_body, markers_in, table};
use memchr::memmem;

use super::findings::Findings;
use super::last;

/// The key as it is written. In a string, its quotes would be escaped.
const KEY: &[u8] = b"\"cache_control\"";

/// The markers before the messages that are not inserted.
#[derive(Clone, Debug, Default)]
pub(super) struct PrefixMarkers {
    /// On tools and system prompt.
    explicit: Vec<Marker<Place>>,
    automatic: Option<Marker<Place>>,
}

/// A marker's path. Most requests have no fault to name one in.
#[derive(Clone, Debug)]
enum Place {
    /// On a block.
    Inserted(BlockRef),
    Own(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inserted(at) => write!(f, "{at}.cache_control"),
            Self::Own(path) => f.write_str(path),
        }
    }
}

impl Place {
    /// Returns the section and the indices, counted from 1, in cache order.
    ///
    /// ```text
    /// messages[3].content[0].cache_control → [2, 4, 1, 0]
    /// ```
    fn order(&self) -> [usize; 4] {
        let path = match self {
            Self::Inserted(BlockRef::Tool(index)) => return [0, index + 1, 0, 0],
            Self::Inserted(BlockRef::System(index)) => return [1, index + 1, 0, 0],
            Self::Inserted(BlockRef::Message { message, block }) => {
                return [2, message + 1, block + 1, 0];
            }
            Self::Own(path) => path,
        };
        let sections = ["tools", "system", "messages"];
        let section = sections.iter().position(|it| path.starts_with(it));
        let mut order = [section.unwrap_or(sections.len()), 0, 0, 0];
        let indices = path.split(['[', ']']).filter_map(|it| it.parse().ok());
        for (place, index) in order[1..].iter_mut().zip(indices) {
            *place = 1_usize.saturating_add(index);
        }
        order
    }
}

impl PrefixMarkers {
    /// Checks the markers on parameters, tools and system prompt. Only the Messages API has some.
    pub(super) fn check(found: &mut Findings<'_>, body: &Body) -> Self {
        if found.wire() != Wire::Messages {
            return Self::default();
        }
        let parts = body.parts();
        let mut explicit = of_member(found, "tools", parts.tools);
        explicit.extend(of_member(found, "system", parts.system));
        Self { explicit, automatic: of_parameters(found, body, parts.parameters) }
    }
}

/// Checks a request's markers. Its first `known` messages were checked before.
pub(super) fn check(found: &mut Findings<'_>, body: &Body, known: usize, prefix: &PrefixMarkers) {
    let parts = body.parts();
    let mut markers = prefix.explicit.clone();
    let automatic = &prefix.automatic;
    for (marker, block) in body.inserted_markers() {
        let place = Place::Inserted(marker.at);
        if block.is_none_or(|block| !block.is_markable) {
            let value = "a block that takes no marker";
            found.add(&table::MARKER_PLACE, place.to_string(), value);
        }
        markers.push(placed(found, place, &marker.control));
    }
    let messages = parts.history.messages_from(known).chain(parts.tail);
    for (index, message) in messages.enumerate() {
        markers.extend(of_message(found, known + index, message));
    }
    markers.sort_by_key(|marker| marker.path.order());
    let on_last =
        automatic.as_ref().zip(last(&parts)).and_then(|(automatic, (message, encoded))| {
            let block = encoded.blocks().len().saturating_sub(1);
            let last = Place::Inserted(BlockRef::Message { message, block }).order();
            let on_last = markers.iter().find(|it| it.path.order() == last)?;
            if let Some(value) = other_lifetime(automatic, on_last) {
                found.add(&table::MARKER_AUTOMATIC, "cache_control", value);
            }
            Some(on_last)
        });
    let in_order = automatic.iter().filter(|_| on_last.is_none());
    let late: Vec<_> = late_hours(markers.iter().chain(in_order)).collect();
    for (path, value) in late {
        found.add(&table::MARKER_TTL, path.to_string(), value);
    }
    let over = over_limit(markers.iter().chain(automatic));
    if let Some((path, value)) = over.map(|(path, value)| (path.to_string(), value)) {
        found.add(&table::MARKER_LIMIT, path, value);
    }
}

/// Checks a marker whose block or request is known, and reads it.
fn placed(found: &mut Findings<'_>, path: Place, control: &CacheControl) -> Marker<Place> {
    let is_hour = match control {
        CacheControl::Ephemeral { ttl, global } => {
            if *global {
                let path = format!("{path}.scope");
                found.add(&table::GLOBAL_SCOPE, path, "\"global\"");
            }
            *ttl == Some(Ttl::OneHour)
        }
        CacheControl::Other(raw) => {
            let raw = raw.get();
            let body =
                format!(r#"{{"system":[{{"type":"text","text":"a","cache_control":{raw}}}]}}"#);
            let read = in_bytes(found, body.as_bytes(), |at| {
                at.replacen("system[0].cache_control", &path.to_string(), 1)
            });
            read.first().is_some_and(|it| it.is_hour)
        }
    };
    Marker { path, is_hour }
}

/// Checks the markers in a part's bytes. `body` makes a body with only this part, and `rename`
/// turns its paths into the request's.
///
/// Inserted markers are not in the bytes, so few parts have any.
fn in_part(
    found: &mut Findings<'_>,
    bytes: &[u8],
    body: impl FnOnce() -> Vec<u8>,
    rename: impl Fn(&str) -> String,
) -> Vec<Marker<Place>> {
    static KEY_FINDER: LazyLock<memmem::Finder<'static>> =
        LazyLock::new(|| memmem::Finder::new(KEY));
    match KEY_FINDER.find(bytes) {
        Some(_) => in_bytes(found, &body(), rename),
        None => Vec::new(),
    }
}

/// `key` is `tools` or `system`.
fn of_member(found: &mut Findings<'_>, key: &str, value: &Encoded) -> Vec<Marker<Place>> {
    let bytes = value.bytes();
    let body = || [b"{\"", key.as_bytes(), b"\":", bytes, b"}"].concat();
    in_part(found, bytes, body, str::to_owned)
}

fn of_message(found: &mut Findings<'_>, index: usize, encoded: &Encoded) -> Vec<Marker<Place>> {
    let bytes = encoded.bytes();
    let body = || [b"{\"messages\":[", bytes, b"]}"].concat();
    let path = format!("messages[{index}]");
    in_part(found, bytes, body, |at| at.replacen("messages[0]", &path, 1))
}

/// Returns the automatic marker.
fn of_parameters(
    found: &mut Findings<'_>,
    body: &Body,
    parameters: &Request,
) -> Option<Marker<Place>> {
    let automatic = parameters.cache_control.as_ref();
    let automatic =
        automatic.map(|control| placed(found, Place::Own("cache_control".to_owned()), control));
    let bytes = body.chunks().next().map_or(&b""[..], |chunk| chunk);
    if memmem::find_iter(bytes, KEY).count() > usize::from(automatic.is_some()) {
        // Without the automatic marker, which was checked.
        let parameters = Request {
            cache_control: None,
            tools: Vec::new(),
            system: Vec::new(),
            messages: Vec::new(),
            ..parameters.clone()
        };
        let json = serde_json::to_vec(&parameters).unwrap_or_default();
        in_bytes(found, &json, str::to_owned);
    }
    automatic
}

/// Checks markers in a body's bytes, their form and their places, and reads those on tools and
/// blocks.
fn in_bytes(
    found: &mut Findings<'_>,
    body: &[u8],
    rename: impl Fn(&str) -> String,
) -> Vec<Marker<Place>> {
    let rules = [&table::MARKER_FORM, &table::GLOBAL_SCOPE, &table::MARKER_PLACE];
    for mut finding in check_body(body, Wire::Messages, &found.context()).findings {
        if let Some(rule) = rules.into_iter().find(|rule| rule.id == finding.rule) {
            finding.path = rename(&finding.path);
            found.push(rule, finding);
        }
    }
    let renamed =
        |marker: Marker| Marker { path: Place::Own(rename(&marker.path)), is_hour: marker.is_hour };
    markers_in(body).into_iter().map(renamed).collect()
}
