//! The state of a proxy that all connections share.

use super::Markers;
use super::bookkeeper::Bookkeeper;
use super::clients::Clients;
use super::upstream::Upstreams;
use crate::guard::Guard;

/// The state that all requests share.
pub(crate) struct Forwarder {
    /// The HTTP clients, with their pools of connections.
    pub(crate) clients: Clients,
    pub(crate) guard: Guard,
    pub(crate) upstreams: Upstreams,
    pub(crate) markers: Markers,
    /// The maximum length of a request body, also after decompression.
    pub(crate) max_request_bytes: usize,
    pub(crate) bookkeeper: Bookkeeper,
}

impl std::fmt::Debug for Forwarder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Forwarder").finish_non_exhaustive()
    }
}
