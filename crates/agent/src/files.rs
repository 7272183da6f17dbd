use std::fmt;

use aside_attachments::{Attachment, LineRange};

use crate::tool::FileRead;

/// Somebody who looks at files for a session, which does so itself nowhere.
/// Both questions may take a while: they are asked off the runtime.
pub trait Files: fmt::Debug + Send + Sync {
    /// What there is at a path that a prompt mentions, absolute or seen from
    /// the working directory; with `lines`, only these of a text. `None`
    /// where there is nothing that can be shown.
    fn mentioned(&self, path: &str, lines: Option<LineRange>) -> Option<Mentioned>;

    /// The file as it is now, if it is not as it was read then, by its time
    /// and identity. `None` also where it is gone.
    fn changed(&self, then: &FileRead) -> Option<FileRead>;
}

/// What a prompt mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mentioned {
    /// What the model is told of it.
    pub attachment: Attachment,
    /// The file that was read for it, if it is one.
    pub read: Option<FileRead>,
}
