//! Each crate's footprint: its dependencies, and how long a cold build takes.
//!
//! The figures are each README's last section, so that you see what a
//! dependency costs before you add it. Every `cargo xtask package` compares the
//! number of dependencies; only `cargo xtask footprint` measures the time,
//! since a cold build of the workspace takes minutes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::manifests::{Metadata, Package};
use super::tree::Dependency;
use crate::output;
use crate::say;

/// The section ends the README; everything after it is replaced.
const HEADING: &str = "## Footprint\n\n";

/// Writes the figures for the named crates, or all, into their READMEs: one
/// build of these in an empty directory gives all times, with the features that
/// they need together. In a directory that you name, an interrupted
/// build is continued.
///
/// A crate's time is the sum over itself and its dependencies, whatever ran in
/// parallel.
pub(crate) fn run(root: &Path, directory: Option<&Path>, names: &[&str]) -> Result<bool> {
    let metadata = Metadata::read(root)?;
    let times = match directory {
        Some(directory) => compiler_times(root, &std::path::absolute(directory)?, names)?,
        None => compiler_times(root, tempfile::tempdir()?.path(), names)?,
    };
    for package in metadata.published() {
        let name = &package.name;
        if !names.is_empty() && !names.contains(&&**name) {
            continue;
        }
        let needed = &package.needed;
        let own = format!("{name} v{}", package.version);
        let seconds = needed.iter().chain([&own]).filter_map(|it| times.get(it)).sum();
        write(package, needed.len(), seconds)?;
        say(&format!("{name:<24} {:>4} dependencies {seconds:>6.0} s", needed.len()));
    }
    Ok(true)
}

/// Returns a line for each README that states no figures, or other ones.
pub(super) fn outdated(metadata: &Metadata) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for package in metadata.published() {
        let name = &package.name;
        let count = package.needed.len();
        let readme = fs::read_to_string(package.directory().join("README.md"))?;
        let help = format!("cargo xtask footprint {name}");
        match stated(&readme) {
            Some(stated) if stated == count => {}
            Some(stated) => lines.push(format!(
                "{name}: README.md states {stated} dependencies, it has {count}: {help}"
            )),
            None => {
                lines.push(format!("{name}: README.md states no number of dependencies: {help}"));
            }
        }
    }
    Ok(lines)
}

/// Returns how many dependencies a README states, if it has the section.
fn stated(readme: &str) -> Option<usize> {
    let (_, rest) = readme.rsplit_once(HEADING)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Runs the compiler, and writes down how long its process took.
const WRAPPER: &str = include_str!("footprint/wrapper.sh");

/// Returns how many seconds of processor time the compiler takes for each
/// crate; other programs on the machine change that little.
///
/// Cargo starts the wrapper in place of the compiler; it leaves one record for
/// each process, with the crate's name and the process number as its file name.
fn compiler_times(
    root: &Path,
    directory: &Path,
    names: &[&str],
) -> Result<BTreeMap<Dependency, f64>> {
    let (wrapper, records) = (directory.join("wrapper"), directory.join("times"));
    fs::create_dir_all(&records)?;
    fs::write(&wrapper, WRAPPER)?;
    output(Command::new("chmod").arg("+x").arg(&wrapper))?;
    let mut build = crate::cargo();
    build.args(["build", "--quiet"]);
    if names.is_empty() {
        build.args(super::CRATES);
    }
    for name in names {
        build.args(["--package", name]);
    }
    build.current_dir(root).env("RUSTC_WRAPPER", &wrapper);
    build.env("CARGO_INCREMENTAL", "0").env("ASIDE_TIMES", &records);
    output(build.env("CARGO_TARGET_DIR", directory.join("target")))?;
    let mut times = BTreeMap::new();
    for record in fs::read_dir(&records)? {
        let record = record?;
        let name = record.file_name().to_string_lossy().into_owned();
        let (name, _) = name.rsplit_once(' ').context("a record without a process")?;
        *times.entry(name.to_owned()).or_default() += total(&fs::read_to_string(record.path())?)?;
    }
    Ok(times)
}

/// Sums up the second line from `times`, for the children: `1m2.345s 0m6.789s`.
fn total(times: &str) -> Result<f64> {
    let line = times.lines().nth(1).context("the shell printed no times")?;
    line.split_whitespace().map(seconds).sum()
}

/// Reads a time as a shell prints it, such as `1m2.345s`.
fn seconds(time: &str) -> Result<f64> {
    let parts = time.strip_suffix('s').and_then(|it| it.split_once('m'));
    let Some((minutes, seconds)) = parts else {
        bail!("{time:?} is no time");
    };
    // Some shells print a decimal comma.
    let seconds: f64 = seconds.replace(',', ".").parse()?;
    Ok(minutes.parse::<f64>()? * 60.0 + seconds)
}

/// Replaces the section in one README.
fn write(package: &Package, count: usize, seconds: f64) -> Result<()> {
    let path = package.directory().join("README.md");
    let readme = fs::read_to_string(&path)?;
    fs::write(&path, with_figures(&readme, count, seconds))?;
    Ok(())
}

/// Returns the README with these figures as its last section.
fn with_figures(readme: &str, count: usize, seconds: f64) -> String {
    let before = readme.rsplit_once(HEADING).map_or(readme, |(before, _)| before);
    let crates = if count == 1 { "dependency" } else { "dependencies" };
    format!(
        "{}\n\n{HEADING}{count} {crates}, those of dependencies included; \
         a first build takes {seconds:.0} seconds of compiler time (debug, x86-64 Linux).\n",
        before.trim_end()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_read_and_replaced() {
        let readme = "# a\n\nText.\n";
        let first = with_figures(readme, 12, 3.4);
        assert_eq!(stated(readme), None);
        assert_eq!(stated(&first), Some(12));
        let second = with_figures(&first, 1, 3.6);
        assert_eq!(
            second,
            "# a\n\nText.\n\n## Footprint\n\n1 dependency, those of dependencies included; \
             a first build takes 4 seconds of compiler time (debug, x86-64 Linux).\n"
        );
    }

    #[test]
    fn times_of_shells_are_read() {
        assert_eq!(seconds("1m2.5s").unwrap(), 62.5);
        assert_eq!(seconds("0m0,250s").unwrap(), 0.25);
        assert!(seconds("2.5").is_err());
        assert_eq!(total("0m0s 0m0s\n0m2s 0m1.5s\n").unwrap(), 3.5);
    }
}
