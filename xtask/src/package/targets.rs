//! What Rust, Python and Node call a platform.
//!
//! | Rust | wheel | npm |
//! |---|---|---|
//! | `x86_64-unknown-linux-gnu` | `manylinux_2_34_x86_64` | `linux-x64` |
//! | `aarch64-apple-darwin` | `macosx_11_0_arm64` | `darwin-arm64` |
//! | `x86_64-pc-windows-msvc` | `win_amd64` | `win32-x64` |
//!
//! The glibc in a wheel's name is read from the program.

use anyhow::{Context, Result, bail};

/// The platforms that have an npm package.
pub(super) const NODE: [&str; 5] =
    ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];

/// Returns the triple of the platform that cargo compiles for by default.
///
/// The argument is what `rustc -vV` prints.
pub(super) fn triple(rustc_version: &str) -> Result<String> {
    let mut lines = rustc_version.lines();
    let host = lines.find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

/// Returns the platform as Node names it: `process.platform` and
/// `process.arch`.
///
/// # Errors
/// The platform has no package.
pub(super) fn node(triple: &str) -> Result<String> {
    let arch = match triple.split('-').next() {
        Some("x86_64") => "x64",
        Some("aarch64") => "arm64",
        _ => bail!("no package of npm for {triple}"),
    };
    let platform = match triple {
        _ if triple.contains("linux") => "linux",
        _ if triple.contains("darwin") => "darwin",
        _ if triple.contains("windows") => "win32",
        _ => bail!("no package of npm for {triple}"),
    };
    Ok(format!("{platform}-{arch}"))
}

/// Returns the platform tag for a wheel with this program.
///
/// On Linux with glibc it names the newest symbol version that the program
/// needs, as the standard for manylinux tags demands.
pub(super) fn wheel_tag(triple: &str, program: &[u8]) -> Result<String> {
    let arch = triple.split('-').next().unwrap_or_default();
    Ok(match triple {
        _ if triple.ends_with("linux-gnu") => {
            let minor = newest_glibc(program).context("the program needs no version of glibc")?;
            format!("manylinux_2_{minor}_{arch}")
        }
        _ if triple.ends_with("linux-musl") => format!("musllinux_1_2_{arch}"),
        "aarch64-apple-darwin" => "macosx_11_0_arm64".to_owned(),
        "x86_64-apple-darwin" => "macosx_10_12_x86_64".to_owned(),
        _ if triple.starts_with("x86_64-pc-windows") => "win_amd64".to_owned(),
        _ => bail!("no wheel for {triple}"),
    })
}

/// Returns the minor version of the newest `GLIBC_2.N` in the program.
fn newest_glibc(program: &[u8]) -> Option<u32> {
    const NAME: &[u8] = b"GLIBC_2.";
    let windows = program.windows(NAME.len()).enumerate();
    let found = windows.filter(|(_, window)| *window == NAME);
    found
        .filter_map(|(at, _)| {
            let digits = program[at + NAME.len()..].iter();
            let digits = digits.take(3).take_while(|byte| byte.is_ascii_digit());
            let digits: String = digits.map(|byte| char::from(*byte)).collect();
            digits.parse().ok()
        })
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_of_npm_is_that_of_a_triple() {
        let triples = [
            "x86_64-unknown-linux-gnu",
            "aarch64-unknown-linux-gnu",
            "x86_64-apple-darwin",
            "aarch64-apple-darwin",
            "x86_64-pc-windows-msvc",
        ];
        assert_eq!(triples.map(|it| node(it).unwrap()), NODE);
        assert!(node("riscv64gc-unknown-linux-gnu").is_err());
    }

    #[test]
    fn a_wheel_names_the_glibc_that_it_needs() {
        let program = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.4\0GLIBC_PRIVATE\0";
        let tag = wheel_tag("x86_64-unknown-linux-gnu", program).unwrap();
        assert_eq!(tag, "manylinux_2_34_x86_64");
        assert!(wheel_tag("x86_64-unknown-linux-gnu", b"static").is_err());
        let tag = wheel_tag("aarch64-apple-darwin", b"").unwrap();
        assert_eq!(tag, "macosx_11_0_arm64");
    }
}
