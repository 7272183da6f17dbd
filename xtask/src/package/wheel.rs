//! The wheel: the program as a Python package, in the [binary distribution
//! format](https://packaging.python.org/specifications/binary-distribution-format/).
//!
//! A wheel is a ZIP archive. Files below `data` are copied to the environment's
//! prefix, and those below `scripts` to its `bin`:
//!
//! ```text
//! aside_cli-1.2.3.data/scripts/aside
//! aside_cli-1.2.3.data/data/share/man/man1/aside.1
//! aside_cli-1.2.3.dist-info/METADATA, WHEEL, RECORD, licenses/
//! ```
//!
//! It has no Python code, so one wheel serves every version of Python 3.

use anyhow::Result;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use super::archive::{self, Entry, Level};
use super::contents::{Contents, NAME};
use super::targets;

/// Returns the wheel's file name, and its bytes.
///
/// # Errors
/// The platform has no tag for wheels.
pub(super) fn wheel(contents: &Contents, level: Level) -> Result<(String, Vec<u8>)> {
    let (name, version) = (NAME.replace('-', "_"), &contents.version);
    let platform = targets::wheel_tag(&contents.target, &contents.program)?;
    let tag = format!("py3-none-{platform}");
    let data = format!("{name}-{version}.data");
    let info = format!("{name}-{version}.dist-info");
    let script = format!("{data}/scripts/{}", contents.program_name());
    let mut entries = vec![Entry::program(script, contents.program.clone())];
    for file in contents.shared() {
        entries.push(Entry::new(format!("{data}/data/{}", file.path), file.bytes));
    }
    entries.push(Entry::new(format!("{info}/METADATA"), metadata(contents)));
    let wheel = format!(
        "Wheel-Version: 1.0\nGenerator: aside-xtask ({version})\n\
         Root-Is-Purelib: false\nTag: {tag}\n"
    );
    entries.push(Entry::new(format!("{info}/WHEEL"), wheel));
    for license in &contents.licenses {
        let path = format!("{info}/licenses/{}", license.path);
        entries.push(Entry::new(path, license.bytes.clone()));
    }
    let record = format!("{info}/RECORD");
    let list = format!("{}{record},,\n", listed(&entries));
    entries.push(Entry::new(record, list));
    let file = format!("{name}-{version}-{tag}.whl");
    Ok((file, archive::zip(&entries, level)?))
}

/// Returns METADATA: headers as in an e-mail, and the README as the body.
fn metadata(contents: &Contents) -> String {
    let mut lines = format!(
        "Metadata-Version: 2.4\nName: {NAME}\nVersion: {}\nSummary: {}\n\
         Project-URL: Homepage, {}\nProject-URL: Repository, {}\n\
         License-Expression: {}\nKeywords: {}\nRequires-Python: >=3.8\n",
        contents.version,
        contents.description,
        contents.homepage,
        contents.repository,
        contents.license,
        contents.keywords.join(","),
    );
    for license in &contents.licenses {
        lines += &format!("License-File: {}\n", license.path);
    }
    lines += "Description-Content-Type: text/markdown\n\n";
    lines + &contents.readme
}

/// Returns the lines for RECORD: every file's path, hash and size.
fn listed(entries: &[Entry]) -> String {
    let lines = entries.iter().map(|entry| {
        let hash = BASE64_URL_SAFE_NO_PAD.encode(archive::sha256(&entry.bytes));
        format!("{},sha256={hash},{}\n", entry.path, entry.bytes.len())
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_hash_and_the_size_of_each_file() {
        let entries = [Entry::new("a.txt", b"abc")];
        let expected = "a.txt,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\n";
        assert_eq!(listed(&entries), expected);
    }
}
