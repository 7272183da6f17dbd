//! What the tables are written in: an agent's places, names, front matter and imports.

use serde::{Deserialize, Serialize};

use crate::OperatingSystem;
use crate::discover::name_pattern::is_named;

/// One agent's discovery rules.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The name on the command line, such as `codex`.
    pub(crate) name: &'static str,
    /// The agent's name as its makers write it.
    pub(crate) agent: &'static str,
    /// Files and directories in a project that show that its team uses the agent.
    pub(crate) traces: &'static [&'static str],
    /// The files that a session starts with, in the order that the model reads them.
    pub(crate) steps: &'static [Step],
    /// The files in each directory of a touched path.
    pub(crate) nested: &'static [Step],
    /// The directories to search for `nested` when a path is touched.
    pub(crate) touched: TouchedDirs,
    pub(crate) imports: ImportForm,
    pub(crate) header_start: HeaderStart,
    pub(crate) bytes: Bytes,
    pub(crate) globs: GlobForm,
    pub(crate) excludes: ExcludeForm,
    /// Where in the request the agent puts the texts, if known.
    pub(crate) destination: Option<&'static str>,
    /// Open questions about the agent, each a short phrase for the user.
    pub(crate) unknown: &'static [&'static str],
}

impl Facts {
    /// Creates the facts for an agent that reads all files when a session starts, and each whole.
    pub(crate) const fn new(name: &'static str, agent: &'static str) -> Self {
        Self {
            name,
            agent,
            traces: &[],
            steps: &[],
            nested: &[],
            touched: TouchedDirs::None,
            imports: ImportForm::None,
            header_start: HeaderStart::AfterBlankLines,
            bytes: Bytes::Utf8,
            globs: GlobForm::Rooted,
            excludes: ExcludeForm::None,
            destination: Some("system prompt"),
            unknown: &[],
        }
    }
}

#[derive(Debug)]
pub(crate) struct Step {
    /// The directories to search for the names.
    pub(crate) place: Place,
    /// Paths relative to each directory; `DIR/**/*END` is every file below `DIR` whose name ends
    /// with `END`.
    pub(crate) names: &'static [&'static str],
    /// Which names to read if several exist.
    pub(crate) pick: Pick,
    /// The front matter in these files.
    pub(crate) header: Header,
}

/// The directories to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The user's home.
    Home,
    /// The working directory.
    WorkingDirectory,
    /// The root of the repository.
    Root,
    /// From the working directory up to the repository's root, without both.
    Between,
    /// From the repository's root down to the working directory.
    RootDown,
    /// From the working directory up to the repository's root, or up to the file system's without
    /// a repository.
    UpToRoot,
}

/// Which files count if several exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    All,
    /// The first name that exists in each directory.
    First,
    /// The first name in each directory whose file has a text.
    FirstWithText,
    /// The first name that exists in any directory, in all of them.
    FirstName,
    /// The innermost directory that has one of the names.
    Nearest,
}

/// The directories that count when a path is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TouchedDirs {
    None,
    /// Below the working directory down to the path.
    BelowWorkingDirectory,
    /// From the path's directory up to the working directory, without it.
    UpToWorkingDirectory,
    /// From the repository's root down to the path.
    FromRoot,
}

/// What front matter a file may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Header {
    /// `paths`, as in Claude Code.
    #[default]
    Paths,
    /// None: the text is the whole file.
    None,
    /// `applyTo`, as in Copilot, which stays in the text.
    ApplyTo,
    /// `description`, `globs` and `alwaysApply`, as in Cursor.
    Cursor,
    /// Front matter that is removed and has no effect.
    Ignored,
}

/// Where front matter begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderStart {
    /// On the first line that is not blank.
    AfterBlankLines,
    /// On the first line; below a blank one it is text.
    FirstLine,
}

/// What becomes of a file that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bytes {
    /// It is skipped.
    Utf8,
    /// The model gets U+FFFD for the bytes that are not.
    Replaced,
}

/// What imports a file may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportForm {
    None,
    /// As Aside reads them: at most four files away, with or without punctuation after them.
    Lenient,
    /// As Claude Code reads them: the same in each text token, with the punctuation, and only files
    /// whose ending it takes for text.
    Claude,
    /// At most five files away, inside the project; only backticks are code.
    Gemini,
}

/// How the patterns of a rule match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GlobForm {
    /// A pattern without a slash matches at the top only, and the user's count from the project's
    /// root. Of the patterns that match, the last decides.
    Rooted,
    /// As lines of a `.gitignore`: a pattern without a slash matches in every directory, letter case
    /// does not matter, and nothing below a matching directory is excluded. `/**` at the end counts
    /// as the directory, and the user's patterns count from the working directory.
    Gitignore,
}

/// What the excludes in the settings of Claude Code are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExcludeForm {
    /// The agent does not read these settings.
    None,
    /// Globs and paths, also relative ones; that of a directory covers everything below it.
    Paths,
    /// Globs that a file's absolute path has to match.
    AbsoluteGlobs,
}

impl GlobForm {
    /// Returns true if a rule with these patterns is for every path, as one without them is.
    pub(crate) fn is_for_every_path(self, globs: &[String]) -> bool {
        let mut dirs = globs.iter().map(|glob| glob.strip_suffix("/**").unwrap_or(glob));
        self == Self::Gitignore && dirs.all(|dir| matches!(dir, "" | "**"))
    }

    /// Returns the system whose letter case rule counts for patterns.
    pub(crate) fn platform(self, platform: OperatingSystem) -> OperatingSystem {
        match (self, platform) {
            (Self::Gitignore, OperatingSystem::Linux) => OperatingSystem::MacOs,
            _ => platform,
        }
    }
}

impl ImportForm {
    pub(crate) fn max_hops(self) -> usize {
        match self {
            Self::None => 0,
            Self::Lenient | Self::Claude => 4,
            Self::Gemini => 5,
        }
    }

    /// Returns true if every import that is found is meant as one, also if it names no file.
    pub(crate) fn is_always_meant(self) -> bool {
        self == Self::Gemini
    }
}

impl Header {
    /// Returns true if the agent sends the front matter with the text.
    pub(crate) fn is_sent(self) -> bool {
        matches!(self, Self::None | Self::ApplyTo)
    }
}

impl Step {
    pub(crate) const fn new(place: Place, names: &'static [&'static str], pick: Pick) -> Self {
        Self { place, names, pick, header: Header::None }
    }

    pub(crate) const fn with_header(self, header: Header) -> Self {
        Self { header, ..self }
    }

    /// Returns true if one of the names is this one, or a pattern that it matches.
    pub(crate) fn reads(&self, name: &str) -> bool {
        self.names.iter().any(|it| is_named(it, name))
    }
}
