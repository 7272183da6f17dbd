use std::fmt;

/// Where a value is in a document: a linked list on the reader's stack, free until an error prints
/// it.
///
/// ```
/// use aside_json::Path;
///
/// let messages = Path::Key(&Path::Root, "messages");
/// let message = Path::Index(&messages, 3);
/// assert_eq!(Path::Key(&message, "content").to_string(), "messages[3].content");
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// The whole document; prints nothing.
    Root,
    /// An object's member.
    Key(&'a Path<'a>, &'a str),
    /// An array's element.
    Index(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Key(Path::Root, key) => write!(f, "{key}"),
            Path::Key(parent, key) => write!(f, "{parent}.{key}"),
            Path::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
