//! `cargo xtask`: the checks that CI runs, and the programs that write generated files.
//!
//! Each check is a subcommand, so that you can run one part alone:
//!
//! | command | protects | needs beyond cargo |
//! |---|---|---|
//! | `golden` | the exact bytes of every request in `fixtures` | git |
//! | `conformance` | that official SDKs accept those requests | Python, once the network |
//! | `models` | that prices and limits of models are those of two public maps | Python, the network |
//! | `clients` | that real clients work through the proxy | Python, Node, once the network |
//! | `attack` | the promises of `docs/security.md` | Unix, git; `strace` for the kills |
//! | `guard` | the instructions of the command | valgrind |
//! | `fuzz` | that no input ends a command with a panic | Unix |
//! | `tidy` | the dependencies and the powers of each crate | nothing |
//! | `package` | that every published form installs and runs | Python and npm for their forms |
//! | `bindings` | that the packages for Python and Node work from a clean place | Python, Node, once the network |
//! | `release --dry-run` | that nothing but the keys is missing for a release | Python, Node |
//! | `docs --check` | generated files, and references to tests | nothing |
//!
//! `prose` and `footprint` print or write figures, and find no faults. `ci` runs the checks in the
//! table with formatting, clippy, the tests and rustdoc.
//!
//! The program reports on stderr. Its exit code is 0 if it found no fault, and 1 for a fault or an
//! error.

mod bindings;
mod budget;
mod built;
mod ci;
mod clients;
mod conformance;
mod coverage;
mod deny;
mod docs;
mod examples;
mod golden;
mod installers;
mod maps;
mod package;
mod prose;
mod release;
mod size;
mod tidy;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use golden::ReviewOptions;

/// Printed for any command that is not listed. `golden --print` is left out: only `golden --mutate`
/// starts it.
const USAGE: &str = "usage: cargo xtask COMMAND

  ci [--without-tests|--full]
                            everything that CI runs, in order; --full adds what a release needs
  golden [NAME]             check the golden scenarios in fixtures/
  golden review [BASE] [--accept ID,…|all]
                            review the distinct changes of the golden scenarios, and write those
                            that are accepted; with BASE or BASE..REVISION, print the changes since
  golden --bless [NAME]     review, and accept all
  golden --coverage         list the texts, wire keys, diagnostics and rules that no golden covers
  golden --mutate           change a letter of every text, and list those whose change no golden
                            notices
  conformance [--update]    check every golden request against the SDKs' types, `aside check`
                            against 2,000 mutants of each wire, and the model of the prompt cache
                            against a second implementation; --update writes the closed key sets of
                            the types, crates/rules/src/shapes/sdk
  models [--update]         compare the figures of models with two public price maps; --update
                            writes them from the newest release of both
  clients [--full]          run real clients through `aside proxy` against `aside serve --strict`;
                            --full adds claude-agent-sdk, a download of 170 MB, and all agents
                            of xtask/clients/agents.json; --agents [NAME...] runs only these, and
                            writes their table to target/clients/agents.md
  guard [NAME]              compare the instructions of the command with guards/limits.toml (Unix)
  attack [--short] [NAME]   attack the built command from outside, by every class or one (Unix)
  fuzz [--seconds N]        mutate the inputs of all commands, a minute by default (Unix)
  tidy                      check the architecture
  examples                  run the first example of each README in a package of its own
  package [--artefacts|--full]  check the manifests and pack every crate; --artefacts also builds the
                            archive, the wheel and the npm packages of this platform in
                            target/dist and installs each; --full does so with the program of a
                            release, and compiles every crate
  bindings [--full]         build the packages for Python and Node, and try them in clean places;
                            --full does so as for a release
  release --dry-run [--short]  rehearse a release: versions, order, every package built and installed,
                            checksums, a bill of materials and the install lines of the READMEs, in
                            target/dist; --short builds the programs of the tests
  footprint [--dir DIR] [CRATE...]  write the dependencies and the compile time of crates into their
                            READMEs; with --dir, a build that was interrupted is continued there
  size                      compare the lines of code of each crate with xtask/budget.toml
  prose                     print figures of the prose in comments
  docs [--check]            write the files that follow from the code, or check them";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs a command. Returns true if it found no fault.
///
/// # Errors
/// The arguments are no command in `USAGE`, or a check could not be carried out: a program is
/// missing, or a file cannot be read. A fault that a check finds is `Ok(false)`.
fn run(arguments: &[&str]) -> Result<bool> {
    let fixtures = root().join("fixtures");
    match arguments {
        ["ci"] => ci::run(Extent::Short, ci::Tests::Here),
        ["ci", "--without-tests"] => ci::run(Extent::Short, ci::Tests::ByCaller),
        ["ci", "--full"] => ci::run(Extent::Full, ci::Tests::Here),
        ["golden"] => golden::check(&fixtures, None),
        ["golden", "--bless"] => bless(&fixtures, None),
        ["golden", "--bless", name] => bless(&fixtures, Some(name)),
        ["golden", "review"] => golden::review(&fixtures, &ReviewOptions::default()),
        ["golden", "review", "--accept", ids] => golden::review(
            &fixtures,
            &ReviewOptions { accepted: Some(ids), ..ReviewOptions::default() },
        ),
        ["golden", "review", base] if !base.starts_with('-') => golden::review(
            &fixtures,
            &ReviewOptions { base: Some(base), ..ReviewOptions::default() },
        ),
        // For the mutants.
        ["golden", "--print"] => golden::print(&fixtures).map(|()| true),
        ["golden", "--coverage"] => coverage::report(&root()),
        ["golden", "--mutate"] => coverage::mutate(&root()),
        ["golden", name] if !name.starts_with('-') => golden::check(&fixtures, Some(name)),
        ["conformance"] => conformance::run(&root(), Extent::Full),
        ["conformance", "--update"] => conformance::update(&root()),
        ["models"] => maps::run(&root(), maps::Figures::Check),
        ["models", "--update"] => maps::run(&root(), maps::Figures::Update),
        ["clients"] => clients::run(&root(), Extent::Short),
        ["clients", "--agents", names @ ..] => clients::agents(&root(), Extent::Full, names),
        ["clients", "--full"] => clients::run(&root(), Extent::Full),
        ["attack", rest @ ..] => on_aside("aside-attacks", rest),
        ["fuzz", ..] => on_aside("aside-attacks", arguments),
        ["guard", rest @ ..] => on_aside("aside-guards", rest),
        ["tidy"] => tidy::run(&root()),
        ["package"] => package::run(&root(), package::Extent::Short),
        ["package", "--artefacts"] => package::run(&root(), package::Extent::Artefacts),
        ["package", "--full"] => package::run(&root(), package::Extent::Full),
        ["bindings"] => bindings::run(&root(), Extent::Short),
        ["bindings", "--full"] => bindings::run(&root(), Extent::Full),
        ["release", "--dry-run"] => release::rehearse(&root(), Extent::Full),
        ["release", "--dry-run", "--short"] => release::rehearse(&root(), Extent::Short),
        ["footprint", "--dir", directory, names @ ..] => {
            package::footprint::run(&root(), Some(Path::new(directory)), names)
        }
        ["footprint", names @ ..] => package::footprint::run(&root(), None, names),
        ["examples"] => examples::run(&root(), Extent::Full),
        ["size"] => size::run(&root()),
        ["prose"] => prose::run(&root()).map(|figures| {
            say(&figures);
            true
        }),
        ["docs"] => docs::write(&root()),
        ["docs", "--check"] => docs::check(&root()),
        _ => bail!("{USAGE}"),
    }
}

/// Writes the expected bytes of every case, or of the named one.
fn bless(fixtures: &Path, name: Option<&str>) -> Result<bool> {
    let options = ReviewOptions { name, accepted: Some("all"), ..ReviewOptions::default() };
    golden::review(fixtures, &options)
}

/// Builds the command, and runs a program of this workspace on it with these arguments. Those of
/// `aside-attacks` are `--short`, which selects a sample, and the name of a class; that of
/// `aside-guards` is the name of a guard.
fn on_aside(package: &str, arguments: &[&str]) -> Result<bool> {
    let mut program = cargo();
    program
        .args(["run", "--quiet", "--package", package, "--"])
        .arg(built::aside(&root())?)
        .args(arguments)
        .current_dir(root());
    let status = program.status().context("failed to run cargo")?;
    Ok(status.success())
}

/// Runs a command, and returns its stdout. If it fails, all its output is the
/// error.
fn output(command: &mut Command) -> Result<String> {
    let line = format!("{command:?}");
    let output = command.output().with_context(|| format!("failed to run {line}"))?;
    if !output.status.success() {
        let text = [output.stdout, output.stderr].concat();
        bail!("{line}: {}", String::from_utf8_lossy(&text).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the cargo that runs this program, or the one on the path.
///
/// It does not get the variables that describe this package: the build script of a dependency asks
/// for them, so with other values everything above that dependency is compiled again.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let describes_package = |name: &str| {
        let prefixes = ["CARGO_MANIFEST_", "CARGO_PKG_"];
        prefixes.iter().any(|prefix| name.starts_with(prefix))
    };
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(describes_package) {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// Returns true on a CI machine, which skips and blesses nothing.
///
/// The variable `CI` only has to be set; its value does not matter.
fn is_ci() -> bool {
    std::env::var_os("CI").is_some()
}

/// Returns the workspace directory.
///
/// It is fixed when the program is compiled, so you may start a check from any directory.
fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("failed to read {}", path.display()))
}

fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    fs::write(path, contents).with_context(|| format!("failed to write {}", path.display()))
}

/// How much a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// What every change needs.
    Short,
    /// What a release needs.
    Full,
}

impl Extent {
    fn of_packages(self) -> package::Extent {
        match self {
            Self::Short => package::Extent::Artefacts,
            Self::Full => package::Extent::Full,
        }
    }
}

/// Reports the faults that a step found. Returns true if there are none.
fn report(step: &str, faults: &[String]) -> bool {
    for fault in faults {
        say(&format!("{step}: {fault}"));
    }
    faults.is_empty()
}

/// Prints a line of a report on stderr. stdout is reserved for the bytes from `golden --print`.
#[expect(clippy::print_stderr, reason = "this program reports on stderr")]
fn say(message: &str) {
    eprintln!("{message}");
}
