use std::path::Path;

use globset::{Candidate, GlobSet};

use crate::Platform;
use crate::glob::{self, Budget};
use crate::setting::Setting;

/// The files that the settings leave out.
#[derive(Debug, Default)]
pub(crate) struct Excludes {
    set: GlobSet,
    /// The exclude that each glob of the set was made of.
    owners: Vec<usize>,
    written: Vec<Exclude>,
    /// What is wrong with them.
    pub(crate) faults: Vec<Fault>,
}

/// An exclude as the settings have it.
#[derive(Debug)]
pub(crate) struct Exclude {
    pub(crate) pattern: String,
    /// Where it is written, if that is known.
    pub(crate) place: Option<String>,
}

/// What is wrong with an exclude.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Where it is written, if that is known.
    pub(crate) place: Option<String>,
    pub(crate) message: String,
}

impl Excludes {
    pub(crate) fn of(setting: &Setting) -> Self {
        let platform = setting.loader.platform;
        let mut globs = Vec::new();
        let mut owners = Vec::new();
        let mut written = Vec::new();
        let mut faults = Vec::new();
        let mut budget = Budget::default();
        for exclude in &setting.loader.excludes {
            let place = setting.loader.exclude_places.get(exclude).cloned();
            match absolute(exclude, setting)
                .and_then(|pattern| compile(&pattern, platform, &mut budget))
            {
                Ok(compiled) => {
                    owners.extend(compiled.iter().map(|_| written.len()));
                    globs.extend(compiled);
                    written.push(Exclude {
                        pattern: exclude.clone(),
                        place,
                    });
                }
                Err(fault) => faults.push(Fault {
                    place,
                    message: format!("bad exclude {exclude}: {fault}"),
                }),
            }
        }
        let set = GlobSet::new(globs).unwrap_or_else(|error| {
            faults.push(Fault {
                place: None,
                message: format!("bad excludes: {error}"),
            });
            GlobSet::empty()
        });
        Self {
            set,
            owners,
            written,
            faults,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Returns the first exclude that covers a path.
    pub(crate) fn covering(&self, path: &Path, platform: Platform) -> Option<&Exclude> {
        let slashed = platform.relative(b"", path.as_os_str().as_encoded_bytes())?;
        let matching = self.set.matches_candidate(&Candidate::from_bytes(&slashed));
        let first = matching.iter().min()?;
        self.written.get(*self.owners.get(*first)?)
    }
}

fn compile(
    pattern: &str,
    platform: Platform,
    budget: &mut Budget,
) -> Result<Vec<globset::Glob>, String> {
    let mut globs = Vec::new();
    for pattern in glob::expand(pattern, budget)? {
        let pattern = pattern.trim_matches('/');
        globs.push(glob::glob(pattern, platform)?);
        if !pattern.contains(['*', '?', '[']) {
            globs.push(glob::glob(&format!("{pattern}/**"), platform)?);
        }
    }
    Ok(globs)
}

/// The pattern from the root on.
fn absolute(exclude: &str, setting: &Setting) -> Result<String, String> {
    use crate::platform::ImportTarget;

    let platform = setting.loader.platform;
    let slashes = |text: &str| match platform {
        Platform::Windows => text.replace('\\', "/"),
        _ => text.to_owned(),
    };
    let below = |dir: &Path, rest: &str| match dir.to_str() {
        // What the name of a directory holds is no pattern.
        Some(dir) => Ok(format!(
            "{}/{}",
            globset::escape(&slashes(dir)),
            slashes(rest)
        )),
        None => Err("counts from a directory whose name is not UTF-8".to_owned()),
    };
    if exclude.starts_with("**") {
        return Ok(slashes(exclude));
    }
    match (platform.import_target(exclude), &setting.loader.dirs.home) {
        (ImportTarget::Absolute(path), _) => Ok(slashes(path)),
        (ImportTarget::Home(path), Some(home)) => below(home, path),
        (ImportTarget::Home(_), None) => Err("there is no home directory".to_owned()),
        (ImportTarget::Relative(path), _) => {
            below(&setting.cwd, path.strip_prefix("./").unwrap_or(path))
        }
    }
}
