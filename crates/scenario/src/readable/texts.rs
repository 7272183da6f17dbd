//! Texts that many requests have: prompt sections, tool descriptions,
//! attachments. Each is in a file in the folder `texts`, and the readable form
//! names it, so a changed word is one changed line.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::SourcedLine;
use crate::case::TEXTS;
use crate::own_file;

/// Shorter texts are not worth a file.
const MIN_BYTES: usize = 160;

/// By name, which is also the file's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    files: BTreeMap<String, String>,
    names: HashMap<String, String>,
}

impl Texts {
    /// Reads the folder in a directory of scenarios, if it exists.
    ///
    /// # Errors
    ///
    /// The folder or a file cannot be read, or is a link.
    pub(crate) fn read(scenarios: &Path) -> Result<Self> {
        let folder = scenarios.join(TEXTS);
        let mut files = BTreeMap::new();
        if folder.symlink_metadata().is_ok() {
            own_file::folder(&folder)?;
            let failed = || format!("failed to read {}", folder.display());
            for entry in fs::read_dir(&folder).with_context(failed)? {
                let path = entry?.path();
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                if path.extension().is_some_and(|end| end == "txt") {
                    let bytes = own_file::read(&path)?.unwrap_or_default();
                    let text = String::from_utf8_lossy(&bytes);
                    let text = text.replace("\r\n", "\n");
                    let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
                    files.insert(name.into_owned(), text);
                }
            }
        }
        Ok(Self::new(files))
    }

    /// Finds the texts that the first requests of at least two scenarios share.
    /// Those from one source are numbered, most frequent first.
    pub(crate) fn find<'a>(bodies: impl Iterator<Item = (&'a str, &'a [SourcedLine])>) -> Self {
        let mut found: BTreeMap<String, BTreeMap<String, BTreeSet<&str>>> = BTreeMap::new();
        for (scenario, lines) in bodies {
            for unit in units(lines) {
                let label = slug(&lines[unit.start].label);
                let texts = found.entry(label).or_default();
                texts.entry(text(&lines[unit])).or_default().insert(scenario);
            }
        }
        let mut files = BTreeMap::new();
        let mut known = BTreeSet::new();
        for (label, texts) in found {
            let shared = texts.into_iter().filter(|it| it.1.len() > 1);
            let shared = shared.filter(|it| known.insert(it.0.clone()));
            let mut shared: Vec<_> = shared.map(|it| (it.1.len(), it.0)).collect();
            shared.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
            for (index, (_, text)) in shared.into_iter().enumerate() {
                let name = match index {
                    0 => label.clone(),
                    _ => format!("{label}-{}", index + 1),
                };
                files.insert(name, text);
            }
        }
        Self::new(files)
    }

    fn new(files: BTreeMap<String, String>) -> Self {
        let names = files.iter().map(|(name, text)| (text.clone(), name.clone()));
        Self { names: names.collect(), files }
    }

    /// `None` for a text without a file.
    pub(crate) fn name(&self, text: &str) -> Option<&str> {
        self.names.get(text).map(String::as_str)
    }

    /// Returns the folder's files that are not these texts, with what they
    /// should contain; `None` to remove one.
    ///
    /// # Errors
    ///
    /// Those of [`Texts::read`].
    pub(crate) fn outdated(&self, scenarios: &Path) -> Result<Vec<(PathBuf, Option<Vec<u8>>)>> {
        let known = Self::read(scenarios)?;
        let names: BTreeSet<&String> = self.files.keys().chain(known.files.keys()).collect();
        let mut outdated = Vec::new();
        for name in names {
            let path = scenarios.join(TEXTS).join(format!("{name}.txt"));
            let text = self.files.get(name);
            let bytes = text.map(|it| format!("{it}\n").into_bytes());
            let known = own_file::read(&path)?;
            let known = known.map(|it| String::from_utf8_lossy(&it).replace("\r\n", "\n"));
            if known.map(String::into_bytes) != bytes {
                outdated.push((path, bytes));
            }
        }
        Ok(outdated)
    }
}

/// Returns the long texts, each from one source, without blank lines at their
/// ends. What people wrote is left out.
pub(crate) fn units(lines: &[SourcedLine]) -> Vec<Range<usize>> {
    let mut units = Vec::new();
    let mut start = 0;
    for end in 1..=lines.len() {
        let first = &lines[start];
        let continues = |next: &&SourcedLine| {
            next.line.continues_text() && first.line.is_text() && next.label == first.label
        };
        if lines.get(end).filter(continues).is_some() {
            continue;
        }
        let is_blank = |it: &&SourcedLine| it.line.text.trim().is_empty();
        let blank = lines[start..end].iter().rev().take_while(is_blank).count();
        let unit = start..end - blank;
        if first.is_ours && first.line.is_text() && text(&lines[unit.clone()]).len() >= MIN_BYTES {
            units.push(unit);
        }
        start = end;
    }
    units
}

pub(crate) fn text(lines: &[SourcedLine]) -> String {
    let lines: Vec<&str> = lines.iter().map(|it| it.line.text.as_str()).collect();
    lines.join("\n")
}

/// Makes a label the name of a file.
fn slug(label: &str) -> String {
    let plain = |c: char| match c {
        _ if c.is_ascii_alphanumeric() => c,
        '_' => '_',
        _ => '-',
    };
    label.chars().map(plain).collect()
}
