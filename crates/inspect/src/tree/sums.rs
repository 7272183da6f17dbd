//! A part's sums over its children: bytes, states, layers and tokens.
//!
//! A part is complete once [`finish`](RequestPart::finish) has added the bytes
//! that no child covers. Then [`share`](RequestPart::share) divides a block's
//! tokens among the parts in it, and loses none to rounding.

use std::ops::Range;

use aside_cache_model::body::body::estimate_part;
use aside_messages::{Tokenizer, estimate};

use crate::part::{CacheState, PartKind, PartLayer, RequestPart};

/// What estimates for parts need.
#[derive(Clone, Copy)]
pub(super) struct Estimator<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) family: Tokenizer,
}

impl RequestPart {
    pub(crate) fn new(kind: PartKind, name: String, path: String, range: Range<usize>) -> Self {
        Self { kind, name, path, bytes: range.len(), range, ..Self::default() }
    }

    /// Adds the JSON that no child covers as a child, and sums up state and
    /// layer. `state` and `layer` are for the JSON when the children differ.
    pub(super) fn finish(&mut self, state: CacheState, layer: PartLayer) {
        if self.children.is_empty() {
            return;
        }
        self.children.sort_by_key(|it| it.range.start);
        let covered: usize = self.children.iter().map(|it| it.bytes).sum();
        let layers = self.children.iter().map(|it| it.layer);
        self.layer = common(layers).flatten();
        let states = self.children.iter().filter(|it| !it.kind.is_unread());
        let in_common = common(states.map(|it| it.state));
        self.state = in_common.unwrap_or(CacheState::Mixed);
        self.adopt_kind();
        if covered < self.bytes {
            let mut json =
                Self::new(PartKind::Json, String::new(), self.path.clone(), self.range.clone());
            json.bytes = self.bytes - covered;
            json.layer = Some(self.layer.unwrap_or(layer));
            json.state = in_common.unwrap_or(state);
            // A body can have a hundred thousand blocks, and growing a vector by
            // one reserves room for three more parts.
            self.children.reserve_exact(1);
            self.children.push(json);
        }
        self.usage = self.children.iter().map(|it| it.usage).sum();
    }

    /// Replaces a text by its pieces.
    pub(super) fn lift_pieces(&mut self) {
        let is_split = |it: &Self| it.kind == PartKind::Text && !it.children.is_empty();
        let split = self.children.iter().position(|it| is_split(it) && it.is_covered());
        if let Some(index) = split {
            let text = self.children.remove(index);
            self.children.splice(index..index, text.children);
        }
    }

    /// Gives the members that a model does not read, such as a cache marker, the
    /// layer of the texts, if these have one layer.
    pub(super) fn adopt_layer(&mut self) {
        let texts = self.children.iter().filter(|it| !it.kind.is_unread());
        let Some(layer) = common(texts.map(|it| it.layer)).flatten() else {
            return;
        };
        for member in self.children.iter_mut().filter(|it| it.children.is_empty()) {
            member.layer = Some(layer);
        }
    }

    /// Returns true if the children cover all bytes, as a text's pieces do.
    fn is_covered(&self) -> bool {
        self.children.iter().all(|it| it.kind != PartKind::Json)
            && self.children.iter().map(|it| it.bytes).sum::<usize>() == self.bytes
    }

    /// Takes over its texts' kind, if it is a reminder as a whole: the only
    /// one's, or the only instruction file's.
    fn adopt_kind(&mut self) {
        let texts = || self.children.iter().filter(|it| !it.kind.is_unread());
        let is_special =
            |it: &Self| matches!(it.kind, PartKind::Reminder | PartKind::File | PartKind::Section);
        if self.kind != PartKind::Text || texts().count() == 0 || !texts().all(is_special) {
            return;
        }
        let mut files = texts().filter(|it| it.kind == PartKind::File);
        let only = match texts().count() {
            1 => texts().next(),
            _ => files.next().filter(|_| files.next().is_none()),
        };
        let (kind, name) = match only {
            Some(only) => (only.kind, only.name.clone()),
            None if texts().all(|it| it.kind == PartKind::Section) => return,
            None => (PartKind::Reminder, String::new()),
        };
        (self.kind, self.name) = (kind, name);
    }

    /// Shares tokens among the parts in proportion to their estimates. They add
    /// up exactly.
    pub(super) fn share(&mut self, tokens: u64, state: CacheState, estimator: Estimator<'_>) {
        if tokens == 0 {
            return;
        }
        self.usage = state.usage(tokens);
        let readers = || self.children.iter().enumerate().filter(|(_, it)| !it.kind.is_unread());
        let weights: Vec<(usize, u64)> = match readers().count() {
            // All of it belongs to one part, whatever its estimate.
            0 => self.children.len().checked_sub(1).map(|it| (it, 1)).into_iter().collect(),
            1 => readers().map(|(index, _)| (index, 1)).collect(),
            _ => readers().map(|(index, it)| (index, it.weight(estimator))).collect(),
        };
        let whole: u64 = weights.iter().map(|(_, weight)| weight).sum();
        let (mut sum, mut before) = (0, 0);
        for (index, weight) in weights {
            sum += weight;
            let up_to = match whole {
                0 => tokens,
                _ => (u128::from(tokens) * u128::from(sum) / u128::from(whole)) as u64,
            };
            self.children[index].share(up_to - before, state, estimator);
            before = up_to;
        }
    }

    /// Returns the bytes' estimated tokens, as a weight.
    fn weight(&self, estimator: Estimator<'_>) -> u64 {
        let (bytes, family) = (&estimator.bytes[self.range.clone()], estimator.family);
        let tokens = match self.kind {
            PartKind::Image | PartKind::Document => estimate_part(bytes, family),
            PartKind::Data => return self.bytes as u64 / 40,
            _ => None,
        };
        let text = || estimate(&String::from_utf8_lossy(bytes), family);
        tokens.unwrap_or_else(text).tokens().max(1)
    }
}

/// Returns the value that all have in common, if they do.
fn common<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|it| it == first).then_some(first)
}
