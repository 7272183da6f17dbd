//! A simulated session, request by request.

use std::time::Duration;

use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::Role;
use aside_session::{Session, SessionConfig, SessionTime};
use uuid::Uuid;

use crate::support::run;
use crate::traces::price::Sent;
use crate::traces::project::text;

/// How long after a request the next one in a loop follows.
pub(crate) const STEP: Duration = Duration::from_secs(8);

pub(crate) const RESULT_TOKENS: u64 = 550;

pub(crate) const PROMPT_TOKENS: u64 = 80;
/// How long the response that ends a turn is, in tokens.
pub(crate) const ANSWER_TOKENS: u64 = 60;

/// A session and its conversation.
pub(crate) struct Played {
    pub(crate) session: Session,
    conversation: Conversation,
    name: String,
    pub(crate) at: Duration,
    calls: usize,
    pub(crate) sent: Vec<Sent>,
}

impl Played {
    pub(crate) fn open(config: SessionConfig, name: &str, at: Duration) -> Self {
        let session = run(Session::open(config));
        let conversation = session.begin(Uuid::nil());
        Self { session, conversation, name: name.to_owned(), at, calls: 0, sent: Vec::new() }
    }

    pub(crate) fn say(&mut self, parts: Vec<Part>) {
        let entry = EntryDraft::message(Role::User, Origin::Human, parts);
        self.conversation.push(entry);
    }

    /// Appends a user message on a new subject.
    pub(crate) fn ask(&mut self, subject: usize) {
        self.ask_at_length(subject, PROMPT_TOKENS);
    }

    /// Does the same, with a message of this many tokens.
    pub(crate) fn ask_at_length(&mut self, subject: usize, tokens: u64) {
        self.say(vec![Part::text(text(1_000 + subject, tokens))]);
    }

    pub(crate) fn send(&mut self) {
        self.session.set_time(SessionTime {
            now: None,
            elapsed: self.at,
            since_epoch: Some(self.at),
        });
        let mut prepared = self.session.prepare(&self.conversation).unwrap();
        let body = prepared.body.to_vec();
        prepared.commit(&mut self.conversation);
        self.sent.push(Sent { at: self.at, session: self.name.clone(), body: body.into() });
        self.at += STEP;
    }

    /// Appends this many parallel tool calls and their results.
    pub(crate) fn call(&mut self, width: usize) {
        self.call_after(0, width);
    }

    /// Does the same, with this many model texts before the calls.
    pub(crate) fn call_after(&mut self, texts: usize, width: usize) {
        let ids: Vec<String> = (0..width).map(|at| format!("toolu_{}_{at}", self.calls)).collect();
        let uses = ids.iter().map(|id| Part::tool_use(id.clone(), "Tool01", "{}"));
        let before = (0..texts).map(|at| Part::text(text(20_000 + self.calls * 4 + at, 20)));
        self.answer(before.chain(uses).collect());
        let results = ids.iter().enumerate().map(|(at, id)| {
            let seed = 10_000 + self.calls * 100 + at;
            Part::tool_result(id.clone(), text(seed, RESULT_TOKENS))
        });
        let results = EntryDraft::message(Role::User, Origin::Human, results.collect());
        self.conversation.push(results);
        self.calls += 1;
    }

    /// Appends a response that ends the turn.
    pub(crate) fn end_turn(&mut self) {
        self.end_turn_at_length(ANSWER_TOKENS);
    }

    /// Appends a response of this many tokens that ends the turn.
    pub(crate) fn end_turn_at_length(&mut self, tokens: u64) {
        let answer = text(5_000 + self.sent.len(), tokens);
        self.answer(vec![Part::text(answer)]);
    }

    fn answer(&mut self, parts: Vec<Part>) {
        let model =
            Origin::Model { provider: "first-party".into(), name: self.session.model().into() };
        let entry = EntryDraft::message(Role::Assistant, model, parts);
        self.conversation.push(entry);
    }

    /// Simulates a turn: this many rounds with `width` parallel calls, and the
    /// response that ends it.
    pub(crate) fn turn(&mut self, subject: usize, calls: usize, width: usize) {
        self.ask(subject);
        self.send();
        for _ in 0..calls {
            self.call(width);
            self.send();
        }
        self.end_turn();
    }
}
