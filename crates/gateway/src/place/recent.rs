//! The latest requests of several sessions: the next one probably repeats most of one of them.

use std::sync::{Arc, Mutex, PoisonError};

use aside_body::Body;

use super::scan::Scan;
use crate::latest::keep;

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

    /// Adds a request.
    pub(super) fn add(&self, request: Earlier) {
        keep(&mut self.lock(), Arc::new(request), MAX_REQUESTS, |it| &it.body);
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
