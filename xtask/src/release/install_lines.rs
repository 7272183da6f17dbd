//! The commands of READMEs that install something, against the files of a release.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{Extent, output, say};

/// The pages that say how to install something.
const PAGES: [&str; 3] = ["README.md", "bindings/python/README.md", "bindings/node/README.md"];

/// Runs the install lines of all pages in empty places, without a registry for packages of
/// ours. Returns what does not work.
///
/// # Errors
/// A page cannot be read.
pub(super) fn faults(root: &Path, dist: &Path, extent: Extent) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for page in PAGES {
        let text = fs::read_to_string(root.join(page)).with_context(|| page.to_owned())?;
        for line in lines(&text) {
            let place = tempfile::tempdir()?;
            match run(line, root, dist, place.path(), extent) {
                Ok(()) => say(&format!("release: {page}: {line}: installed")),
                Err(error) => faults.push(format!("{page}: {line}: {error:#}")),
            }
        }
    }
    Ok(faults)
}

/// Returns the commands between backquotes that install something.
fn lines(markdown: &str) -> impl Iterator<Item = &str> {
    let spans = markdown.split('`').skip(1).step_by(2);
    spans.filter(|span| {
        let words: Vec<&str> = span.split(' ').take(2).collect();
        matches!(words[..], ["cargo" | "pip" | "npm", "install"])
    })
}

/// Runs an install line. `pip` and `npm` get the file of the package in place of its name.
fn run(line: &str, root: &Path, dist: &Path, place: &Path, extent: Extent) -> Result<()> {
    let words: Vec<&str> = line.split(' ').collect();
    let (program, given) = words.split_first().context("an empty line")?;
    if *program == "cargo" {
        let mut cargo = crate::cargo();
        cargo.args(given).arg("--root").arg(place).current_dir(root);
        if extent == Extent::Short {
            cargo.arg("--debug");
        }
        output(&mut cargo)?;
        return Ok(());
    }
    let (name, options) = given.split_last().context("no package")?;
    let file = file_of(dist, name).with_context(|| format!("no file of {name}"))?;
    let mut install = if *program == "pip" {
        output(Command::new("python3").args(["-m", "venv"]).arg(place))?;
        let mut pip = Command::new(place.join("bin/pip"));
        pip.args(["install", "--no-index", "--no-deps", "--quiet"]);
        pip.arg(file);
        pip
    } else {
        let mut npm = Command::new(program);
        npm.args(options).arg(file).args(["--offline", "--no-audit"]);
        npm
    };
    output(install.current_dir(place))?;
    Ok(())
}

/// Returns the file of a package: a wheel, whose name has underscores, or a tarball of npm.
fn file_of(dist: &Path, name: &str) -> Option<std::path::PathBuf> {
    let begins = [format!("{}-", name.replace('-', "_")), format!("{name}-")];
    let entries = fs::read_dir(dist).ok()?.flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.find(|path| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let is_package = file.ends_with(".whl") || file.ends_with(".tgz");
        is_package && begins.iter().any(|begin| file.starts_with(begin.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn install_lines_are_found() {
        let page = "Run `pip install aside-py` or `npm install -D x`, not `cargo test` or `pip`.";
        let found: Vec<&str> = lines(page).collect();
        assert_eq!(found, ["pip install aside-py", "npm install -D x"]);
    }

    #[test]
    fn the_file_of_a_package_is_found_by_its_name() {
        let dist = tempfile::tempdir().unwrap();
        for name in ["aside_py-1.0-abi3.whl", "aside-node-1.0.tgz", "aside-1.0.tar.gz"] {
            fs::write(dist.path().join(name), "").unwrap();
        }
        let check = |name, expected: Option<&str>| {
            let found = file_of(dist.path(), name);
            assert_eq!(found, expected.map(|file| dist.path().join(file)), "{name}");
        };
        check("aside-py", Some("aside_py-1.0-abi3.whl"));
        check("aside-node", Some("aside-node-1.0.tgz"));
        check("aside-other", None);
    }
}
