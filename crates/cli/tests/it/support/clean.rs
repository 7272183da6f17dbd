//! The command with nothing of this machine in its environment.

use std::path::Path;
use std::process::Command;

/// Returns a run of `aside` in `cwd`. The user's directory and that of the
/// administrator are `home` and `managed` below `root`.
pub(crate) fn aside(root: &Path, cwd: &Path) -> Command {
    // A home that does not exist is a fault of its own. A test may write there.
    let _ = std::fs::create_dir_all(root.join("home"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    command
        .current_dir(cwd)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", root.join("home"))
        .env("ASIDE_MANAGED_DIR", root.join("managed"));
    command
}
