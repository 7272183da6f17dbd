//! Excludes from the settings: globs and paths for files to leave out.
//!
//! An exclude becomes an absolute glob, relative to the home or the working directory:
//!
//! ```text
//! ~/notes/CLAUDE.md   →  /home/ada/notes/CLAUDE.md, and everything below it
//! docs                →  /srv/app/docs, and everything below it
//! **/vendor/*.md      →  unchanged
//! ```

use std::path::Path;

use aside_diagnostic::Diagnostic;
use globset::{Candidate, GlobSet};

use crate::discover::profile::ExcludeForm;
use crate::rules::braces::{Budget, expand};
use crate::rules::glob;
use crate::setting::Setting;
use crate::{OperatingSystem, kinds};

/// The settings' compiled excludes.
#[derive(Debug, Default)]
pub(crate) struct Excludes {
    /// Globs for all excludes, in the order of the settings.
    set: GlobSet,
    /// For each glob in the set, its exclude's index.
    owners: Vec<usize>,
    /// The excludes, in the order of the settings.
    written: Vec<Exclude>,
    /// The excludes that are not valid, at the file that they are written in, else at the working
    /// directory.
    pub(crate) faults: Vec<Diagnostic>,
}

/// An exclude as written in the settings.
#[derive(Debug)]
pub(crate) struct Exclude {
    /// The pattern as written, for reports.
    pub(crate) pattern: String,
    /// The file that it is written in, if known.
    pub(crate) place: Option<String>,
}

impl Excludes {
    /// Compiles the excludes; an invalid one is a fault.
    pub(crate) fn of(setting: &Setting) -> Self {
        let platform = setting.loader.platform;
        let mut globs = Vec::new();
        let mut owners = Vec::new();
        let mut written = Vec::new();
        let mut faults = Vec::new();
        let fault = |place: Option<&String>, message: String| {
            let place = place.map_or(&*setting.cwd, Path::new);
            kinds::BAD_EXCLUDE.diagnostic(message).at(place)
        };
        let mut budget = Budget::default();
        let loader = &setting.loader;
        let form = loader.profile.facts().excludes;
        for exclude in loader.excludes.iter().filter(|_| form != ExcludeForm::None) {
            let place = loader.exclude_places.get(exclude);
            let pattern = match form {
                ExcludeForm::AbsoluteGlobs => Pattern::absolute(exclude, setting),
                _ => Pattern::of(exclude, setting),
            };
            let compiled =
                pattern.and_then(|pattern| pattern.compile(platform, &mut budget, &mut globs));
            owners.resize(globs.len(), written.len());
            if let Err(error) = compiled {
                faults.push(fault(place, format!("bad exclude \"{exclude}\": {error}")));
            }
            written.push(Exclude { pattern: exclude.clone(), place: place.cloned() });
        }
        let set = GlobSet::new(globs).unwrap_or_else(|error| {
            faults.push(fault(None, format!("bad excludes: {error}")));
            GlobSet::empty()
        });
        Self { set, owners, written, faults }
    }

    /// Returns true if no exclude is valid, so that there is nothing to compare.
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Returns the first exclude that matches a path.
    pub(crate) fn covering(&self, path: &Path, platform: OperatingSystem) -> Option<&Exclude> {
        let slashed = platform.relative(b"", path.as_os_str().as_encoded_bytes())?;
        let matching = self.set.matches_candidate(&Candidate::from_bytes(&slashed));
        let first = matching.iter().min()?;
        self.written.get(*self.owners.get(*first)?)
    }
}

/// Returns an exclude for every file below a directory, as each profile reads it.
///
/// ```
/// # use std::path::Path;
/// assert_eq!(aside_claudemd::exclude_below(Path::new("/srv/.claude/rules")), "/srv/.claude/rules/**");
/// ```
#[must_use]
pub fn exclude_below(dir: &Path) -> String {
    format!("{}/**", glob::escape(&dir.to_string_lossy()))
}

/// An exclude as an absolute pattern.
struct Pattern {
    /// The directory that it counts from, with special characters escaped; empty for a pattern that
    /// is absolute as written.
    dir: String,
    /// The pattern below it.
    rest: String,
}

impl Pattern {
    /// Reads an exclude as Claude Code does, which matches absolute paths only.
    ///
    /// # Errors
    ///
    /// An exclude that matches no file, with one that does.
    fn absolute(exclude: &str, setting: &Setting) -> Result<Self, String> {
        let read = Self::of(exclude, setting)?;
        // Each of its alternatives is compared as it is.
        if exclude.starts_with('{') {
            return Ok(Self { dir: String::new(), rest: exclude.to_owned() });
        }
        let is_absolute = exclude.starts_with("**") || Path::new(exclude).is_absolute();
        let is_dir = !glob::has_wildcards(exclude) && setting.cwd.join(exclude).is_dir();
        if is_absolute && !is_dir {
            return Ok(read);
        }
        let start = if is_absolute { "" } else { "**/" };
        let end = if is_dir { "/**" } else { "" };
        let mut name = exclude;
        while let Some((".." | "." | "~", rest)) = name.split_once('/') {
            name = rest;
        }
        let written = format!("{start}{}{end}", name.trim_end_matches('/'));
        Err(format!("Claude Code ignores it: write {written}"))
    }

    /// Makes an exclude absolute.
    ///
    /// # Errors
    ///
    /// An exclude without a name, such as `""` or `./`, which could only mean all files; `~/`
    /// without a home directory, or a directory whose name is not UTF-8, which a glob cannot contain.
    fn of(exclude: &str, setting: &Setting) -> Result<Self, String> {
        use crate::operating_system::ImportTarget;

        let platform = setting.loader.platform;
        let slashes = |text: &str| match platform {
            OperatingSystem::Windows => text.replace('\\', "/"),
            _ => text.to_owned(),
        };
        let pattern =
            |dir: &str, rest: &str| Self { dir: glob::escape(&slashes(dir)), rest: slashes(rest) };
        let below = |dir: &Path, rest: &str| match dir.to_str() {
            Some(dir) => Ok(pattern(dir, rest)),
            None => Err("counts from a directory whose name is not UTF-8".to_owned()),
        };
        let is_of_name = |c: char| !c.is_whitespace() && !['.', '/', '\\'].contains(&c);
        if !exclude.contains(is_of_name) {
            return Err("names no file or directory".to_owned());
        }
        if exclude.starts_with("**") {
            return Ok(pattern("", exclude));
        }
        match (platform.import_target(exclude), &setting.loader.dirs.home) {
            (ImportTarget::Absolute(path), _) => Ok(pattern("", path)),
            (ImportTarget::Home(path), Some(home)) => below(home, path),
            (ImportTarget::Home(_), None) => Err("there is no home directory".to_owned()),
            (ImportTarget::Relative(path), _) => {
                below(&setting.cwd, path.strip_prefix("./").unwrap_or(path))
            }
        }
    }

    /// Compiles the pattern to a glob; without wildcards, for a directory, also to one for
    /// everything below it.
    ///
    /// A name may have the characters of a glob, as `app/[slug]` does, so the pattern counts as a
    /// path too, even if it is no glob.
    ///
    /// # Errors
    ///
    /// A pattern whose braces expand to too many patterns, or that is no glob.
    fn compile(
        &self,
        platform: OperatingSystem,
        budget: &mut Budget,
        globs: &mut Vec<globset::Glob>,
    ) -> Result<(), String> {
        let mut add = |rest: &str| {
            let pattern = format!("{}/{rest}", self.dir);
            let pattern = pattern.trim_matches('/');
            globs.push(glob::glob(pattern, platform)?);
            if !glob::has_wildcards(rest) {
                globs.push(glob::glob(&format!("{pattern}/**"), platform)?);
            }
            Ok::<(), String>(())
        };
        let path = glob::escape(&self.rest);
        if path != self.rest {
            add(&path)?;
        }
        let expanded = expand(self.rest.clone(), budget)?;
        expanded.iter().try_for_each(|rest| add(rest))
    }
}
