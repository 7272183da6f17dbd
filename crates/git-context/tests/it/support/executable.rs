//! Executable files for tests.

use std::path::Path;
use std::process::Command;

/// Writes an executable file.
///
/// Another process writes it: a process that this one forks meanwhile, for another test, would hold
/// the file open for writing, and the system would then refuse to execute it.
pub(crate) fn write_executable(path: &Path, text: &str) {
    let write = r#"printf '%s' "$1" > "$0" && chmod 755 "$0""#;
    let mut shell = Command::new("/bin/sh");
    let status = shell.args(["-c", write]).arg(path).arg(text).status();
    assert!(status.unwrap().success(), "{}", path.display());
}
