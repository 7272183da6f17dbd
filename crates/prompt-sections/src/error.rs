use std::fmt;

use aside_text::one_line;

/// Why a section cannot be added, moved, replaced or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionError {
    kind: SectionErrorKind,
    name: String,
}

/// The kinds of [`SectionError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SectionErrorKind {
    /// A section with this name exists already.
    DuplicateName,
    /// The name is empty, starts or ends with white space, or contains control
    /// characters.
    InvalidName,
    /// The name belongs to a part that is added after the sections, such as `append`.
    ReservedName,
    /// No section has this name.
    UnknownName,
    /// A static section would come after a dynamic one, or a dynamic one before a static one.
    WrongZone,
    /// An uncached section has to give a reason to break the cache.
    MissingReason,
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
        let what = match self.kind {
            SectionErrorKind::DuplicateName => "is registered already",
            SectionErrorKind::InvalidName => {
                "is not a valid name: one line, not empty, no outer white space"
            }
            SectionErrorKind::ReservedName => "is a reserved name",
            SectionErrorKind::UnknownName => "is not registered",
            SectionErrorKind::WrongZone => "is in the other zone",
            SectionErrorKind::MissingReason => "is uncached and gives no reason for it",
        };
        write!(f, "section `{}` {what}", one_line(&self.name))
    }
}

impl std::error::Error for SectionError {}
