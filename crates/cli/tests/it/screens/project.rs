//! Commands that read a project.

use std::process::Command;

use super::{directory, screen, write};

const FILES: &[(&str, &str)] = &[
    (
        "CLAUDE.md",
        "# Shop\n\nUse tabs. See @docs/a-style-guide-with-a-long-name.md and @docs/gone.md\n",
    ),
    (
        "docs/a-style-guide-with-a-long-name.md",
        "Short functions.\n",
    ),
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
        ("memory-agents", &["memory", "--as", "all"]),
        ("memory-why", &["memory", "why", "docs/other.md"]),
        ("memory-imports", &["memory", "imports", "CLAUDE.md"]),
        (
            "memory-imports-none",
            &["memory", "imports", "web/CLAUDE.md"],
        ),
        ("prompt", &["prompt"]),
        ("reminders-list", &["reminders", "list"]),
        ("reminders-check", &["reminders", "check"]),
        ("skills", &["skills"]),
        ("skills-check", &["skills", "check", ".claude/skills"]),
    ] {
        screen(name, root.path(), root.path(), arguments);
    }
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
    let git = Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(root.path())
        .status();
    assert!(git.unwrap().success());
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
