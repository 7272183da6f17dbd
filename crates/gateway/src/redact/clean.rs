//! Which bodies have no secret: what one shares with an earlier body is not searched again.

use std::collections::VecDeque;
use std::sync::Arc;

use aside_body::Body;
use aside_body::body::Placed;
use aside_body::path::Level;
use aside_json::scan::{Kind, kind};

use super::body::{Keys, is_clean};
use super::places::Place;

/// How many bodies to keep, and how many bytes, but for the last one.
const MAX_BODIES: usize = 32;
const MAX_BYTES: usize = 64 << 20;

/// The latest bodies without secrets, the latest first.
#[derive(Debug, Default)]
pub(crate) struct CleanBodies(VecDeque<Body>);

impl CleanBodies {
    /// Returns true if a body is JSON without secrets, and remembers it.
    ///
    /// An item of a list is searched unless it is the same, by its address, as in a body that was
    /// read before this one. The rest of the body, with `null` for each item, is always searched.
    pub(crate) fn check(&mut self, body: &Body) -> bool {
        let bytes = body.as_bytes();
        let mut items = Vec::new();
        for level in [Level::Tools, Level::System, Level::Messages] {
            let section = body.section(level);
            let Some(place) = section.first().and_then(|first| place(body, first)) else {
                continue;
            };
            for (index, placed) in section.iter().enumerate() {
                let same = |it: &Placed| Arc::ptr_eq(&it.item, &placed.item);
                let mut earlier = self.0.iter().map(|it| it.section(level).get(index));
                let is_known = earlier.any(|it| it.is_some_and(same));
                if !is_known && !is_clean(&bytes[placed.span()], place) {
                    return false;
                }
                items.push(placed.span());
            }
        }
        items.sort_by_key(|it| it.start);
        let (mut rest, mut at) = (Vec::new(), 0);
        for item in items {
            rest.extend_from_slice(&bytes[at..item.start]);
            rest.extend_from_slice(b"null");
            at = item.end;
        }
        rest.extend_from_slice(&bytes[at..]);
        let is_clean = is_clean(&rest, Place::REQUEST);
        if is_clean {
            self.keep(body.clone());
        }
        is_clean
    }

    fn keep(&mut self, body: Body) {
        self.0.push_front(body);
        let sum =
            |kept: &VecDeque<Body>| -> usize { kept.iter().map(|it| it.as_bytes().len()).sum() };
        while self.0.len() > MAX_BODIES || self.0.len() > 1 && sum(&self.0) > MAX_BYTES {
            self.0.pop_back();
        }
    }
}

/// Returns the place of a section's items, if they are all of a member's value.
fn place(body: &Body, first: &Placed) -> Option<Place> {
    let mut members = body.members().iter();
    let member = members.find(|it| it.value.contains(&first.start))?;
    let bytes = body.as_bytes();
    let is_list = kind(bytes, member.value.start) == Kind::Array;
    let is_all = is_list || member.value == first.span();
    is_all.then(|| Keys::default().place(Place::REQUEST, &bytes[member.key.clone()]))
}

#[cfg(test)]
mod tests;
