//! `docs/tour.md`, `docs/cache.md` and the README's first screen show what the
//! commands really print.

use std::path::Path;
use std::process::Command;

const TOUR: &str = include_str!("../../../../docs/tour.md");
const README: &str = include_str!("../../../../README.md");
const CACHE: &str = include_str!("../../../../docs/cache.md");
const REPORT: &str = include_str!("../../../../docs/report.md");
const FLEET: &str = include_str!("../../../../docs/fleet.md");

/// A command in the tour and its output.
#[derive(Debug, Default, PartialEq)]
struct Step {
    /// Where the command is, from 1.
    line: usize,
    command: String,
    expected: Vec<String>,
}

/// Returns the steps in the console blocks. A line that begins with `$ ` starts
/// a command, and lines that begin with `> ` continue it.
fn steps(markdown: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_console = false;
    for (line, number) in markdown.lines().zip(1..) {
        if line.starts_with("```") {
            is_console = line == "```console";
        } else if let (true, Some(command)) = (is_console, line.strip_prefix("$ ")) {
            steps.push(Step { line: number, command: command.to_owned(), expected: Vec::new() });
        } else if let (true, Some(step)) = (is_console, steps.last_mut()) {
            match line.strip_prefix("> ").or((line == ">").then_some("")) {
                Some(more) if step.expected.is_empty() => {
                    step.command.push('\n');
                    step.command.push_str(more);
                }
                _ => step.expected.push(line.to_owned()),
            }
        }
    }
    steps
}

/// Returns true when the lines match. `...` alone matches any lines, `[..]` any
/// part of a line.
fn fits(expected: &[String], found: &[&str]) -> bool {
    match (expected.split_first(), found.split_first()) {
        (None, found) => found.is_none(),
        (Some((any, rest)), _) if any == "..." => {
            (0..=found.len()).any(|skipped| fits(rest, &found[skipped..]))
        }
        (Some((line, rest)), Some((first, others))) => line_fits(line, first) && fits(rest, others),
        (Some(_), None) => false,
    }
}

fn line_fits(expected: &str, found: &str) -> bool {
    let Some((before, rest)) = expected.split_once("[..]") else {
        return expected == found;
    };
    let Some(found) = found.strip_prefix(before) else {
        return false;
    };
    let mut ends = found.char_indices().map(|(at, _)| at);
    ends.any(|at| line_fits(rest, &found[at..])) || line_fits(rest, "")
}

/// Runs a shell command in the directory, and returns its output.
fn run(root: &Path, command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_aside")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(root.join("tour"))
        .env_clear()
        .env("PATH", format!("{}:{path}", binary.display()))
        .env("HOME", root.join("home"))
        .env("ASIDE_MANAGED_DIR", root.join("managed"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.replace(root.to_str().unwrap(), "")
}

#[cfg(unix)]
#[test]
fn the_tour_shows_the_actual_output() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for name in ["tour", "home"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    let steps = steps(TOUR);
    assert!(steps.len() > 10);
    check_page("docs/tour.md", &root, &steps);
}

#[cfg(unix)]
#[test]
fn the_page_on_the_cache_shows_the_actual_output() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for name in ["tour", "home"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cache");
    for file in std::fs::read_dir(files).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), root.join("tour").join(file.file_name())).unwrap();
    }
    let steps = steps(CACHE);
    assert!(steps.len() > 5);
    check_page("docs/cache.md", &root, &steps);
}

#[cfg(unix)]
#[test]
fn the_pages_on_the_report_show_the_actual_output() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report/home");
    std::fs::create_dir(root.join("tour")).unwrap();
    let mut copy = Command::new("cp");
    let copied = copy.arg("-R").arg(home).arg(root.join("home")).status();
    assert!(copied.unwrap().success());
    let found = run(&root, "aside report");
    for fault in ["line 1: not JSON", "line 3: not JSON"] {
        let warning = format!("damaged.jsonl: {fault}");
        assert!(found.contains(&warning), "{found}");
    }
    assert!(found.lines().all(|it| it.starts_with("aside: ") || it.chars().count() <= 80));
    check_page("docs/report.md", &root, &steps(REPORT));
    check_page("docs/fleet.md", &root, &steps(FLEET));
}

#[cfg(unix)]
#[test]
fn the_first_screen_of_the_readme_is_true() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let copied = root.join("tour/docs/pydantic-ai");
    std::fs::create_dir_all(&copied).unwrap();
    std::fs::create_dir(root.join("home")).unwrap();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pydantic-ai");
    for file in std::fs::read_dir(files).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), copied.join(file.file_name())).unwrap();
    }
    let mut steps = steps(README);
    steps.retain(|step| step.command.starts_with("aside diff"));
    assert_eq!(steps.len(), 1);
    // The README leaves out what stderr adds.
    steps[0].command += " 2> /dev/null";
    check_page("README.md", &root, &steps);
}

/// Runs the steps on a page one after another.
fn check_page(page: &str, root: &Path, steps: &[Step]) {
    for step in steps {
        let found = run(root, &step.command);
        let lines: Vec<_> = found.lines().collect();
        assert!(
            fits(&step.expected, &lines),
            "{page}:{}: {}\nprints\n{found}",
            step.line,
            step.command
        );
    }
}

#[test]
fn every_command_is_in_the_tour() {
    let output = Command::new(env!("CARGO_BIN_EXE_aside")).arg("--help").output();
    let help = String::from_utf8(output.unwrap().stdout).unwrap();
    let (commands, _) = help.split_once("\nOptions:\n").unwrap();
    let names: Vec<_> = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !["", "help"].contains(name))
        .collect();
    assert!(names.len() >= 16, "{names:?}");
    let steps = steps(TOUR);
    for name in names {
        let call = format!("aside {name} ");
        let is_called = |step: &Step| format!("{} ", step.command).contains(&call);
        assert!(steps.iter().any(is_called), "{name}");
    }
}

#[test]
fn steps_are_parsed_from_a_page() {
    let page = "a\n```console\n$ cat > x <<E\n> 1\n>\n> E\n$ cat x\n1\n\n```\n$ no\n";
    let step = |line, command: &str, expected: &[&str]| Step {
        line,
        command: command.to_owned(),
        expected: expected.iter().map(|it| (*it).to_owned()).collect(),
    };
    assert_eq!(steps(page), [step(3, "cat > x <<E\n1\n\nE", &[]), step(7, "cat x", &["1", ""])]);
    let check = |expected: &[&str], found: &[&str], fit: bool| {
        let expected: Vec<_> = expected.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(fits(&expected, found), fit, "{expected:?} {found:?}");
    };
    check(&["a[..]c", "..."], &["abc"], true);
    check(&["a[..]c"], &["ab"], false);
    check(&["a[..]"], &["a"], true);
    check(&["...", "b"], &["a", "b"], true);
    check(&["...", "b"], &["b", "a"], false);
    check(&["a"], &["a", "b"], false);
    check(&["a", "b"], &["a"], false);
}
