/// Where a text that the harness adds to a conversation comes from.
///
/// Only the harness's own text may be sent with the authority of a system
/// message; text from outside is sent as a `<system-reminder>` part in a user
/// message. The enum is exhaustive on purpose: code that grants authority has
/// to handle every case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trust {
    /// Every word is part of the program, belongs to a closed set of values,
    /// such as numbers and dates, or was written by the user for this purpose.
    Harness,
    /// Some text comes from a file, a tool, a hook, a server, an editor or a
    /// model.
    Outside,
}
