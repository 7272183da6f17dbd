//! Converters for the sessions that share a client. Each keeps its session's
//! converted messages, so a long session costs no more per turn than a short
//! one.

use std::sync::{Mutex, PoisonError};

use aside_messages::encode::Body;
use aside_providers::{Converter, Options, Outgoing, ProviderSpec, RefusedError, ResponseMode};

/// How many sessions keep their converter.
///
/// The least recently used is dropped first.
const MAX_SESSIONS: usize = 16;

#[derive(Debug)]
pub(crate) struct Converters {
    spec: &'static ProviderSpec,
    /// For every conversion, with streamed delivery.
    options: Options,
    /// Ordered by the last use, the most recent last.
    sessions: Mutex<Vec<Converter>>,
}

impl Converters {
    /// Creates converters for requests with streamed responses.
    pub(crate) fn new(spec: &'static ProviderSpec, options: Options) -> Self {
        Self {
            spec,
            options: Options { delivery: Some(ResponseMode::Streamed), ..options },
            sessions: Mutex::default(),
        }
    }

    /// Converts a request with its session's converter.
    ///
    /// First removes sessions that their owner dropped. Holds the lock while it
    /// converts, so two sessions wait for each other.
    pub(crate) fn outgoing(&self, body: &Body) -> Result<Outgoing, RefusedError> {
        let sessions = &mut *self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|session| !session.is_idle());
        let known = sessions.iter().position(|it| it.continues(body));
        let mut session = match known {
            Some(index) => sessions.remove(index),
            None => Converter::of_lowered(self.spec, self.options.clone()),
        };
        if sessions.len() >= MAX_SESSIONS {
            sessions.remove(0);
        }
        let outgoing = session.outgoing(body);
        sessions.push(session);
        outgoing
    }
}
