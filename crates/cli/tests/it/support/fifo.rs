//! A FIFO, which blocks a program that opens it.

use std::path::Path;
use std::process::Command;

pub(crate) fn make(path: &Path) {
    let status = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(status.success(), "mkfifo {}", path.display());
}
