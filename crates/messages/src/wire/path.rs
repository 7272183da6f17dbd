use std::fmt;

/// The position of a value in a document: a list on the stack of the reader,
/// which costs nothing until an error prints it as `messages[3].content[0]`.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The whole document, printed as nothing.
    Root,
    Key(&'a Path<'a>, &'a str),
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
