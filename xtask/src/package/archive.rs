//! Archives with the same bytes for the same entries: no owner, no time.
//!
//! An archive built again from the same files has the same checksum.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// With `/` between its parts.
    pub(super) path: String,
    /// Uncompressed.
    pub(crate) bytes: Vec<u8>,
    /// The file can be executed: mode 755 instead of 644.
    pub(super) is_program: bool,
}

impl Entry {
    /// Returns a file with mode 644.
    pub(super) fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), is_program: false }
    }

    /// Returns a file with mode 755.
    pub(super) fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { is_program: true, ..Self::new(path, bytes) }
    }

    fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Level {
    /// Fast, for tests.
    Stored,
    /// Smallest, for a release.
    Best,
}

/// Returns a gzipped tar archive with the entries in the given order.
pub(super) fn tar_gz(entries: &[Entry], level: Level) -> Result<Vec<u8>> {
    let compression = match level {
        Level::Stored => Compression::none(),
        Level::Best => Compression::best(),
    };
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), compression));
    for entry in entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode());
        let added = archive.append_data(&mut header, &entry.path, &entry.bytes[..]);
        added.with_context(|| format!("failed to add {}", entry.path))?;
    }
    Ok(archive.into_inner()?.finish()?)
}

/// Returns a ZIP archive with the entries in the given order, each with the
/// earliest time that the format has.
pub(super) fn zip(entries: &[Entry], level: Level) -> Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let method = match level {
        Level::Stored => CompressionMethod::Stored,
        Level::Best => CompressionMethod::Deflated,
    };
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::default())
            .unix_permissions(entry.mode());
        archive
            .start_file(&*entry.path, options)
            .with_context(|| format!("failed to add {}", entry.path))?;
        archive.write_all(&entry.bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// Returns the lines that `sha256sum --check` reads.
pub(crate) fn checksums(files: &[&Path]) -> Result<String> {
    let mut lines = String::new();
    for file in files {
        let bytes = fs::read(file)?;
        let name = file.file_name().unwrap_or_default().display();
        lines += &format!("{}  {name}\n", hex(&sha256(&bytes)));
    }
    Ok(lines)
}

pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        vec![Entry::program("a/bin/program", b"#!"), Entry::new("a/README.md", b"text")]
    }

    #[test]
    fn the_same_entries_give_the_same_bytes() {
        for level in [Level::Stored, Level::Best] {
            assert_eq!(tar_gz(&entries(), level).unwrap(), tar_gz(&entries(), level).unwrap());
            assert_eq!(zip(&entries(), level).unwrap(), zip(&entries(), level).unwrap());
        }
    }

    #[test]
    fn names_contents_and_modes_are_kept() {
        let bytes = tar_gz(&entries(), Level::Best).unwrap();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..]));
        let mut found = Vec::new();
        for entry in archive.entries().unwrap() {
            let entry = entry.unwrap();
            let path = entry.path().unwrap().display().to_string();
            found.push((path, entry.header().mode().unwrap()));
        }
        let expected = [("a/bin/program", 0o755), ("a/README.md", 0o644)];
        assert_eq!(found, expected.map(|(path, mode)| (path.to_owned(), mode)));

        let bytes = zip(&entries(), Level::Best).unwrap();
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let program = archive.by_index(0).unwrap();
        assert_eq!(program.name().unwrap(), "a/bin/program");
        assert_eq!(program.unix_mode().map(|mode| mode & 0o777), Some(0o755));
    }

    #[test]
    fn checksums_are_those_of_the_standard_command() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("abc.txt");
        fs::write(&file, "abc").unwrap();
        let expected =
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc.txt\n";
        assert_eq!(checksums(&[&file]).unwrap(), expected);
    }
}
