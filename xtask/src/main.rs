//! `cargo xtask`: the steps of CI.

#[cfg(unix)]
mod attack;
mod built;
mod ci;
mod clients;
mod conformance;
mod docs;
mod golden;
mod installers;
mod package;
mod prose;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask COMMAND

  ci [--without-tests]      everything that CI runs, in order
  golden [--bless] [NAME]   check the golden scenarios in fixtures/, or write them
  conformance               check every golden request against the SDKs' types, and the model
                            of the prompt cache against a second implementation
  clients                   run real clients through `aside proxy` against `aside serve --strict`
  attack [--short] [NAME]   attack the built command from outside, by every class or one (Unix)
  tidy                      check the architecture
  package [--artefacts|--full]  check the manifests and pack every crate; --artefacts also builds the
                            archive, the wheel and the npm packages of this platform in
                            target/dist and installs each; --full does so with the program of a
                            release, and compiles every crate
  footprint [--dir DIR] [CRATE...]  write the dependencies and the compile time of crates into their
                            READMEs; with --dir, a build that was interrupted is continued there
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
fn run(arguments: &[&str]) -> Result<bool> {
    let fixtures = root().join("fixtures");
    match arguments {
        ["ci"] => ci::run(ci::Tests::Included),
        ["ci", "--without-tests"] => ci::run(ci::Tests::Left),
        ["golden"] => golden::check(&fixtures, None),
        ["golden", "--bless"] => golden::bless(&fixtures, None),
        ["golden", "--bless", name] => golden::bless(&fixtures, Some(name)),
        // For the comparison with a second process.
        ["golden", "--print"] => golden::print(&fixtures).map(|()| true),
        ["golden", name] if !name.starts_with('-') => golden::check(&fixtures, Some(name)),
        ["conformance"] => conformance::run(&root()),
        ["clients"] => clients::run(&root()),
        #[cfg(unix)]
        ["attack", rest @ ..] => run_attack(rest),
        ["tidy"] => tidy::run(&root()),
        ["package"] => package::run(&root(), package::Extent::Short),
        ["package", "--artefacts"] => package::run(&root(), package::Extent::Artefacts),
        ["package", "--full"] => package::run(&root(), package::Extent::Full),
        ["footprint", "--dir", directory, names @ ..] => {
            package::footprint::run(&root(), Some(Path::new(directory)), names)
        }
        ["footprint", names @ ..] => package::footprint::run(&root(), None, names),
        ["prose"] => prose::run(&root()).map(|figures| {
            say(&figures);
            true
        }),
        ["docs"] => docs::write(&root()),
        ["docs", "--check"] => docs::check(&root()),
        _ => bail!("{USAGE}"),
    }
}

#[cfg(unix)]
fn run_attack(arguments: &[&str]) -> Result<bool> {
    use attack::Extent;

    match arguments {
        ["--short"] => attack::run(&root(), Extent::Short, None),
        ["--short", name] => attack::run(&root(), Extent::Short, Some(name)),
        [] => attack::run(&root(), Extent::Long, None),
        [name] if !name.starts_with('-') => attack::run(&root(), Extent::Long, Some(name)),
        _ => bail!("{USAGE}"),
    }
}

/// Returns true on a CI machine, on which nothing is skipped and nothing blessed.
fn is_ci() -> bool {
    std::env::var_os("CI").is_some()
}

/// Returns the directory of the workspace.
fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

#[expect(clippy::print_stderr, reason = "this program reports on stderr")]
fn say(message: &str) {
    eprintln!("{message}");
}
