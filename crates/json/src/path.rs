use std::fmt;

/// The position of a value in a document: a list on the stack of the reader, which costs nothing
/// until an error prints it.
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
    /// The whole document, printed as nothing.
    Root,
    /// A member of an object.
    Key(&'a Path<'a>, &'a str),
    /// An element of an array.
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
