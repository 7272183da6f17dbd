/// The program that a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A session of Aside, whose lines are [records](crate::Record), a transcript. The order and
    /// the ids of its entries are checked by [`resume`](crate::resume).
    Session,
    /// A program with a loop of its own, which appends entries by itself. A line is an
    /// entry, without its id if it has none yet, or a [state](crate::Record::Caller).
    Caller,
}
