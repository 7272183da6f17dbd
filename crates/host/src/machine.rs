use std::ffi::OsStr;
use std::path::Path;

use aside_prompt_sections::Platform;

pub(crate) fn platform() -> Platform {
    match std::env::consts::OS {
        "linux" => Platform::Linux,
        "macos" => Platform::MacOs,
        "windows" => Platform::Windows,
        other => Platform::Other(other.to_owned()),
    }
}

/// The name of a shell by its path: `bash` of `/bin/bash`.
pub(crate) fn shell_name(shell: &OsStr) -> String {
    let name = Path::new(shell).file_stem().unwrap_or(shell);
    name.to_string_lossy().into_owned()
}

/// Such as `Linux 6.8.0`.
#[cfg(unix)]
pub(crate) fn os_version() -> Option<String> {
    let name = rustix::system::uname();
    let (system, release) = (
        name.sysname().to_string_lossy(),
        name.release().to_string_lossy(),
    );
    Some(format!("{system} {release}"))
}

/// Not known without running a program.
#[cfg(not(unix))]
pub(crate) fn os_version() -> Option<String> {
    None
}
