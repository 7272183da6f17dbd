//! Which bodies have no secret: what one shares with an earlier body is not searched again.

use std::sync::Arc;

use aside_body::Body;
use aside_body::body::Placed;
use aside_body::path::Level;
use aside_json::Span;
use aside_json::scan::{Kind, kind};

use super::body::{Keys, is_clean};
use super::places::Place;
use crate::latest::keep;

/// How many bodies to keep.
const MAX_BODIES: usize = 32;

/// Bodies without secrets, the latest last.
#[derive(Debug, Default)]
pub(crate) struct CleanBodies(Vec<Body>);

impl CleanBodies {
    /// Returns true if a body is JSON without secrets, and remembers it.
    ///
    /// The body with `null` for each item of its lists is always searched, and first: it is short,
    /// and an agent's secret, such as an MCP server's, is in it with each request. An item is
    /// searched unless it is the same, by its address, as in a body that was read before this one.
    pub(crate) fn check(&mut self, body: &Body) -> bool {
        let sections = Level::ALL.into_iter().filter_map(|level| {
            let section = body.section(level);
            Some((level, section, place(body, section.first()?)?))
        });
        let sections: Vec<_> = sections.collect();
        let items = sections.iter().flat_map(|it| it.1).map(Placed::span);
        let is_clean = is_clean(&without(body, items.collect()), Place::REQUEST)
            && sections.into_iter().all(|(level, section, place)| {
                let mut items = section.iter().enumerate();
                items.all(|(index, it)| {
                    let bytes = &body.as_bytes()[it.span()];
                    self.is_known(level, index, it) || is_clean(bytes, place)
                })
            });
        if is_clean {
            keep(&mut self.0, body.clone(), MAX_BODIES, |it| it);
        }
        is_clean
    }

    fn is_known(&self, level: Level, index: usize, item: &Placed) -> bool {
        let same = |it: &Placed| Arc::ptr_eq(&it.item, &item.item);
        let mut latest = self.0.iter().rev().map(|it| it.section(level).get(index));
        latest.any(|it| it.is_some_and(same))
    }
}

/// Returns a body with `null` for each of these items.
fn without(body: &Body, mut items: Vec<Span>) -> Vec<u8> {
    items.sort_by_key(|it| it.start);
    let bytes = body.as_bytes();
    let (mut rest, mut at) = (Vec::new(), 0);
    for item in items {
        rest.extend_from_slice(&bytes[at..item.start]);
        rest.extend_from_slice(b"null");
        at = item.end;
    }
    rest.extend_from_slice(&bytes[at..]);
    rest
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
