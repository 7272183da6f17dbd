//! The command with nothing from this machine in its environment.

use std::path::Path;
use std::process::Command;

/// Prepares to run `aside` in `cwd`. The user's and the administrator's
/// directories are `home` and `managed`, below `root`.
pub(crate) fn aside(root: &Path, cwd: &Path) -> Command {
    // A missing home would itself be a fault. A test may write there.
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
