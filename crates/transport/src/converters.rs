//! The converters of the sessions that share a client. A converter keeps the
//! converted messages of its session, so a long session costs no more per turn
//! than a short one.

use std::sync::{Mutex, PoisonError};

use aside_messages::encode::Body;
use aside_providers::{Converter, Options, Outgoing, ProviderSpec, RefusedError, ResponseMode};

/// The maximum number of sessions whose converters are kept.
///
/// The one that was not used for the longest time is dropped first.
const MAX_SESSIONS: usize = 16;

/// One converter for each session that uses a client.
#[derive(Debug)]
pub(crate) struct Converters {
    /// The row of the provider.
    spec: &'static ProviderSpec,
    /// The options of every conversion, with streamed delivery.
    options: Options,
    /// Ordered by the last use, the most recent last.
    sessions: Mutex<Vec<Converter>>,
}

impl Converters {
    /// Creates converters of requests with streamed responses.
    pub(crate) fn new(spec: &'static ProviderSpec, options: Options) -> Self {
        Self {
            spec,
            options: Options {
                delivery: Some(ResponseMode::Streamed),
                ..options
            },
            sessions: Mutex::default(),
        }
    }

    /// Converts a request with the converter of its session.
    ///
    /// Sessions that were dropped by their owner are removed first. The lock is held while the
    /// request is converted, so two sessions wait for each other.
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
