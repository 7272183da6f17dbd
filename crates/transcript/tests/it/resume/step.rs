//! The events of a scripted session.

use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Say(&'static str),
    Answer,
    Call,
    /// The model sees a file.
    Read(&'static str),
    /// Another program writes a file.
    Write(&'static str, &'static str),
    /// The session detects changed files.
    Look,
    State(State),
    Date(&'static str),
    Minutes(u64),
    Compact,
    Clear,
    /// A request is sent.
    Send,
    /// A request is prepared and never sent.
    Drop,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    Nothing,
    Planning,
    PlanEnded,
    Servers,
    Busy,
}

pub(crate) const FILES: &[&str] = &["a.txt", "web/b.txt", "web/deep/c.rs"];

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let file = || prop::sample::select(FILES);
    let text = prop::sample::select(vec!["one\n", "one\ntwo\n", "three\n"]);
    let rules = prop::sample::select(vec!["web/CLAUDE.md", "CLAUDE.md"]);
    let section = prop::sample::select(vec!["cluster", "deployment"]);
    let news = prop::sample::select(vec!["", "up", "down", "broken"]);
    let state = prop::sample::select(vec![
        State::Nothing,
        State::Planning,
        State::PlanEnded,
        State::Servers,
        State::Busy,
    ]);
    prop_oneof![
        6 => Just(Step::Say("go on")),
        4 => Just(Step::Answer),
        3 => Just(Step::Call),
        4 => file().prop_map(Step::Read),
        2 => (file(), text.clone()).prop_map(|(file, text)| Step::Write(file, text)),
        1 => (rules, text).prop_map(|(file, text)| Step::Write(file, text)),
        2 => (section, news).prop_map(|(file, text)| Step::Write(file, text)),
        2 => Just(Step::Look),
        4 => state.prop_map(Step::State),
        1 => prop::sample::select(vec!["2026-01-31", "2026-02-01"]).prop_map(Step::Date),
        1 => (0..9_u64).prop_map(Step::Minutes),
        1 => Just(Step::Compact),
        1 => Just(Step::Clear),
        8 => Just(Step::Send),
        2 => Just(Step::Drop),
    ]
}
