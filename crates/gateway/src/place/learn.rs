//! What earlier requests say about the next one.
//!
//! A learner keeps no text, only hashes of the prefixes of each session's latest request:
//!
//! ```text
//! the last blocks of a request did not come back      they are volatile: the marker goes before them
//! two sessions begin with the same blocks              a marker at the end of these
//! two sessions of an agent were not continued          no marker on their messages
//! the sessions of an agent became dearer               its requests stay as they are
//! the requests of an agent seldom pause                checkpoints instead of an hour for all
//! the requests of an agent without markers pause       checkpoints
//! its sessions begin 5 to 60 minutes apart             an hour for what they share
//! ```

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use aside_cache_split::shared_ttl;
use aside_messages::wire::Ttl;

/// How many sessions to remember.
const MAX_SESSIONS: usize = 256;

/// How many hashes to remember, over all sessions.
const MAX_HASHES: usize = 1 << 20;

/// How many blocks at a request's end may be volatile.
const MAX_VOLATILE: usize = 4;

/// If a session was not continued for this long, it counts as a single call.
const PATIENCE: Duration = Duration::from_secs(20);

/// After this many sessions that were not continued, no further one is expected to be.
const MAX_SINGLE_CALLS: usize = 2;

/// How many of an agent's requests to compare before a loss counts: the first ones write what later
/// ones read.
const MIN_COMPARED: u64 = 4;

/// After a longer pause, an entry of five minutes is gone.
const PAUSE: Duration = Duration::from_secs(5 * 60);

/// How many requests of an agent that continue others show whether it pauses.
const MIN_CONTINUED: u64 = 2;

/// A pause costs a checkpoint about as much as the requests between two of them save, if
/// there are so many.
const MIN_REQUESTS_A_PAUSE: u64 = 4;

#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    /// What the agent's sessions have in common: a hash of the model, the tools and the system
    /// prompt.
    pub(crate) agent: u64,
    /// The hash of the prefix up to each block's end, in order.
    pub(crate) hashes: Vec<u64>,
    /// How many of them end in tools or the system prompt.
    pub(crate) context: usize,
    /// How many model messages there are.
    pub(crate) answers: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Learner {
    sessions: VecDeque<Session>,
    /// What is known of each agent.
    agents: HashMap<u64, Agent>,
}

#[derive(Debug, Default)]
struct Session {
    agent: u64,
    latest: Prefixes,
    began: Duration,
    latest_at: Duration,
    is_continued: bool,
    /// How many of its first blocks another session has, too.
    shared: usize,
}

/// The requests of an agent: their predicted cost in US dollars, and their pauses.
#[derive(Clone, Copy, Debug, Default)]
struct Agent {
    as_sent: f64,
    as_forwarded: f64,
    requests: u64,
    /// Those that continue another one, and those of them that came after a pause.
    continued: u64,
    paused: u64,
}

/// What to expect for one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lesson {
    /// How many of its last blocks the next request will not have.
    pub(crate) volatile: usize,
    /// How many of its first blocks other sessions have, too; 0 if unknown.
    pub(crate) shared: usize,
    /// True if no request is expected to continue it.
    pub(crate) is_single_call: bool,
    /// True if placed markers made the agent's requests dearer.
    pub(crate) is_dearer: bool,
    /// True if the requests of the agent seldom pause for over five minutes.
    pub(crate) is_steady: bool,
    /// True if they have paused.
    pub(crate) has_paused: bool,
    /// The lifetime for what its sessions share, by the times at which they began.
    pub(crate) prefix: Ttl,
    /// How long ago the request before it in its session was sent.
    pub(crate) since_previous: Option<Duration>,
}

impl Learner {
    /// Adds a request at a time, and returns what to expect, with the agent for
    /// [`settle`](Self::settle).
    pub(crate) fn add(&mut self, request: Prefixes, at: Duration) -> (Lesson, u64) {
        let agent = request.agent;
        let mut lesson = Lesson::default();
        let shared_with = |it: &Session| common(&it.latest.hashes, &request.hashes);
        let parent = self.sessions.iter().enumerate().filter(|(_, it)| {
            let missing = it.latest.hashes.len() - shared_with(it);
            let is_longer = request.answers > it.latest.answers;
            is_longer && missing <= MAX_VOLATILE && shared_with(it) > it.latest.context
        });
        let parent = parent.max_by_key(|(_, it)| shared_with(it)).map(|it| it.0);
        let mut session = match parent.and_then(|index| self.sessions.remove(index)) {
            Some(parent) => {
                let agent = self.agent(agent);
                let since = at.saturating_sub(parent.latest_at);
                agent.continued += 1;
                agent.paused += u64::from(since > PAUSE);
                lesson.since_previous = Some(since);
                lesson.volatile = parent.latest.hashes.len() - shared_with(&parent);
                Session { is_continued: true, ..parent }
            }
            None => Session { agent, began: at, ..Session::default() },
        };
        let shared = self.sessions.iter().map(shared_with).max();
        session.shared = session.shared.max(shared.unwrap_or(0));
        // A request's end is always marked.
        lesson.shared = session.shared.min(request.hashes.len().saturating_sub(1));
        lesson.is_single_call = !session.is_continued && self.is_single_call(agent, at);
        let known = self.agent(agent);
        lesson.is_dearer = known.requests >= MIN_COMPARED && known.as_forwarded > known.as_sent;
        lesson.is_steady = known.continued >= MIN_CONTINUED
            && known.paused * MIN_REQUESTS_A_PAUSE < known.continued;
        lesson.has_paused = known.paused > 0;
        let own = self.sessions.iter().filter(|it| it.agent == agent);
        lesson.prefix = shared_ttl(own.map(|it| at.saturating_sub(it.began)));
        session.latest = request;
        session.latest_at = at;
        self.sessions.push_back(session);
        self.forget();
        (lesson, agent)
    }

    /// Adds what a request is predicted to cost, in US dollars: with the agent's markers, and with
    /// the forwarded ones.
    pub(crate) fn settle(&mut self, agent: u64, as_sent: f64, as_forwarded: f64) {
        let agent = self.agent(agent);
        agent.as_sent += as_sent;
        agent.as_forwarded += as_forwarded;
        agent.requests += 1;
    }

    fn agent(&mut self, agent: u64) -> &mut Agent {
        if self.agents.len() >= MAX_SESSIONS && !self.agents.contains_key(&agent) {
            self.agents.clear();
        }
        self.agents.entry(agent).or_default()
    }

    /// Returns true if an agent's sessions so far were not continued.
    fn is_single_call(&self, agent: u64, at: Duration) -> bool {
        let own = self.sessions.iter().filter(|it| it.agent == agent);
        let mut own = own.rev().take(8);
        let mut single_calls = 0;
        let is_continued = own.any(|it| {
            single_calls += usize::from(at.saturating_sub(it.began) >= PATIENCE);
            it.is_continued
        });
        !is_continued && single_calls >= MAX_SINGLE_CALLS
    }

    /// Removes the oldest sessions if there are too many.
    fn forget(&mut self) {
        let mut hashes: usize = self.sessions.iter().map(|it| it.latest.hashes.len()).sum();
        while self.sessions.len() > MAX_SESSIONS || hashes > MAX_HASHES {
            let Some(oldest) = self.sessions.pop_front() else {
                return;
            };
            hashes -= oldest.latest.hashes.len();
        }
    }
}

/// Returns how long the common prefix is. Each hash also covers everything before it, so the common
/// ones come first.
fn common(one: &[u64], other: &[u64]) -> usize {
    let (mut from, mut to) = (0, one.len().min(other.len()));
    while from < to {
        let middle = from + (to - from) / 2;
        if one[middle] == other[middle] {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lesson for a request whose blocks have these names. The first one is the system
    /// prompt, and `a` begins an answer's name.
    fn add(learner: &mut Learner, blocks: &str, at: u64) -> Lesson {
        let mut hash = 0;
        let hashes = blocks.split(' ').map(|block| {
            hash = aside_body::hash::extend(hash, block);
            hash
        });
        let hashes: Vec<u64> = hashes.collect();
        let request = Prefixes {
            agent: hashes[0],
            hashes,
            context: 1,
            answers: blocks.split(' ').filter(|it| it.starts_with('a')).count(),
        };
        learner.add(request, Duration::from_secs(at)).0
    }

    #[test]
    fn blocks_that_did_not_come_back_are_volatile() {
        let mut learner = Learner::default();
        assert_eq!(add(&mut learner, "s q r1", 0), Lesson::default());
        let second = add(&mut learner, "s q a q2 r2", 10);
        assert_eq!((second.volatile, second.is_single_call), (1, false));
        assert_eq!(second.since_previous, Some(Duration::from_secs(10)));
        assert_eq!(add(&mut learner, "s q a q2 a2 q3 r3", 20).volatile, 1);
        assert_eq!(add(&mut learner, "s q a q2 a2 q3 r3 a3 q4", 30).volatile, 0);
    }

    #[test]
    fn blocks_of_two_sessions_are_shared() {
        let mut learner = Learner::default();
        assert_eq!(add(&mut learner, "s c q1", 0).shared, 0);
        assert_eq!(add(&mut learner, "s c q2", 1).shared, 2);
        assert_eq!(add(&mut learner, "s c q1 a q3", 2).shared, 2);
        assert_eq!(add(&mut learner, "t c q1", 3).shared, 0);
    }

    #[test]
    fn two_single_calls_make_a_third_one() {
        let mut learner = Learner::default();
        let calls: Vec<bool> = ["s q1", "s q2", "s q3", "s q4"]
            .iter()
            .zip(0..)
            .map(|(it, at)| add(&mut learner, it, at * 30).is_single_call)
            .collect();
        assert_eq!(calls, [false, false, true, true]);
        // Another agent's session, and one that is continued after all.
        assert!(!add(&mut learner, "t q", 200).is_single_call);
        add(&mut learner, "s q4 a q5", 210);
        assert!(!add(&mut learner, "s q6", 220).is_single_call);
    }

    #[test]
    fn pauses_of_an_agent_are_counted() {
        let mut learner = Learner::default();
        let paces: Vec<bool> = ["s q", "s q a q", "s q a q a q", "s q a q a q a q"]
            .iter()
            .zip([0, 10, 20, 1_000])
            .map(|(it, at)| add(&mut learner, it, at).is_steady)
            .collect();
        assert_eq!(paces, [false, false, true, false]);
        // Another agent.
        assert!(!add(&mut learner, "t q", 1_001).is_steady);
        // A session of the first one, 17 minutes after the last one began.
        assert_eq!(add(&mut learner, "s p", 1_020).prefix, Ttl::OneHour);
        assert_eq!(add(&mut learner, "t p", 1_021).prefix, Ttl::FiveMinutes);
    }

    #[test]
    fn a_loss_ends_the_placement() {
        let mut learner = Learner::default();
        let (_, agent) = learner
            .add(Prefixes { agent: 1, hashes: vec![1], context: 1, answers: 0 }, Duration::ZERO);
        for _ in 0..MIN_COMPARED {
            learner.settle(agent, 1.0, 1.1);
        }
        let again = Prefixes { agent: 1, hashes: vec![1, 2], context: 1, answers: 0 };
        assert!(learner.add(again, Duration::ZERO).0.is_dearer);
    }
}
