use std::{fmt, iter};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Finder, Rules, Violation};
use crate::encode::{BlockRef, Body};
use crate::wire::{CacheControl, ContentBlock, RawJson, Request, ResultContent, Ttl, excerpt};

/// The API takes so many markers, the automatic one included.
const LIMIT: usize = 4;

/// The rules about markers of which a body can break one by itself, with the
/// names that they have in the table.
const OF_BODIES: [(&str, Check); 4] = [
    ("marker-form", forms),
    ("global-scope", scopes),
    ("marker-limit", count),
    ("marker-ttl", lifetimes),
];

/// Looks for violations of one rule.
type Check = fn(&[Placed], &Rules, &mut Finder<'_>);

/// A marker and its place.
type Placed = (Place, CacheControl);

impl Body {
    /// Returns what the API would refuse of the markers that were put into this
    /// body, as [`Request::check`] does of those of a request. Only the blocks
    /// with a marker are looked at.
    #[must_use]
    pub fn check_markers(&self, rules: &Rules) -> Vec<Violation> {
        let parts = self.parts();
        let automatic = parts.parameters.cache_control.clone();
        let automatic = automatic.map(|control| (Place::Automatic, control));
        let mut placed: Vec<_> = parts.markers.iter().collect();
        placed.sort_by_key(|marker| marker.at);
        let placed = placed.into_iter();
        let placed = placed.map(|it| (Place::Block(it.at), it.control.clone()));
        let placed: Vec<Placed> = placed.chain(automatic).collect();
        let mut violations = Vec::new();
        for (rule, find) in OF_BODIES {
            let violations = &mut violations;
            find(&placed, rules, &mut Finder { rule, violations });
        }
        for marker in parts.markers {
            if !self.is_markable(marker.at) {
                let violations = &mut violations;
                let rule = "marker-place";
                Finder { rule, violations }.found(marker.at, "a block that takes no marker");
            }
        }
        violations
    }

    fn is_markable(&self, at: BlockRef) -> bool {
        let parts = self.parts();
        let block = match at {
            BlockRef::Tool(index) => parts.tools.blocks().get(index),
            BlockRef::System(index) => parts.system.blocks().get(index),
            BlockRef::Message { message, block } => {
                let mut from = parts.history.messages_from(message);
                let behind = || parts.tail.get(message - parts.history.len());
                let message = from.next().or_else(behind);
                message.and_then(|message| message.blocks().get(block))
            }
        };
        block.is_some_and(|block| block.is_markable)
    }
}

pub(super) fn form(request: &Request, rules: &Rules, finder: &mut Finder<'_>) {
    forms(&placed(request), rules, finder);
}

fn forms(markers: &[Placed], _: &Rules, finder: &mut Finder<'_>) {
    for (place, control) in markers {
        if let CacheControl::Other(raw) = control
            && !is_ephemeral(raw)
        {
            finder.found(place, excerpt(raw.get()));
        }
    }
}

/// Whether it is a marker whose lifetime is null, which may mean the default.
fn is_ephemeral(raw: &RawJson) -> bool {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Bare {
        #[serde(rename = "type")]
        kind: String,
        ttl: Option<IgnoredAny>,
    }
    let bare = serde_json::from_str::<Bare>(raw.get());
    bare.is_ok_and(|bare| bare.kind == "ephemeral" && bare.ttl.is_none())
}

pub(super) fn global_scope(request: &Request, rules: &Rules, finder: &mut Finder<'_>) {
    scopes(&placed(request), rules, finder);
}

fn scopes(markers: &[Placed], rules: &Rules, finder: &mut Finder<'_>) {
    if rules.global_scope {
        return;
    }
    for (place, control) in markers {
        if matches!(control, CacheControl::Ephemeral { global: true, .. }) {
            finder.found(place, r#""scope":"global""#);
        }
    }
}

pub(super) fn limit(request: &Request, rules: &Rules, finder: &mut Finder<'_>) {
    count(&placed(request), rules, finder);
}

fn count(markers: &[Placed], _: &Rules, finder: &mut Finder<'_>) {
    if markers.len() > LIMIT {
        let places = markers.iter().map(|(place, _)| place.to_string());
        let all: Vec<String> = places.collect();
        finder.found(
            "cache_control",
            format!("{}, at {}", all.len(), all.join(", ")),
        );
    }
}

pub(super) fn ttl(request: &Request, rules: &Rules, finder: &mut Finder<'_>) {
    lifetimes(&placed(request), rules, finder);
}

fn lifetimes(markers: &[Placed], _: &Rules, finder: &mut Finder<'_>) {
    let mut short: Option<&Place> = None;
    for (place, control) in markers {
        match (&short, control) {
            (
                Some(short),
                CacheControl::Ephemeral {
                    ttl: Some(Ttl::OneHour),
                    ..
                },
            ) => {
                finder.found(place, format!("an hour, behind five minutes at {short}"));
            }
            (
                None,
                CacheControl::Ephemeral {
                    ttl: None | Some(Ttl::FiveMinutes),
                    ..
                },
            ) => {
                short = Some(place);
            }
            _ => {}
        }
    }
}

pub(super) fn place(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (index, tool) in request.tools.iter().enumerate() {
        if tool.cache_control.is_some() && tool.defer_loading == Some(true) {
            finder.found(BlockRef::Tool(index), "a marker on a deferred tool");
        }
    }
    for (place, block) in blocks(request) {
        if has_stray_marker(block) || is_empty_and_marked(block) {
            finder.found(place, "a marker on thinking or on empty text");
        }
    }
}

/// Thinking has no field for a marker, so one is read as an unknown key.
fn has_stray_marker(block: &ContentBlock) -> bool {
    let extra = match block {
        ContentBlock::Thinking(block) => &block.extra,
        ContentBlock::RedactedThinking(block) => &block.extra,
        _ => return false,
    };
    extra
        .0
        .iter()
        .any(|(key, value)| key == "cache_control" && value.get() != "null")
}

fn is_empty_and_marked(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Text(text) if text.text.is_empty() && text.cache_control.is_some())
}

/// Where a marker stands; written out only where something is found there.
#[derive(Clone, Copy)]
enum Place {
    /// On the last block of the request.
    Automatic,
    Block(BlockRef),
    /// In a tool result.
    Within(BlockRef, usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Automatic => f.write_str("cache_control"),
            Self::Block(at) => at.fmt(f),
            Self::Within(at, index) => write!(f, "{at}.content[{index}]"),
        }
    }
}

/// Every marker in the order of the cache, the automatic one last.
fn placed(request: &Request) -> Vec<Placed> {
    let tools = request
        .tools
        .iter()
        .enumerate()
        .filter_map(|(index, tool)| {
            let place = Place::Block(BlockRef::Tool(index));
            Some((place, tool.cache_control.clone()?))
        });
    let blocks = blocks(request).filter_map(|(place, block)| Some((place, block.cache_control()?)));
    let automatic = request.cache_control.clone();
    let automatic = automatic.map(|control| (Place::Automatic, control));
    tools.chain(blocks).chain(automatic).collect()
}

/// Every block of the system prompt and the messages, those inside tool
/// results included.
fn blocks(request: &Request) -> impl Iterator<Item = (Place, &ContentBlock)> {
    let system = request.system.iter().enumerate();
    let system = system.map(|(index, block)| (Place::Block(BlockRef::System(index)), block));
    let messages = request
        .messages
        .iter()
        .enumerate()
        .flat_map(|(message, it)| {
            it.content.iter().enumerate().flat_map(move |(block, it)| {
                let at = BlockRef::Message { message, block };
                let inner = match it {
                    ContentBlock::ToolResult(result) => match &result.content {
                        ResultContent::Blocks(blocks) => &blocks[..],
                        ResultContent::Text(_) => &[],
                    },
                    _ => &[],
                };
                let inner = inner.iter().enumerate();
                let inner = inner.map(move |(index, it)| (Place::Within(at, index), it));
                iter::once((Place::Block(at), it)).chain(inner)
            })
        });
    system.chain(messages)
}
