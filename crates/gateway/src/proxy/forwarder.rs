//! What all connections to a proxy share.

use std::sync::Arc;

use super::bookkeeper::Bookkeeper;
use super::clients::Clients;
use super::twins::Twins;
use super::upstream::Upstreams;
use crate::admission::Admission;
use crate::guard::Guard;
use crate::place::Placer;

/// What all requests share.
pub(crate) struct Forwarder {
    /// The HTTP clients, with their connection pools.
    pub(crate) clients: Clients,
    pub(crate) guard: Guard,
    pub(crate) upstreams: Upstreams,
    /// Places markers, if they are replaced.
    pub(crate) placer: Option<Arc<Placer>>,
    /// The requests whose prefix is not written yet.
    pub(crate) twins: Twins,
    /// How long a request body may be, even after decompression.
    pub(crate) max_request_bytes: usize,
    pub(crate) admission: Admission,
    pub(crate) bookkeeper: Bookkeeper,
}

impl std::fmt::Debug for Forwarder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Forwarder").finish_non_exhaustive()
    }
}
