/// The kind of program that a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A session run by Aside: the file is a transcript, and its lines are
    /// [records](crate::Record). [`resume`](crate::resume) checks the order and ids of its entries.
    Session,
    /// A program with its own loop, which appends entries itself. A line is an entry, without an id
    /// if it has none yet, or a [state](crate::Record::Caller).
    Caller,
}
