//! `cargo xtask examples`: each README's first example, as a new user would type it.
//!
//! A README that begins with a block of `[dependencies]` continues with a program, and with its
//! output if that is the same everywhere. Each program becomes a package with only these
//! dependencies, and is compiled and run; so is the command with which the workspace's README
//! begins. A full run does the same with every other block of `[dependencies]`, such as one without
//! default features, which compiles a crate once more, and installs the command. Any other run
//! takes a sample of the programs, since each compiles crates with features of its own; all of them
//! are tests of their crates' documentation, too.

use std::fs;
use std::iter;
use std::path::Path;

use anyhow::{Context, Result};

use crate::{Extent, cargo, say, tidy};

/// Shows the programs, each below a comment that names its crate.
pub(crate) const PAGE: &str = "crates/README.md";
const MARK: &str = "<!-- program of ";

/// One example of so many is in a sample.
const SAMPLE: usize = 4;

/// A README's first example.
struct Example<'a> {
    /// Each block with which the program runs.
    dependencies: Vec<&'a str>,
    program: &'a str,
    /// What it prints, if that is the same everywhere.
    output: Option<&'a str>,
}

/// Compiles and runs each crate's first example, or a sample of them, and the first command. Returns
/// true if all print what they should.
///
/// # Errors
/// A README cannot be read, or a package cannot be written.
pub(crate) fn run(root: &Path, extent: Extent) -> Result<bool> {
    let is_full = extent == Extent::Full;
    let directory = tempfile::tempdir()?;
    let packages = tidy::packages(root)?;
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let profile = development_profile(&manifest);
    let mut patches = format!("\n[workspace]\n\n{profile}[patch.crates-io]\n");
    for package in packages.iter().filter(|it| it.name.starts_with("aside-")) {
        let path = package.directory().display().to_string();
        patches += &format!("{} = {{ path = {path:?} }}\n", package.name);
    }
    let mut readmes = Vec::new();
    for package in &packages {
        let name = package.name.trim_start_matches("aside-");
        let readme = fs::read_to_string(package.directory().join("README.md")).unwrap_or_default();
        if has_example(&readme) {
            readmes.push((name, readme));
        }
    }
    let (mut count, mut failed) = (0, 0);
    for (name, readme) in readmes.iter().step_by(if is_full { 1 } else { SAMPLE }) {
        let example = Example::of_readme(readme).context("the README has an example")?;
        let blocks = if is_full { example.dependencies.len() } else { 1 };
        for dependencies in &example.dependencies[..blocks] {
            count += 1;
            let place = directory.path().join(name);
            if let Some(fault) =
                example.fault(root, &place, &format!("{dependencies}\n{patches}"))?
            {
                say(&format!("examples: crates/{name}/README.md: {fault}"));
                failed += 1;
            }
        }
    }
    let [first, install] = commands(root)?;
    let commands: Vec<_> = iter::once(first).chain(is_full.then_some(install)).collect();
    for command in &commands {
        if !is_successful(root, command, directory.path())? {
            say(&format!("examples: README.md: {} failed", command.join(" ")));
            failed += 1;
        }
    }
    let (commands, packages) = (commands.len(), count);
    say(&format!("examples: {packages} packages, {commands} commands, {failed} failed"));
    Ok(failed == 0)
}

/// Returns the sections of a manifest's development profile. With the same profile, the examples
/// share what the workspace has compiled already.
fn development_profile(manifest: &str) -> String {
    let sections = manifest.split("\n[").skip(1);
    let sections = sections.filter(|it| it.starts_with("profile.dev"));
    sections.map(|it| format!("[{it}\n")).collect()
}

/// Returns the arguments of the README's first command, and of the one that installs.
fn commands(root: &Path) -> Result<[Vec<String>; 2]> {
    let readme = fs::read_to_string(root.join("README.md"))?;
    let first = readme.lines().find_map(|line| line.strip_prefix("$ cargo run"));
    let first = first.and_then(|line| line.split("  #").next());
    let first = first.context("README.md has no `cargo run`")?;
    let install = readme.split('`').find(|it| it.starts_with("cargo install"));
    let install = install.context("README.md has no `cargo install`")?;
    let install = install.trim_start_matches("cargo ");
    Ok([words(&format!("run {first}")), words(install)])
}

/// Splits a command line as a shell does: words in quotes are one argument.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Runs cargo. What it installs is a test build, below the directory.
fn is_successful(root: &Path, command: &[String], directory: &Path) -> Result<bool> {
    let mut cargo = cargo();
    cargo.args(command).current_dir(root);
    if command.first().is_some_and(|it| it == "install") {
        cargo.args(["--debug", "--offline", "--root"]).arg(directory);
        cargo.arg("--target-dir").arg(root.join("target"));
    }
    let output = cargo.output().context("failed to run cargo")?;
    if !output.status.success() {
        say(&String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.status.success())
}

/// Returns [`PAGE`] with the current programs.
///
/// # Errors
/// A README cannot be read, or does not begin with dependencies and a program.
pub(crate) fn page(root: &Path) -> Result<String> {
    let page = fs::read_to_string(root.join(PAGE))?;
    let mut parts = page.split(MARK);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").context("a comment has no end")?;
        // The old program ends before the next heading.
        let (_, rest) = rest.split_once("\n#").context("no heading follows")?;
        let readme = fs::read_to_string(root.join("crates").join(name).join("README.md"))?;
        let example = Example::of_readme(&readme)
            .with_context(|| format!("{name} has no dependencies and program first"))?;
        text += &format!("{MARK}{name} -->\n```rust\n{}\n```\n\n#{rest}", example.program);
    }
    Ok(text)
}

/// Returns true if a README begins with dependencies and a program.
pub(crate) fn has_example(readme: &str) -> bool {
    Example::of_readme(readme).is_some()
}

impl<'a> Example<'a> {
    /// Returns the example if the first two code blocks are dependencies and a program.
    fn of_readme(readme: &'a str) -> Option<Self> {
        let mut blocks = readme.split("\n```").skip(1).step_by(2);
        let first = blocks.next()?.strip_prefix("toml\n")?;
        let program = blocks.next()?.strip_prefix("rust\n")?;
        let output = blocks.next().and_then(|it| it.strip_prefix("text\n"));
        let others = blocks.filter_map(|it| it.strip_prefix("toml\n"));
        let others = others.filter(|it| it.starts_with("[dependencies]"));
        Some(Self { dependencies: iter::once(first).chain(others).collect(), program, output })
    }

    /// Runs the example in a new package, and returns what is wrong with it.
    fn fault(&self, root: &Path, package: &Path, dependencies: &str) -> Result<Option<String>> {
        let header = "[package]\nname = \"first\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n";
        fs::create_dir_all(package.join("src"))?;
        let manifest = format!("{header}{dependencies}");
        fs::write(package.join("Cargo.toml"), manifest)?;
        fs::write(package.join("src/main.rs"), self.program)?;
        // The workspace's versions are downloaded already.
        fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock"))?;
        let output = cargo()
            .args(["run", "--quiet", "--offline", "--target-dir"])
            .arg(root.join("target"))
            .current_dir(package)
            .output()
            .context("failed to run cargo")?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Ok(Some(stderr.trim_end().to_owned()));
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        let is_wrong =
            self.output.is_some_and(|expected| printed.trim_end() != expected.trim_end());
        Ok(is_wrong.then(|| format!("the program prints\n{printed}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_dependencies_a_program_and_its_output() {
        let readme = "# A\n\n```toml\n[dependencies]\n```\n\n```rust\nfn main() {}\n```\n\n";
        let example = Example::of_readme(readme).unwrap();
        assert_eq!(example.dependencies, ["[dependencies]"]);
        assert_eq!((example.program, example.output), ("fn main() {}", None));
        let with_output = format!("{readme}```text\na\n```\n");
        let example = Example::of_readme(&with_output).unwrap();
        assert_eq!(example.output, Some("a"));
        let with_others = format!("{with_output}\n```toml\n[dependencies]\nb = 1\n```\n");
        let dependencies = Example::of_readme(&with_others).unwrap().dependencies;
        assert_eq!(dependencies, ["[dependencies]", "[dependencies]\nb = 1"]);
        assert!(Example::of_readme("# A\n\n```rust\nfn main() {}\n```\n").is_none());
    }

    #[test]
    fn words_in_quotes_are_one() {
        let words = words("run -- render \"Explain the build\"");
        assert_eq!(words, ["run", "--", "render", "Explain the build"]);
    }
}
