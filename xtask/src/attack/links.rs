//! A link in a repository that leads outside the project is not followed: no
//! request, no printed text and no diagnostic has the text of its target.
//!
//! The attacker is a repository, in which a link may have any target:
//! `CLAUDE.md -> ~/.ssh/id_rsa` would send the key to the provider. The promise
//! is number 2 of `docs/security.md`.
//!
//! Each case is tried with a repository and without one, and with an absolute
//! and a relative target: four places, and in each of them every command that
//! reads files of a project. The text of the target must be neither in the
//! output nor in the transcripts and scenarios that were written. As a control,
//! the same text in a file of the project has to be found.

use std::ffi::OsString;
use std::fs;

use anyhow::Result;
use walkdir::WalkDir;

use super::Extent;
use super::command::{Aside, Place};
use super::outcome::Outcome;

/// The text of the files outside.
const SECRET: &str = "the-secret-outside";

/// A reminder for every turn, with the secret as its text.
const TURN: &str = "---\nschedule: {kind: turn, turn_interval: 1}\n---\nthe-secret-outside\n";

/// A scenario with the secret, which `verify` would print.
const SCENARIO: &str = "description: the-secret-outside\nturns:\n  - - user: the-secret-outside\n";

/// A link at a path of the project; its target is below `outside`.
struct Case {
    /// The path of the link, below the project.
    link: &'static str,
    /// The path of its target, below `outside`.
    target: &'static str,
    /// A prompt that leads to it.
    prompt: &'static str,
}

/// Returns a case whose prompt mentions a file in `sub`, so that nested files
/// are looked up.
const fn case(link: &'static str, target: &'static str) -> Case {
    Case {
        link,
        target,
        prompt: "see @sub/x.rs",
    }
}

/// Returns a case with a prompt of its own.
const fn mention(link: &'static str, target: &'static str, prompt: &'static str) -> Case {
    Case {
        link,
        target,
        prompt,
    }
}

/// The places at which the command reads a file or a directory by itself, and
/// mentions.
const CASES: &[Case] = &[
    case("CLAUDE.md", "secret.md"),
    case("AGENTS.md", "secret.md"),
    case("CLAUDE.local.md", "secret.md"),
    case(".claude/CLAUDE.md", "secret.md"),
    case(".claude", "claude"),
    case(".claude/rules", "claude/rules"),
    case(".claude/rules/a.md", "secret.md"),
    case(".claude/rules/deep", "claude/rules"),
    case(".claude/settings.json", "claude/settings.json"),
    case(".claude/settings.local.json", "claude/settings.json"),
    case(".claude/output-styles", "claude/output-styles"),
    case(
        ".claude/output-styles/style.md",
        "claude/output-styles/style.md",
    ),
    case(".aside", "aside"),
    case(".aside/reminders", "aside/reminders"),
    case(".aside/reminders/a.md", "aside/reminders/a.md"),
    case("sub", "claude/rules"),
    case("sub/CLAUDE.md", "secret.md"),
    case("sub/AGENTS.md", "secret.md"),
    case("sub/.claude/rules", "claude/rules"),
    case("imported.md", "secret.md"),
    case("imported", "claude"),
    mention("file.md", "secret.md", "see @file.md"),
    mention("dir", "claude", "see @dir/ and @dir/rules/a.md"),
    mention("file.md", "secret.md", "see @file.md#L1-2"),
    mention("link.md", "chain.md", "see @link.md"),
    case(".git/HEAD", "secret.md"),
    case(".git/config", "secret.md"),
    case(".git/commondir", "secret.md"),
    case(".git/packed-refs", "secret.md"),
    case(".git/shallow", "secret.md"),
    case(".git/refs/heads/main", "secret.md"),
    case(".git/refs/remotes/origin/HEAD", "secret.md"),
    case(".git/info/grafts", "secret.md"),
    case(".git/objects/info/alternates", "secret.md"),
    case(
        ".git/objects/info/commit-graphs/commit-graph-chain",
        "secret.md",
    ),
    case(".git", "secret.md"),
    case(".gitattributes", "secret.md"),
    case(".gitignore", "secret.md"),
    case(".gitmodules", "secret.md"),
    case("scenarios", "scenarios"),
    case("scenarios/a", "scenarios/a"),
    case("scenarios/a/scenario.yaml", "secret.md"),
    case("scenarios/a/tree", "claude"),
];

pub(super) fn run(aside: &Aside, _: Extent) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for case in CASES {
        for is_repository in [true, false] {
            for is_absolute in [true, false] {
                let place = place(aside, case, is_repository, is_absolute)?;
                for finding in leaks(&place, case.prompt)? {
                    outcome.check(finding.map(|command| {
                        format!(
                            "{command} follows the link {} -> {}",
                            case.link, case.target
                        )
                    }));
                }
            }
        }
    }
    named(aside, &mut outcome)?;
    let place = aside.place()?;
    place.write("project/CLAUDE.md", SECRET)?;
    let seen = leaks(&place, "go")?.iter().flatten().count();
    outcome.check((seen == 0).then(|| "a secret in an own file is not seen".to_owned()));
    Ok(outcome)
}

/// Files that name a directory outside by its path, without a link.
///
/// Settings of git and of the project can name a path. It may be printed as a
/// path, but no text or name below it may be shown.
fn named(aside: &Aside, outcome: &mut Outcome) -> Result<()> {
    for settings in [
        "core.worktree",
        "core.excludesFile",
        "core.attributesFile",
        "include.path",
        "mailmap.file",
    ] {
        let place = aside.place()?;
        place.init()?;
        place.write("outside/dir/the-secret-outside", SECRET)?;
        let target = if settings == "core.worktree" {
            "outside/dir"
        } else {
            "outside/dir/the-secret-outside"
        };
        place.git([
            "config".as_ref(),
            settings.as_ref(),
            place.path(target).as_os_str(),
        ])?;
        let ran = place.run(["render", "go"])?;
        let leaks = ran
            .text()
            .replace(&*place.path(target).to_string_lossy(), "")
            .contains(SECRET);
        outcome.check(leaks.then(|| format!("{settings} shows {target}")));
    }
    for (key, value) in [
        ("autoMemoryDirectory", "../outside"),
        ("outputStyle", "../../../outside/claude/output-styles/style"),
    ] {
        let place = aside.place()?;
        place.write("outside/MEMORY.md", SECRET)?;
        place.write("outside/claude/output-styles/style.md", SECRET)?;
        let value = if value == "../outside" {
            place.path("outside").display().to_string()
        } else {
            value.to_owned()
        };
        let settings = serde_json::json!({"autoMemoryEnabled": true, key: value});
        place.write("project/.claude/settings.json", settings.to_string())?;
        let ran = place.run(["render", "go"])?;
        outcome.check(
            ran.text()
                .contains(SECRET)
                .then(|| format!("the setting {key} leads outside")),
        );
    }
    let place = aside.place()?;
    place.init()?;
    place.write("outside/CLAUDE.md", SECRET)?;
    let scenario = "description: x\nrepository: ../../../outside\nturns:\n  - - user: x\n";
    place.write("project/scenarios/a/scenario.yaml", scenario)?;
    let ran = place.run(["verify", "scenarios", "--bless"])?;
    let written = fs::read_to_string(place.path("project/scenarios/a/request-1.json"));
    let leaks = (ran.text() + &written.unwrap_or_default()).contains(SECRET);
    outcome.check(leaks.then(|| "a scenario plays in a repository outside".to_owned()));
    Ok(())
}

/// Makes a project with the link.
///
/// A link in `.git`, or `.git` itself, replaces what `init` has made. Other
/// files appear so that the command has a reason to read the link: an import of
/// it, a style that is selected, a scenario with a linked tree.
fn place(aside: &Aside, case: &Case, is_repository: bool, is_absolute: bool) -> Result<Place> {
    let place = aside.place()?;
    if is_repository {
        place.init()?;
    }
    place.write("project/settings", "")?;
    for (path, text) in [
        ("outside/secret.md", SECRET),
        ("outside/claude/CLAUDE.md", SECRET),
        ("outside/claude/rules/a.md", SECRET),
        ("outside/claude/rules/x.rs", SECRET),
        ("outside/claude/rules/CLAUDE.md", SECRET),
        (
            "outside/claude/settings.json",
            r#"{"language": "the-secret-outside"}"#,
        ),
        (
            "outside/claude/output-styles/style.md",
            "---\nname: style\n---\nthe-secret-outside",
        ),
        ("outside/aside/reminders/a.md", TURN),
        ("outside/scenarios/a/scenario.yaml", SCENARIO),
        ("outside/scenarios/a/tree/project/CLAUDE.md", SECRET),
    ] {
        place.write(path, text)?;
    }
    place.link("secret.md", "outside/chain.md")?;
    if case.link != "sub" {
        place.write("project/sub/x.rs", "")?;
    }
    if case.link.starts_with("imported") {
        place.write("project/CLAUDE.md", "@imported.md @imported/CLAUDE.md")?;
    }
    if case.link.contains("output-styles") {
        place.write(
            "project/.claude/settings.json",
            r#"{"outputStyle": "style"}"#,
        )?;
    }
    if case.link == "scenarios/a/tree" {
        place.write(
            "project/scenarios/a/scenario.yaml",
            SCENARIO.replace(SECRET, "x"),
        )?;
    }
    let at = place.path(format!("project/{}", case.link));
    if case.link == ".git" {
        let _ = fs::remove_dir_all(&at);
    }
    // The link takes the place of a file of git.
    let _ = fs::remove_file(&at);
    let target = place.path(format!("outside/{}", case.target));
    let depth = case.link.split('/').count();
    let relative = format!("{}outside/{}", "../".repeat(depth), case.target);
    let target = if is_absolute {
        target.into_os_string()
    } else {
        OsString::from(relative)
    };
    place.link(target, format!("project/{}", case.link))?;
    Ok(place)
}

/// Returns the commands that were tried, each as a finding if it shows the
/// secret.
///
/// Every command gives two attempts: its output, and its end (no panic, no
/// hang).
fn leaks(place: &Place, prompt: &str) -> Result<Vec<Option<String>>> {
    let read = r#"{"type":"tool_use","id":"a","name":"Read","input":{"file_path":"sub/x.rs"}}"#;
    let grep = r#"{"type":"tool_use","id":"b","name":"Grep","input":{"pattern":"secret","output_mode":"content"}}"#;
    let cassette = format!(
        r#"{{"version":1,"answers":[{{"content":[{read},{grep}],"stop_reason":"tool_use"}},{{"content":"Done."}}]}}"#
    );
    let cassette = place.write("cassette.json", cassette)?;
    let cassette = cassette.to_string_lossy();
    let commands: [&[&str]; 8] = [
        &["render", prompt],
        &["memory", "--touch", "sub/x.rs"],
        &["prompt"],
        &["reminders", "list"],
        &["reminders", "check"],
        &["verify", "scenarios"],
        &["verify", "scenarios", "--bless"],
        &["run", prompt, "--replay", &cassette],
    ];
    let mut findings = Vec::new();
    for command in commands {
        let ran = place.run(command)?;
        let mut text = ran.text();
        let written = ["home", "project/scenarios"].map(|dir| place.path(dir));
        // The walk would follow a link that it starts from.
        let written = written.into_iter().filter(|dir| !dir.is_symlink());
        for file in written.flat_map(WalkDir::new).flatten() {
            if file.file_type().is_file() {
                text += &String::from_utf8_lossy(&fs::read(file.path())?);
            }
        }
        let leaks = text.contains(SECRET);
        let name = command[..1].join(" ");
        findings.push(leaks.then(|| name.clone()));
        findings.push(ran.fault().map(|fault| format!("{name} {fault}")));
    }
    Ok(findings)
}
