//! The oldest compiler that the manifests claim, tried if it is installed.
//!
//! A newer function in the standard library compiles on every machine of the project and fails for
//! users of the older compiler. This check installs no other toolchain: if rustup does not have it,
//! there is a note.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::manifests::Metadata;
use crate::output;
use crate::say;

/// Compiles the published crates with the compiler in their `rust-version`. Returns a fault if that
/// fails. The workspace's compiler has compiled them already.
pub(super) fn fault(root: &Path, metadata: &Metadata) -> Result<Option<String>> {
    let Some(version) = metadata.rust_version() else {
        return Ok(Some("no rust-version".to_owned()));
    };
    let current = output(Command::new("rustc").arg("--version").current_dir(root))?;
    if is_of(&current, version) {
        say(&format!("package: rust-version {version} is that of every build: {}", current.trim()));
        return Ok(None);
    }
    let mut check = Command::new("rustup");
    check.args(["run", version, "cargo"]);
    if output(Command::new("rustup").args(["run", version, "cargo", "--version"])).is_err() {
        say(&format!("package: rust-version {version} was not tried, since it is not installed"));
        return Ok(None);
    }
    check.args(["check", "--quiet"]);
    for package in metadata.published() {
        check.args(["--package", &package.name]);
    }
    let target = metadata.target_directory().join("rust-version");
    check.arg("--target-dir").arg(target).current_dir(root);
    let failed = output(&mut check).err();
    Ok(failed.map(|error| format!("rust-version {version}: {error:#}")))
}

/// Returns true if the compiler has this version: `rustc 1.95.0 (…)` and `1.95`.
fn is_of(compiler: &str, version: &str) -> bool {
    let mut words = compiler.split(' ').skip(1);
    let rest = words.next().and_then(|it| it.strip_prefix(version));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::is_of;

    #[test]
    fn a_patch_release_is_of_the_version() {
        assert!(is_of("rustc 1.95.0 (abc 2026-01-01)\n", "1.95"));
        assert!(is_of("rustc 1.95.0 (abc 2026-01-01)\n", "1.95.0"));
        assert!(!is_of("rustc 1.95.0 (abc 2026-01-01)\n", "1.9"));
        assert!(!is_of("rustc 1.96.0 (abc 2026-01-01)\n", "1.95"));
    }
}
