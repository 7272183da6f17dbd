use proptest::prelude::*;

/// Something that happens in a session.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A request, answered with thinking and text.
    Answered,
    /// A request, answered with thinking and a tool call, and its result.
    Called,
    /// The same, with this many images in the result.
    Saw(usize),
    /// A request without a response.
    Aborted,
    /// A request that is prepared and dropped.
    Dropped,
    /// Another user message.
    Said,
    /// A set of tools, by bits; the last bit is another definition.
    Tools(u8),
    /// Whether plan mode and auto mode are on.
    Modes(bool, bool),
    /// Another date.
    Day(u8),
    /// Another text for the computed section.
    Section(u8),
    /// A response is snipped.
    Snipped,
    /// A summary replaces the conversation.
    Compacted,
    /// The conversation is cleared.
    Cleared,
    /// Another process continues the session with this model.
    Resumed(Model),
    /// The API refuses a beta.
    NoBetas,
    /// An entry is edited, and a request is sent. The number chooses the entry.
    Edited(Edit, usize),
}

/// A conversation edit, which makes it another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Nothing is changed.
    Copy,
    /// The entry and all later ones are removed.
    Rewind,
    /// The entry has another text.
    Reword,
    /// The entry is removed.
    Remove,
    /// A message is inserted before the entry.
    Insert,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    Same,
    Alias,
    Other,
    Unbound,
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let model = prop_oneof![
        4 => Just(Model::Same),
        1 => Just(Model::Alias),
        1 => Just(Model::Other),
        1 => Just(Model::Unbound),
    ];
    let edit = prop_oneof![
        Just(Edit::Copy),
        Just(Edit::Rewind),
        Just(Edit::Reword),
        Just(Edit::Remove),
        Just(Edit::Insert),
    ];
    let step = prop_oneof![
        8 => Just(Step::Answered),
        8 => Just(Step::Called),
        2 => (1..4_usize).prop_map(Step::Saw),
        2 => Just(Step::Aborted),
        2 => Just(Step::Dropped),
        3 => Just(Step::Said),
        4 => (0..16_u8).prop_map(Step::Tools),
        3 => (any::<bool>(), any::<bool>()).prop_map(|(plan, auto)| Step::Modes(plan, auto)),
        1 => (1..4_u8).prop_map(Step::Day),
        2 => (0..3_u8).prop_map(Step::Section),
        1 => Just(Step::Snipped),
        1 => Just(Step::Compacted),
        1 => Just(Step::Cleared),
        2 => model.prop_map(Step::Resumed),
        1 => Just(Step::NoBetas),
        4 => (edit, any::<usize>()).prop_map(|(edit, at)| Step::Edited(edit, at)),
    ];
    proptest::collection::vec(step, 40)
}
