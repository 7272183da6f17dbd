//! The latest requests of several sessions: the next one probably repeats most of one of them.

use std::sync::{Arc, Mutex, PoisonError};

use aside_body::Body;
use aside_body::path::Level;

use super::scan::Scan;
use crate::latest::forget_oldest;

/// How many requests to keep.
const MAX_REQUESTS: usize = 8;

/// A request that was read, for the next one of its session.
#[derive(Debug)]
pub(super) struct Earlier {
    pub(super) body: Body,
    /// What was found in it, if its markers may be edited.
    pub(super) scan: Option<Scan>,
}

/// Requests, the latest last.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<Vec<Arc<Earlier>>>);

impl Recent {
    /// Returns the request that begins most like a body.
    pub(super) fn closest(&self, body: &[u8]) -> Option<Arc<Earlier>> {
        let kept = self.lock().clone();
        let index = Body::closest(body, kept.iter().map(|it| &it.body))?;
        kept.get(index).cloned()
    }

    /// Adds a request. It replaces the one that it was read after if it repeats most of that.
    pub(super) fn add(&self, request: Earlier, after: Option<&Arc<Earlier>>) {
        let mut kept = self.lock();
        if let Some(after) = after.filter(|it| request.repeats(it)) {
            kept.retain(|it| !Arc::ptr_eq(it, after));
        }
        kept.push(Arc::new(request));
        forget_oldest(&mut kept, MAX_REQUESTS, |it| it.body.as_bytes().len());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Earlier>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets all requests.
    #[cfg(test)]
    pub(super) fn clear(&self) {
        self.lock().clear();
    }
}

impl Earlier {
    /// Returns true if it has more than half of the messages of another one.
    fn repeats(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|it| it.body.section(Level::Messages));
        let pairs = own.iter().zip(others);
        let same = pairs.filter(|(own, other)| Arc::ptr_eq(&own.item, &other.item));
        same.count() * 2 > others.len()
    }
}
