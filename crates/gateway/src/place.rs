//! Replaces the cache markers of a request by planned ones, byte for byte.
//!
//! Nothing but markers changes: an edit is the insertion or the removal of one
//! member with its comma.
//!
//! ```
//! use aside_gateway::place::place;
//!
//! let body = br#"{"model":"claude-opus-5-5","max_tokens":8,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":"Yes?"},{"role":"user","content":[{"type":"text","text":"Go on"}]}]}"#;
//! let placed = place(body)?;
//! let text = String::from_utf8(placed.body)?;
//! assert!(text.ends_with(r#""text":"Go on","cache_control":{"type":"ephemeral"}}]}]}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Markers of the agent stay on tools, on the system prompt and on the first
//! of several messages: it knows what its sessions share. The other markers of
//! messages are replaced, with the agent's own lifetime. A request that looks
//! like a single call (no marker, no tool, one message) stays as it is, since
//! a write that is never read only costs.
//!
//! A request whose own markers are those of the plan stays as it is. A [`Placer`]
//! adds what it learned from the requests so far: markers go before blocks that did
//! not come back, and to the end of what sessions share.
//!
//! An edited body is checked: if it breaks a rule that the body as it came does
//! not break, the body stays as it is.

mod edit;
mod learn;
mod placer;
mod scan;
mod tail;
mod verify;

use std::fmt;

use aside_cache_split::{Continuation, PlanOptions, Reason, TtlPolicy, plan_request};
use aside_messages::encode::BlockRef;
use aside_messages::wire::{CacheControl, Request, Ttl};

pub use placer::{Placement, Placer};

use edit::Edits;
use scan::{Block, Scan};
use tail::{Tail, TailPlace};

/// A body with planned markers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placed {
    /// The body.
    pub body: Vec<u8>,
    /// The number of markers that were removed.
    pub removed: usize,
    /// The number of markers that were inserted.
    pub inserted: usize,
}

/// The reason why a body is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("place markers: {detail}")]
pub struct PlaceError {
    kind: PlaceErrorKind,
    /// The cause, such as the rule that the markers break.
    detail: String,
}

/// The kinds of [`PlaceError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlaceErrorKind {
    /// It cannot be read as a request.
    Unreadable,
    /// Its markers break the API's rules.
    Refused,
    /// It looks like a single call.
    SingleCall,
    /// With the planned markers, the API would refuse it.
    WouldBeRefused,
    /// Planned markers made the requests of its agent dearer.
    Dearer,
}

/// The maximum number of markers of a request, the automatic one included.
const MAX_MARKERS: usize = 4;

/// What is known about a request from earlier ones.
#[derive(Debug, Default)]
struct Known {
    /// The first of the blocks at its end that the next request will not have.
    volatile_from: Option<BlockRef>,
    /// The first blocks of the prompt, which other sessions have, too.
    shared: Vec<BlockRef>,
    /// True if no request is expected to continue it.
    is_single_call: bool,
    /// True if placed markers made the requests of the agent dearer.
    is_dearer: bool,
}

/// A marker to insert.
struct Insertion {
    /// The block; `None` for the request itself.
    at: Option<BlockRef>,
    /// The end of the block, or of the request itself.
    end: usize,
    control: CacheControl,
    /// The markers with the highest rank are given up if there are too many.
    rank: u8,
}

/// Replaces the markers of a request of the Messages API.
///
/// # Errors
/// Returns the reason if the body has to stay as it is.
pub fn place(body: &[u8]) -> Result<Placed, PlaceError> {
    edited(body, &Known::default())
}

/// Replaces the markers of a request of which something is known.
fn edited(body: &[u8], known: &Known) -> Result<Placed, PlaceError> {
    let sent = scanned(body)?;
    let is_unmarked = sent.marker_count() == 0;
    if is_unmarked && sent.tools.is_empty() && sent.messages.len() < 2 && known.shared.is_empty() {
        return Err(error(
            PlaceErrorKind::SingleCall,
            "one message, no tool, no marker",
        ));
    }
    if known.is_dearer {
        let detail = "unchanged, since placed markers made this agent dearer";
        return Err(error(PlaceErrorKind::Dearer, detail));
    }
    if sent.mixes_lifetimes() {
        return Ok(Placed::unchanged(body));
    }
    let mut edits = Edits::new(body);
    let last = sent.messages.len().saturating_sub(1);
    let replaced = sent
        .messages
        .iter()
        .enumerate()
        .filter(|(index, _)| *index > 0 || last == 0);
    let on_messages = replaced
        .flat_map(|(_, message)| &message.blocks)
        .flat_map(Block::markers);
    let removed = on_messages.chain(sent.automatic()).chain(sent.nulls());
    removed.for_each(|marker| edits.remove(marker));
    let removed = edits.len();
    let stripped = edits.apply();
    let scan = scanned(&stripped)?;
    let mut edits = Edits::new(&stripped);
    let insertions = insertions(&sent, &scan, &stripped, known)?;
    if sent.has_markers_of(&insertions) {
        return Ok(Placed::unchanged(body));
    }
    for insertion in &insertions {
        edits.insert(insertion.end, &insertion.control);
    }
    let placed = Placed {
        inserted: edits.len(),
        body: edits.apply(),
        removed,
    };
    if verify::has_valid_markers(&placed.body) {
        return Ok(placed);
    }
    match verify::new_finding(body, &placed.body) {
        Some(it) => Err(error(
            PlaceErrorKind::WouldBeRefused,
            format_args!(
                "unchanged, since the API would refuse {} ({})",
                it.found, it.rule
            ),
        )),
        None => Ok(placed),
    }
}

/// Plans the markers that go into a body without the ones that are replaced.
fn insertions(
    sent: &Scan,
    scan: &Scan,
    stripped: &[u8],
    known: &Known,
) -> Result<Vec<Insertion>, PlaceError> {
    let mut request = Request::parse(stripped)
        .map_err(|it| error(PlaceErrorKind::Unreadable, it))?
        .value;
    let is_single_call = known.is_single_call && !sent.has_marked_messages();
    let options = PlanOptions {
        ttl: lifetimes(sent),
        continuation: match is_single_call {
            true => Continuation::OneShot,
            false => Continuation::Expected,
        },
        ..PlanOptions::default()
    };
    if let Some(BlockRef::Message { message, block }) = known.volatile_from {
        request.messages.truncate(message + 1);
        if block == 0 {
            request.messages.pop();
        } else if let Some(last) = request.messages.last_mut() {
            last.content.truncate(block);
        }
    }
    let plan = plan_request(&request, options).map_err(|it| error(PlaceErrorKind::Refused, it))?;
    let mut insertions = Vec::new();
    for planned in &plan.markers {
        if planned.reason != Reason::Caller
            && let Some(block) = scan.target(planned.marker.at)
        {
            insertions.push(Insertion {
                at: Some(planned.marker.at),
                end: block.end,
                control: planned.marker.control.clone(),
                rank: match planned.reason {
                    Reason::Anchor => 1,
                    Reason::LastStable => 2,
                    Reason::LastTool => 5,
                    _ => 4,
                },
            });
        }
    }
    insertions.extend(shared_end(scan, known, &insertions, options.ttl));
    let tail = Tail::choose(sent, &plan);
    if let Some(tail) = tail.filter(|_| !is_single_call && known.volatile_from.is_none()) {
        let (at, end) = match tail.at {
            TailPlace::Automatic => (None, scan.end),
            TailPlace::Block { message, block } => {
                let marked = scan.messages[message].blocks.get(block);
                let at = BlockRef::Message { message, block };
                (Some(at), marked.map_or(scan.end, |block| block.end))
            }
        };
        insertions.push(Insertion {
            at,
            end,
            control: CacheControl::lasting(options.ttl.conversation()),
            rank: if tail.is_needed { 0 } else { 3 },
        });
    }
    insertions.sort_by_key(|it| it.rank);
    insertions.truncate(MAX_MARKERS.saturating_sub(scan.marker_count()));
    Ok(insertions)
}

/// Returns the marker at the end of what other sessions have, too. It has the lifetime of
/// the planned marker after it, which fits those that the agent keeps.
fn shared_end(
    scan: &Scan,
    known: &Known,
    planned: &[Insertion],
    ttl: TtlPolicy,
) -> Option<Insertion> {
    // Without other sessions, the last block of the first message is taken for the task.
    let guessed = scan
        .before_task()
        .filter(|_| known.shared.is_empty() && !known.is_single_call);
    // Strings and thinking take no marker; a few blocks before them are as good.
    let ends = known.shared.iter().rev().take(3).chain(&guessed);
    let (at, block) = { ends }.find_map(|at| Some((*at, scan.target(*at)?)))?;
    if planned.iter().any(|it| it.at == Some(at)) {
        return None;
    }
    let after = planned.iter().filter(|it| it.at > Some(at));
    let after = after.min_by_key(|it| it.at);
    let own = || CacheControl::lasting(ttl.conversation());
    Some(Insertion {
        at: Some(at),
        end: block.end,
        control: after.map_or_else(own, |it| it.control.clone()),
        rank: 3,
    })
}

fn scanned(body: &[u8]) -> Result<Scan, PlaceError> {
    Scan::of(body).ok_or_else(|| error(PlaceErrorKind::Unreadable, "no request"))
}

/// Returns the lifetimes that the agent chose.
///
/// ```text
/// 1h on a message or on the request      everything for 1 hour
/// 1h on tools or system only             shared layers for 1 hour, the conversation for 5 minutes
/// else                                   everything for 5 minutes
/// ```
fn lifetimes(sent: &Scan) -> TtlPolicy {
    let is_long = |block: &Block| block.markers().any(|marker| marker.ttl == Ttl::OneHour);
    let mut messages = sent.messages.iter().flat_map(|message| &message.blocks);
    let is_automatic_long = sent.automatic().is_some_and(|it| it.ttl == Ttl::OneHour);
    if is_automatic_long || messages.any(is_long) {
        return TtlPolicy::Long;
    }
    let mut prefix = sent.tools.iter().chain(&sent.system);
    if prefix.any(is_long) {
        TtlPolicy::LongPrefix
    } else {
        TtlPolicy::Short
    }
}

impl Placed {
    /// Returns a body that stays as it is, since its own markers are as good.
    fn unchanged(body: &[u8]) -> Self {
        Self {
            body: body.to_vec(),
            removed: 0,
            inserted: 0,
        }
    }
}

impl Scan {
    /// Returns true if markers of messages have both lifetimes: the agent decides by the
    /// block, and one lifetime for all of them would cost more.
    fn mixes_lifetimes(&self) -> bool {
        let blocks = self.messages.iter().flat_map(|message| &message.blocks);
        let markers = blocks.flat_map(Block::markers).chain(self.automatic());
        let mut lifetimes = markers.map(|it| it.ttl);
        let first = lifetimes.next();
        lifetimes.any(|it| Some(it) != first)
    }

    /// Returns true if a message or the request itself has a marker.
    fn has_marked_messages(&self) -> bool {
        let mut blocks = self.messages.iter().flat_map(|message| &message.blocks);
        self.automatic().is_some() || blocks.any(|it| it.markers().next().is_some())
    }

    /// Returns true if the agent's markers are as good as planned ones: each planned one is
    /// there with the same lifetime, and none is after the last of them.
    fn has_markers_of(&self, planned: &[Insertion]) -> bool {
        let has = |it: &Insertion| {
            let own = match it.at {
                Some(at) => self.block(at).and_then(|block| block.markers().next()),
                None => self.automatic(),
            };
            own.is_some_and(|own| it.control == CacheControl::lasting(own.ttl))
        };
        let last = planned.iter().filter_map(|it| it.at).max();
        let messages = self.messages.iter().enumerate().flat_map(|(message, it)| {
            let blocks = it.blocks.iter().enumerate();
            blocks.map(move |(block, it)| (BlockRef::Message { message, block }, it))
        });
        let mut late = messages.filter(|(at, _)| Some(*at) > last);
        let is_automatic = planned.iter().any(|it| it.at.is_none());
        planned.iter().all(has)
            && (self.automatic().is_none() || is_automatic)
            && !late.any(|(_, block)| block.markers().next().is_some())
    }

    /// Returns the last block but one of the first message, if the model has not answered.
    fn before_task(&self) -> Option<BlockRef> {
        let (first, rest) = self.messages.split_first()?;
        let block = first.blocks.len().checked_sub(2)?;
        let at = BlockRef::Message { message: 0, block };
        rest.iter().all(|it| it.is_system).then_some(at)
    }

    fn block(&self, at: BlockRef) -> Option<&Block> {
        match at {
            BlockRef::Tool(index) => self.tools.get(index),
            BlockRef::System(index) => self.system.get(index),
            BlockRef::Message { message, block } => self.messages.get(message)?.blocks.get(block),
        }
    }

    /// Returns the block that gets a planned marker; `None` if the block cannot
    /// have one, or has kept one of its own.
    fn target(&self, at: BlockRef) -> Option<&Block> {
        let block = self.block(at);
        block.filter(|it| it.takes_marker && it.markers().next().is_none())
    }
}

fn error(kind: PlaceErrorKind, detail: impl fmt::Display) -> PlaceError {
    PlaceError {
        kind,
        detail: detail.to_string(),
    }
}

impl PlaceError {
    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> PlaceErrorKind {
        self.kind
    }
}
