//! Installs each artefact into a clean place, and uses the command from there.
//!
//! A place is an empty home and a project with one instruction file. Each
//! artefact is installed with its users' installer, without a network; the
//! command then starts from where the installer put it, has to render, check
//! and refuse a request, and must leave no file in the home directory. All
//! artefacts have to render the same bytes.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use super::Artefacts;
use super::contents::Contents;
use crate::output;
use crate::{installers, say};

/// If set, a missing installer is a fault.
const REQUIRED: &str = "ASIDE_INSTALLS";

/// Installs all artefacts, and returns what does not work.
///
/// An installation that fails is a fault and does not end the others.
///
/// # Errors
/// A checksum is wrong, or a place cannot be created.
pub(super) fn faults(contents: &Contents, artefacts: &Artefacts) -> Result<Vec<String>> {
    check_sums(&artefacts.directory)?;
    let place = Place::new()?;
    let is_required = std::env::var_os(REQUIRED).is_some();
    let mut faults = Vec::new();
    let mut bodies: Vec<(&str, Vec<u8>)> = Vec::new();
    let installs: [(&str, &str, Install); 3] = [
        ("archive", "", unpack),
        ("wheel", "python3", install_wheel),
        ("npm packages", "npm", install_npm),
    ];
    for (name, installer, install) in installs {
        if !installer.is_empty() && !is_there(installer) {
            let message = format!("{name}: not installed, since {installer} is missing");
            if is_required {
                faults.push(message);
            } else {
                say(&format!("package: {message}"));
            }
            continue;
        }
        let directory = place.directory(name)?;
        let tried = install(contents, artefacts, &directory)
            .and_then(|program| place.try_command(&program, contents));
        match tried {
            Ok(body) => {
                say(&format!("package: {name}: installed and used"));
                bodies.push((name, body));
            }
            Err(error) => faults.push(format!("{name}: {error:#}")),
        }
    }
    let first = bodies.first();
    let differ = bodies.iter().find(|it| first.is_some_and(|(_, body)| *body != it.1));
    faults.extend(differ.map(|(name, _)| format!("{name}: other bytes than the archive's")));
    Ok(faults)
}

/// Installs an artefact into an empty directory, and returns the program.
type Install = fn(&Contents, &Artefacts, &Path) -> Result<PathBuf>;

/// Returns true if the program can be started and knows `--version`.
fn is_there(program: &str) -> bool {
    output(Command::new(program).arg("--version")).is_ok()
}

/// Checks `SHA256SUMS` with the standard command, if this machine has it.
fn check_sums(directory: &Path) -> Result<()> {
    let mut check = Command::new("sha256sum");
    check.args(["--check", "--strict", "--quiet", "SHA256SUMS"]);
    if is_there("sha256sum") {
        output(check.current_dir(directory))?;
    }
    Ok(())
}

/// Unpacks the archive, and checks its manual and completions.
fn unpack(contents: &Contents, artefacts: &Artefacts, directory: &Path) -> Result<PathBuf> {
    let bytes = fs::read(&artefacts.archive)?;
    if artefacts.archive.extension() == Some(OsStr::new("zip")) {
        zip::ZipArchive::new(std::io::Cursor::new(bytes))?.extract(directory)?;
    } else {
        tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..])).unpack(directory)?;
    }
    let folder = directory.join(contents.archive_folder());
    check_shared(contents, &folder)?;
    Ok(folder.join(contents.program_name()))
}

/// Installs the wheel into a virtual environment, without an index.
fn install_wheel(contents: &Contents, artefacts: &Artefacts, directory: &Path) -> Result<PathBuf> {
    output(&mut installers::venv(directory))?;
    let programs = directory.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let mut pip = installers::pip_install(&programs.join("python"));
    output(pip.args(["--no-index", "--no-deps"]).arg(&artefacts.wheel))?;
    check_shared(contents, directory)?;
    Ok(programs.join(contents.program_name()))
}

/// Installs both npm packages with an empty cache. The program is npm's link to
/// the launcher.
fn install_npm(_: &Contents, artefacts: &Artefacts, directory: &Path) -> Result<PathBuf> {
    fs::write(directory.join("package.json"), r#"{"private":true}"#)?;
    // Nothing comes from a registry, where the names may belong to another
    // project.
    let mut command = installers::npm("install");
    command.arg("--offline");
    command.arg("--cache").arg(directory.join("cache"));
    command.args([&artefacts.npm.platform, &artefacts.npm.main]);
    output(command.current_dir(directory))?;
    let suffix = if cfg!(windows) { ".cmd" } else { "" };
    Ok(directory.join(format!("node_modules/.bin/aside{suffix}")))
}

/// Checks that the manual and the completions are below the prefix.
fn check_shared(contents: &Contents, prefix: &Path) -> Result<()> {
    for file in contents.shared() {
        let found = fs::read(prefix.join(&file.path));
        ensure!(found.is_ok_and(|it| it == file.bytes), "no {}", file.path);
    }
    Ok(())
}

/// A new user's machine: an empty home, and a project.
struct Place {
    /// Holds everything; removed when dropped.
    directory: TempDir,
    /// The command's `HOME`, which has to stay empty.
    home: PathBuf,
    /// The working directory, with a `CLAUDE.md`.
    project: PathBuf,
}

impl Place {
    fn new() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let place = Self {
            home: directory.path().join("home"),
            project: directory.path().join("project"),
            directory,
        };
        fs::create_dir(&place.home)?;
        fs::create_dir(&place.project)?;
        fs::write(place.project.join("CLAUDE.md"), "Use tabs.\n")?;
        Ok(place)
    }

    fn directory(&self, name: &str) -> Result<PathBuf> {
        let path = self.directory.path().join(name.replace(' ', "-"));
        fs::create_dir(&path)?;
        Ok(path)
    }

    /// Uses the command, and returns the body that it renders.
    ///
    /// # Errors
    /// The version is another one, the body lacks the instruction file, an exit
    /// code is unexpected, or a file was created in the home directory.
    fn try_command(&self, program: &Path, contents: &Contents) -> Result<Vec<u8>> {
        let version = self.run(program, &["--version"], &[], 0)?;
        let version = String::from_utf8_lossy(&version).trim().to_owned();
        let expected = format!("aside {}", contents.version);
        ensure!(version == expected, "--version prints {version:?}");
        let render = ["render", "Explain the build", "--date", "2026-01-31"];
        let body = self.run(program, &render, &[], 0)?;
        let has_memory = String::from_utf8_lossy(&body).contains("Use tabs.");
        ensure!(has_memory, "render leaves CLAUDE.md out");
        self.run(program, &["check", "-"], &body, 0)?;
        self.run(program, &["render", "--modle"], &[], 2)?;
        let left = fs::read_dir(&self.home)?.count();
        ensure!(left == 0, "files were created in the home directory");
        Ok(body)
    }

    /// Runs the command, and returns its stdout.
    ///
    /// The environment has `HOME`, `PATH` and, on Windows, `SystemRoot`.
    ///
    /// # Errors
    /// The exit code is not `code`.
    fn run(&self, program: &Path, arguments: &[&str], input: &[u8], code: i32) -> Result<Vec<u8>> {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.home);
        for name in ["PATH", "SystemRoot"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command.args(arguments).current_dir(&self.project);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().with_context(|| format!("failed to start {}", program.display()))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A command that reads none may have ended.
            let _ = stdin.write_all(input);
        }
        let output = child.wait_with_output()?;
        if output.status.code() != Some(code) {
            let stderr = String::from_utf8_lossy(&output.stderr);
            bail!("aside {arguments:?}: {}: {}", output.status, stderr.trim());
        }
        Ok(output.stdout)
    }
}
