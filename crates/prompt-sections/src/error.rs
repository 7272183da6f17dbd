use std::fmt;

use aside_text::{names, one_line};

/// Why a section cannot be added, moved, replaced or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionError {
    kind: SectionErrorKind,
    name: String,
}

names! {
    /// The kinds of [`SectionError`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum SectionErrorKind {
        /// A section with this name exists already.
        DuplicateName = "is registered already",
        /// The name is empty, starts or ends with white space, or contains control
        /// characters.
        InvalidName = "is not a valid name: one line, not empty, no outer white space",
        /// The name belongs to a part that is added after the sections, such as `append`.
        ReservedName = "is a reserved name",
        /// No section has this name.
        UnknownName = "is not registered",
        /// A static section would come after a dynamic one, or a dynamic one before a static one.
        WrongZone = "is in the other zone",
        /// An uncached section has to give a reason to break the cache.
        MissingReason = "is uncached and gives no reason for it",
    }
}

impl SectionError {
    pub(crate) fn new(kind: SectionErrorKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into() }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> SectionErrorKind {
        self.kind
    }

    /// Returns the name of the section concerned.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for SectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "section `{}` {}", one_line(&self.name), self.kind)
    }
}

impl std::error::Error for SectionError {}
