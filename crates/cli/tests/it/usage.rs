//! Usage errors and help.

use std::fs::OpenOptions;
use std::process::{Command, Output};

fn aside(arguments: &[&str]) -> Output {
    let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
    aside.args(arguments).output().unwrap()
}

#[test]
fn arguments_cannot_steer_the_terminal() {
    let check = |arguments: &[&str], shown: &str| {
        let output = aside(arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        let steers = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!stderr.contains(steers) && stderr.contains(shown), "{stderr}");
    };
    check(&["render", "--modle\u{1b}[31mx"], "--modle\\u{1b}[31mx");
    check(&["render", "--layout", "\u{1b}[31m"], "'\\u{1b}[31m'");
    check(&["render", "--date", "\u{9b}2J"], "'\\u{9b}2J'");
    check(&["render", "--resume", "a\nb"], "'a\\nb'");
    check(&["\u{202e}x"], "'\\u{202e}x'");
}

#[test]
fn arguments_give_a_ci_system_no_commands() {
    let output = aside(&["memory", "--as", "##vso[task.complete]"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("'\\u{23}#vso[task.complete]'"), "{stderr}");
    let neighbour = String::from_utf8(aside(&["memory", "--as", "a::b"]).stderr).unwrap();
    assert!(neighbour.contains("'a::b'"), "{neighbour}");
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    for arguments in [&["--help"][..], &["--version"], &["render", "-h"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
        let output = aside.args(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with("aside: error: failed to write to stdout: "));
    }
}

#[test]
fn the_commands_are_listed_in_groups() {
    let groups = ["\nX-ray: ", "\nCI: ", "\nAgent: ", "\nShell:\n"];
    let help = aside(&["--help"]);
    let help = String::from_utf8(help.stdout).unwrap();
    let places = groups.map(|it| help.find(it).unwrap());
    assert!(places.is_sorted(), "{help}");
    assert!(help.contains("\nOptions:\n"), "{help}");

    let alone = aside(&[]);
    assert_eq!(alone.status.code(), Some(2));
    let alone = String::from_utf8(alone.stderr).unwrap();
    assert!(groups.iter().all(|it| alone.contains(it)), "{alone}");
    let (_, start) = alone.split_once("\nStart with:\n").unwrap();
    let lines = start.lines().filter_map(|line| line.strip_prefix("  "));
    let commands: Vec<&str> = lines.filter_map(|line| line.split("  ").next()).collect();
    let expected = ["report", "diff OLD.json NEW.json", "context --file BODY.json", "init"];
    assert_eq!(commands, expected.map(|it| format!("aside {it}")), "{alone}");
}

/// Errors from clap and from commands have one form.
#[test]
fn every_error_begins_alike() {
    for arguments in [
        &["memory", "--no-such-flag"][..],
        &["no-such-command"],
        &["check", "--deny", "\u{1b}[2J"],
        &["check", "/no/such/file"],
        &["diff", "/no/such/file", "/no/such/file"],
        &["models", "no-such-model"],
    ] {
        let stderr = String::from_utf8(aside(arguments).stderr).unwrap();
        assert!(stderr.starts_with("aside: error: "), "{arguments:?}: {stderr}");
        assert_eq!(stderr.matches("error: ").count(), 1, "{stderr}");
    }
}

#[test]
fn exit_codes_are_those_of_clap() {
    assert_eq!(aside(&["--help"]).status.code(), Some(0));
    assert_eq!(aside(&["--version"]).status.code(), Some(0));
    assert_eq!(aside(&[]).status.code(), Some(2));
    assert_eq!(aside(&["reminders"]).status.code(), Some(2));
    assert_eq!(aside(&["render", "--modle"]).status.code(), Some(2));
}

/// Only the running command's arguments are built; the script needs them all.
#[test]
fn completions_know_every_command_and_argument() {
    let script = String::from_utf8(aside(&["completions", "bash"]).stdout).unwrap();
    for command in [
        "aside__subcmd__memory,imports)",
        "aside__subcmd__help__subcmd__memory,imports)",
        "aside__subcmd__help__subcmd__reminders,simulate)",
    ] {
        assert!(script.contains(command), "{command}");
    }
    let arguments = |command: &str| {
        let (_, rest) = script.split_once(&format!("{command})\n            opts=\"")).unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    assert!(arguments("aside__subcmd__render").contains("--override-system-prompt"));
    assert!(arguments("aside__subcmd__memory__subcmd__imports").contains("--setting-sources"));
}

#[test]
fn suggestions_come_from_every_command() {
    let stderr = |arguments: &[&str]| String::from_utf8(aside(arguments).stderr).unwrap();
    assert!(stderr(&["rendr"]).contains("'render'"));
    assert!(stderr(&["render", "--layuot", "classic"]).contains("'--layout'"));
    assert!(stderr(&["memory", "import"]).contains("'imports'"));
}

#[test]
fn every_command_has_a_manual_page() {
    let directory = tempfile::tempdir().unwrap();
    let all = directory.path().join("man");
    let output = aside(&["man", "--all", all.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let listed = String::from_utf8(output.stdout).unwrap();
    for name in ["aside.1", "aside-render.1", "aside-cache-explain.1", "aside-man.1"] {
        assert!(listed.lines().any(|line| line.ends_with(&format!("/{name}"))), "{name}");
    }
    let page = std::fs::read_to_string(all.join("aside-cache-explain.1")).unwrap();
    let title = format!(".TH aside-cache-explain 1  \"aside {}\"", env!("CARGO_PKG_VERSION"));
    assert!(page.contains(&title), "{page}");
    assert!(page.contains("\\-\\-sensitivity") && page.contains("aside cache explain"));
    let printed = aside(&["man", "cache", "explain"]).stdout;
    assert_eq!(String::from_utf8(printed).unwrap(), page);
    let json = aside(&["man", "cache", "explain", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["page"], page);
    let unknown = aside(&["man", "cache", "explian"]);
    assert_eq!(unknown.status.code(), Some(2));
    let said = String::from_utf8(unknown.stderr).unwrap();
    assert!(said.contains("did you mean explain?"), "{said}");
}

/// Returns the words for every command, such as `["cache", "explain"]`, from
/// the manual page synopses. The first one is `aside` itself.
fn commands() -> Vec<Vec<String>> {
    let directory = tempfile::tempdir().unwrap();
    aside(&["man", "--all", directory.path().to_str().unwrap()]);
    let entries = std::fs::read_dir(directory.path()).unwrap();
    let mut commands: Vec<Vec<String>> = entries
        .map(|entry| {
            let page = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let (_, rest) = page.split_once(".SH SYNOPSIS\n\\fB").unwrap();
            let name = rest.split("\\fR").next().unwrap().replace("\\-", "-");
            name.split(' ').skip(1).map(str::to_owned).collect()
        })
        .collect();
    commands.sort();
    assert!(commands.len() > 20 && commands[0].is_empty(), "{commands:?}");
    commands
}

/// Scripts may add the option to every command that does something by itself.
#[test]
fn every_command_has_json() {
    for command in commands() {
        let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        let help = aside(&[&arguments[..], &["--help"]].concat()).stdout;
        let help = String::from_utf8(help).unwrap();
        let usage = help.lines().find(|line| line.starts_with("Usage: "));
        let is_group = usage.unwrap().ends_with(" <COMMAND>");
        assert_ne!(help.contains("--json"), is_group, "{command:?}");
    }
}

#[test]
fn every_help_fits_eighty_columns() {
    for command in commands() {
        for (help, columns) in
            [("-h", None), ("--help", None), ("-h", Some("80")), ("--help", Some("80"))]
        {
            let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
            aside.args(&command).arg(help).env_remove("COLUMNS");
            aside.envs(columns.map(|columns| ("COLUMNS", columns)));
            let printed = String::from_utf8(aside.output().unwrap().stdout).unwrap();
            let longest = printed.lines().max_by_key(|line| line.chars().count());
            let longest = longest.unwrap();
            assert!(longest.chars().count() <= 80, "{command:?} {help}: {longest}");
        }
    }
}

#[test]
fn verbose_reports_the_inputs() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let stderr = |arguments: &[&str]| {
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
        let aside = aside.args(arguments).args(["-C", path]);
        let output = aside.env("HOME", path).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let quiet = stderr(&["memory"]);
    assert!(!quiet.contains("settings:"), "{quiet}");
    let verbose = stderr(&["memory", "-v"]);
    for expected in [
        format!("aside: note: aside {}, ", env!("CARGO_PKG_VERSION")),
        format!("aside: note: working directory: {path} [detail]\n"),
        format!("aside: note: settings: {path}/.claude/settings.json (absent) [detail]\n"),
        "aside: note: took ".to_owned(),
    ] {
        assert!(verbose.contains(&expected), "{expected:?} is not in {verbose}");
    }
    let both = aside(&["memory", "-v", "-q"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn without_a_home_one_warning_is_reported_and_nothing_is_created() {
    let place = tempfile::tempdir().unwrap();
    let gone = place.path().join("gone");
    let run = |arguments: &[&str], home: Option<&std::path::Path>| {
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
        aside.args(arguments).args(["-C"]).arg(place.path()).env_clear();
        aside.envs(home.map(|home| ("HOME", home)));
        let output = aside.output().unwrap();
        // `memory` prints diagnostics in its report.
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).unwrap();
        (output.status.code(), printed)
    };
    for command in [&["render", "hi"][..], &["memory"]] {
        let (code, stderr) = run(command, None);
        assert_eq!((code, stderr.matches("HOME is not set").count()), (Some(0), 1), "{stderr}");
        let (code, stderr) = run(command, Some(&gone));
        let expected = format!("HOME is no directory: {}: settings, ", gone.display());
        assert_eq!((code, stderr.matches(&expected).count()), (Some(0), 1), "{stderr}");
        let (code, stderr) = run(command, Some(std::path::Path::new("gone")));
        assert_eq!((code, stderr.matches("HOME is left out: gone").count()), (Some(0), 1));
        assert!(!stderr.contains("HOME is not set"), "{stderr}");
    }
    let (code, stderr) = run(&["run", "hi", "--replay", "/dev/null"], Some(&gone));
    assert!(code == Some(1) && stderr.contains("HOME is no directory: "), "{code:?} {stderr}");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}
