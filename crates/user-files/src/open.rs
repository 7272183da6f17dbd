//! Opening files safely in trees that others control.
//!
//! A repository can contain FIFOs, sockets, links to anywhere and endless
//! files, and a process can replace any component of a path while it is in use.
//! Every function here opens regular files only, never blocks, and reads up to
//! a limit.
//!
//! * [`open_file`] opens a path that the user named. It follows links.
//! * [`NamedInput`] reads a command's argument: a file, a pipe or the standard
//!   input, up to a limit.
//! * `list_inputs` lists the files in directories and patterns, with the
//!   feature `inputs`.
//! * [`TrustedDir`] is a directory handle. Paths below it are opened component
//!   by component without following links; when a directory is replaced by a
//!   link, the result is the old file or an error.
//! * [`Fence`] decides where links in a project may lead, and opens those files
//!   through a [`TrustedDir`].
//!
//! ```
//! use aside_user_files::open::{Fence, OpenErrorKind};
//!
//! # let root = tempfile::tempdir()?;
//! # let project = root.path().join("project");
//! # std::fs::create_dir(&project)?;
//! # std::fs::write(root.path().join("secret"), "secret")?;
//! std::fs::write(project.join("CLAUDE.md"), "Use tabs.\n")?;
//! # #[cfg(unix)]
//! std::os::unix::fs::symlink("../secret", project.join("AGENTS.md"))?;
//!
//! let fence = Fence::around([&project]);
//! let file = fence.open_file(&project.join("CLAUDE.md"))?;
//! assert_eq!(file.read(4096)?, b"Use tabs.\n");
//! # #[cfg(unix)] {
//! let error = fence.open_file(&project.join("AGENTS.md")).unwrap_err();
//! assert_eq!(error.kind(), OpenErrorKind::Outside);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod entries;
mod error;
mod fence;
#[cfg(feature = "inputs")]
mod listing;
mod named_input;
mod regular_file;
mod trusted_dir;

#[cfg(any(not(unix), test))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use portable as system;
#[cfg(unix)]
use unix as system;

pub use entries::{DirEntry, DirEntryKind, Entries};
pub use error::{FileKind, OpenError, OpenErrorKind};
pub use fence::Fence;
#[cfg(feature = "inputs")]
pub use listing::{Listing, list_inputs};
pub use named_input::{MAX_STREAM_BYTES, NamedInput};
pub use regular_file::{FileKey, Inode, RegularFile, open_file, open_file_to_append};
pub use trusted_dir::{TrustedDir, resolve};

use std::io;

/// Why the system layer opened nothing.
#[derive(Debug)]
enum Fault {
    /// A component of a resolved path is a link.
    Link,
    /// The path is not a regular file.
    Special(FileKind),
    /// The system refused the operation.
    Io(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
