//! Commands that read a project.

use std::collections::BTreeSet;

use aside_claudemd::Profile;

use super::{directory, screen, write};
use crate::support::git;

const FILES: &[(&str, &str)] = &[
    (
        "CLAUDE.md",
        "# Shop\n\nUse tabs. See @docs/a-style-guide-with-a-long-name.md and @docs/gone.md\n",
    ),
    ("docs/a-style-guide-with-a-long-name.md", "Short functions.\n"),
    ("web/CLAUDE.md", "Use React.\n"),
    (
        ".claude/rules/typescript.md",
        "---\npaths: ['web/**/*.ts', 'packages/**/*.ts', 'scripts/**/*.ts']\n---\nNo any.\n",
    ),
    (
        ".claude/skills/release/SKILL.md",
        "---\nname: release\ndescription: Builds a release of the shop, signs it and uploads it to the registry of the company\n---\nRun make.\n",
    ),
    (
        ".aside/reminders/tests.md",
        "---\nschedule: {kind: condition, condition: 'after_tool:Edit,Write', max_fires: 5, cooldown_turns: 2}\npriority: 3\n---\nRun the tests.\n",
    ),
];

#[test]
fn sources() {
    let root = directory();
    write(root.path(), FILES);
    for (name, arguments) in [
        ("memory", &["memory", "--touch", "web/a.ts"][..]),
        ("memory-why", &["memory", "why", "docs/other.md"]),
        ("memory-imports", &["memory", "imports", "CLAUDE.md"]),
        ("memory-imports-none", &["memory", "imports", "web/CLAUDE.md"]),
        ("reminders-list", &["reminders", "list"]),
        ("reminders-check", &["reminders", "check"]),
        ("skills", &["skills"]),
        ("skills-check", &["skills", "check", ".claude/skills"]),
    ] {
        screen(name, root.path(), root.path(), arguments);
    }
}

/// Returns a file for every name that an agent reads in a project.
fn files_of_all_agents() -> Vec<(String, &'static str)> {
    let names = Profile::ALL.into_iter().flat_map(Profile::names_in_projects);
    let names: BTreeSet<&str> = names.collect();
    let mut files: Vec<(String, &str)> = Vec::new();
    for name in &names {
        let path = name.replace("**/*", "all");
        let is_directory = names.contains(&*format!("{name}/**/*"));
        // Some file systems do not know letter case.
        let is_there = files.iter().any(|(it, _)| it.eq_ignore_ascii_case(&path));
        let text = match path.rsplit_once('.') {
            Some((_, "mdc")) => "---\ndescription: Style\n---\nText\n",
            _ if path.contains("instructions/") => "---\napplyTo: '**/*.ts'\n---\nText\n",
            _ => "Text\n",
        };
        if !is_directory && !is_there {
            files.push((path, text));
        }
    }
    files
}

#[test]
fn agents() {
    let root = directory();
    let of_agents = files_of_all_agents();
    let of_agents = of_agents.iter().map(|(path, text)| (&**path, *text));
    let others = [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".claude/AGENTS.md", "Text\n"),
        (".claude/rules/always.md", "Text\n"),
        ("CLAUDE.local.md", "<!-- c -->\nText\n"),
        ("sub/AGENTS.md", "Text\n"),
        ("sub/CLAUDE.md", "Text\n"),
    ];
    write(root.path(), &of_agents.chain(others).collect::<Vec<_>>());
    let arguments = &["memory", "--as", "all"];
    screen("memory-agents", root.path(), root.path(), arguments);
}

#[test]
fn nothing_to_list() {
    let root = directory();
    for (name, arguments) in [
        ("memory-nothing", &["memory"][..]),
        ("skills-nothing", &["skills"]),
        ("reminders-nothing", &["reminders", "list"]),
    ] {
        screen(name, root.path(), root.path(), arguments);
    }
}

#[test]
fn scenarios() {
    let root = directory();
    write(root.path(), &[("CLAUDE.md", "# Shop\n\nUse tabs.\n")]);
    git(root.path(), &["init", "--quiet"]);
    let check = |name: &str, arguments: &[&str]| screen(name, root.path(), root.path(), arguments);
    check("init", &["init"]);
    check("verify-new", &["verify"]);
    check("verify-bless", &["verify", "--bless"]);
    check("verify", &["verify"]);
    write(
        root.path(),
        &[(
            "CLAUDE.md",
            "# Shop\n\nUse spaces, two of them, in every file of the shop and of its packages, whatever the editor says\n",
        )],
    );
    check("verify-changed", &["verify"]);
}
