//! The latest requests of several sessions: the next one probably repeats most of one of them.

use std::sync::{Arc, Mutex, PoisonError};

use aside_body::Body;

use super::skeleton::Earlier;

/// How many requests to keep, and how many bytes, but for the last one.
const MAX_REQUESTS: usize = 8;
const MAX_BYTES: usize = 64 << 20;

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
        let sum = |kept: &[Arc<Earlier>]| -> usize {
            kept.iter().map(|it| it.body.as_bytes().len()).sum()
        };
        while kept.len() > MAX_REQUESTS || kept.len() > 1 && sum(&kept) > MAX_BYTES {
            kept.remove(0);
        }
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
