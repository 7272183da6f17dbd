//! Cases: folders with a `scenario.yaml`, files in `tree`, and the expected
//! `request-N.json` and `request-N.txt`.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use aside_user_files::DocumentError;

use crate::format::Scenario;
use crate::own_file;
use crate::scenario_file;

/// The folder next to the cases with texts that several share.
pub(crate) const TEXTS: &str = "texts";

/// Makes a folder a case.
const SCENARIO: &str = "scenario.yaml";

/// A folder with a `scenario.yaml` and the requests that its session has to
/// make.
#[derive(Clone, Debug)]
pub struct Case {
    /// The folder's name.
    pub name: String,
    /// The folder.
    pub dir: PathBuf,
    /// The folder whose `tree` is used: its own or that of the scenario that it
    /// extends.
    pub tree: PathBuf,
    /// What `scenario.yaml` holds.
    pub scenario: Scenario,
}

/// Returns every case below `fixtures`, sorted by name.
///
/// # Errors
///
/// A folder cannot be read, or a scenario is not valid; the error has its path
/// and line.
pub fn discover(fixtures: &Path) -> Result<Vec<Case>> {
    let names = names(fixtures)?;
    let cases = names.iter().map(|name| Case::read(fixtures, name));
    cases.collect()
}

/// Returns the cases below `fixtures` by name, sorted, without reading any. A
/// folder with expected files is one, too. What is no file in the place of these, such as a link,
/// makes a case that cannot be read, and so does a name that is not UTF-8: it has U+FFFD here.
///
/// # Errors
///
/// A folder cannot be read.
pub fn names(fixtures: &Path) -> Result<Vec<String>> {
    let entries =
        fs::read_dir(fixtures).with_context(|| format!("failed to read {}", fixtures.display()))?;
    // A folder whose scenario was renamed or removed is a case that fails.
    let marks = [SCENARIO, "scenario.yml", "request-1.json", "request-1.txt"];
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if marks.iter().any(|it| entry.path().join(it).symlink_metadata().is_ok()) {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

impl Case {
    /// Reads one case.
    ///
    /// # Errors
    ///
    /// Those of [`discover`].
    pub fn read(fixtures: &Path, name: &str) -> Result<Self> {
        let dir = folder(fixtures, name)?;
        let mut scenario = read_scenario(&dir)?;
        let mut tree = dir.join("tree");
        if let Some(base) = scenario.extends.clone() {
            let base_dir =
                folder(fixtures, &base).with_context(|| format!("{}: extends", dir.display()))?;
            let base = read_scenario(&base_dir)?;
            if base.extends.is_some() {
                bail!(
                    "{}: extends: expected a scenario that extends no other, found {:?}",
                    dir.display(),
                    base_dir.file_name().unwrap_or_default()
                );
            }
            if tree.symlink_metadata().is_ok() {
                bail!(
                    "{}: expected no tree of its own: extends uses that of {:?}",
                    tree.display(),
                    base_dir.file_name().unwrap_or_default()
                );
            }
            scenario = scenario.over(base);
            tree = base_dir.join("tree");
        }
        Ok(Self { name: name.to_owned(), dir, tree, scenario })
    }

    /// Returns how many requests there are: one per turn, except a last one
    /// that is refused.
    #[must_use]
    pub fn len(&self) -> usize {
        let turns = self.scenario.turns.as_ref().map_or(0, Vec::len);
        turns.saturating_sub(usize::from(self.scenario.refused.is_some()))
    }

    /// Returns true if there are no turns, and so nothing to check.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scenario.turns.as_ref().is_none_or(Vec::is_empty)
    }

    /// Returns where a request's expected bytes are; requests are counted from
    /// 1.
    #[must_use]
    pub fn expected_path(&self, request: usize) -> PathBuf {
        self.dir.join(format!("request-{request}.json"))
    }

    /// Returns where a request's readable form is; requests are counted from 1.
    pub(crate) fn text_path(&self, request: usize) -> PathBuf {
        self.dir.join(format!("request-{request}.txt"))
    }

    /// Returns true if the bytes are written and compared.
    pub(crate) fn has_bytes(&self) -> bool {
        self.scenario.pin.is_none()
    }

    /// Returns the folder's `request-*.json` and `request-*.txt` that have no
    /// turn.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn surplus(&self) -> Result<Vec<PathBuf>> {
        let mut wanted = Vec::new();
        for request in 1..=self.len() {
            wanted.extend(self.has_bytes().then(|| self.expected_path(request)));
            wanted.push(self.text_path(request));
        }
        let mut surplus = Vec::new();
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_request =
                name.starts_with("request-") && (name.ends_with(".json") || name.ends_with(".txt"));
            if is_request && !wanted.contains(&path) {
                surplus.push(path);
            }
        }
        surplus.sort();
        Ok(surplus)
    }
}

/// Refuses a link.
fn folder(fixtures: &Path, name: &str) -> Result<PathBuf> {
    let mut steps = Path::new(name).components();
    let (Some(Component::Normal(_)), None) = (steps.next(), steps.next()) else {
        bail!("expected the name of a scenario, found {name:?}");
    };
    if name == TEXTS {
        bail!("{name:?} is the folder of the common texts: give the scenario another name");
    }
    let dir = fixtures.join(name);
    if name.contains(char::REPLACEMENT_CHARACTER) && dir.symlink_metadata().is_err() {
        bail!("{}: expected a folder with a name in UTF-8", dir.display());
    }
    own_file::folder(&dir)?;
    Ok(dir)
}

fn read_scenario(dir: &Path) -> Result<Scenario> {
    let path = dir.join(SCENARIO);
    let Some(bytes) = own_file::read(&path)? else {
        bail!("failed to find {}", path.display());
    };
    let decoded = aside_user_files::decode(bytes).map_err(|fault| vec![fault]);
    decoded.and_then(|text| scenario_file::read(&text)).map_err(|faults| {
        let line = |fault: &DocumentError| {
            let (path, line, message) = (path.display(), fault.line(), fault.message());
            format!("{path}:{line}: {message}")
        };
        anyhow!("{}", faults.iter().map(line).collect::<Vec<_>>().join("\n"))
    })
}
