//! Agent Skills.

use std::fs;
use std::path::Path;

use aside_claudemd::skills::{self, ReleasedSkills};
use aside_claudemd::{ImportPolicy, Loader};

use crate::tree::Tree;

fn skill(name: &str, header: &str) -> String {
    format!("p/.claude/skills/{name}/SKILL.md = ---\\n{header}\\n---\\nbody")
}

/// Checks one skill's faults and notes.
#[track_caller]
fn check(name: &str, header: &str, expected: &[&str]) {
    let tree = Tree::new(&skill(name, header));
    let found = skills::check(&tree.path("p/.claude/skills").join(name), &tree.path("p"));
    let lines = found.iter().map(|it| format!("{}: {}", it.line().unwrap_or(0), it.message));
    assert_eq!(lines.collect::<Vec<_>>(), expected, "{header}");
    let discovered = Loader::new(tree.dirs()).skills(&tree.path("p"));
    assert_eq!(discovered.diagnostics, found);
    let is_valid = found.iter().all(|it| it.severity == aside_claudemd::Severity::Note);
    assert_eq!(discovered.skills.len(), usize::from(is_valid), "{header}");
}

#[test]
fn skills_are_validated_by_the_standard() {
    let long = "d".repeat(1_024);
    check("a", &format!("name: a\\ndescription: {long}"), &[]);
    check(
        "a",
        &format!("name: a\\ndescription: {long}d"),
        &["3: description has 1025 characters, more than 1024"],
    );
    check("a", "name: a\\ndescription: has: colon", &[]);
    check("a", "name: a\\ndescription: has: colon\\nmetadata: {a: b}", &[]);
    check("a", "name: a\\ndescription: has: colon\\nallowed-tools: [Read, Grep]", &[]);
    check(
        "a",
        "name: a\\ndescription: has: colon\\nallowed-tools: {a: b}",
        &["4: allowed-tools: expected a string or a list of strings, found a mapping"],
    );
    check("a", "name: a\\ndescription: ''", &["3: description is empty"]);
    check("A", "name: A\\ndescription: d", &["2: name has other characters than a-z, 0-9 and -"]);
    check("a--b", "name: a--b\\ndescription: d", &["2: name has two hyphens in a row"]);
    check("a-", "name: a-\\ndescription: d", &["2: name begins or ends with a hyphen"]);
    check("b", "description: d\\nname: a", &["3: name a is not that of its directory, b"]);
    let long = "n".repeat(65);
    check(
        &long,
        &format!("name: {long}\\ndescription: d"),
        &["2: name has 65 characters, more than 64"],
    );
    check(
        "a",
        "name: a\\ndescription: d\\nlicence: MIT",
        &["4: unknown key licence: did you mean license?"],
    );
}

#[test]
fn a_directory_of_skills_is_checked_as_a_whole() {
    let tree = Tree::new(&format!(
        "{}\n{}\np/.claude/skills/empty/\np/docs/",
        skill("good", "name: good\\ndescription: d"),
        skill("bad", "name: other\\ndescription: d"),
    ));
    let messages = |path: &str| {
        let found = skills::check(&tree.path(path), &tree.path("p"));
        found.into_iter().map(|it| it.message).collect::<Vec<_>>()
    };
    let expected = "name other is not that of its directory, bad";
    assert_eq!(messages("p/.claude/skills"), [expected]);
    assert_eq!(messages("p/.claude/skills/bad/SKILL.md"), [expected]);
    for path in ["p/docs", "p/nowhere"] {
        assert_eq!(messages(path), ["unreadable: no such file or directory"]);
    }
}

/// On a system that tells letter cases apart.
#[cfg(target_os = "linux")]
#[test]
fn a_name_in_another_letter_case_is_reported() {
    let tree =
        Tree::new("p/.claude/skills/a/skill.md = ---\\nname: a\\ndescription: d\\n---\\nbody");
    let discovered = Loader::new(tree.dirs()).skills(&tree.path("p"));
    let messages: Vec<_> = discovered.diagnostics.iter().map(|it| &*it.message).collect();
    assert_eq!(messages, ["letter case of the name: expected SKILL.md"]);
    for path in ["p/.claude/skills", "p/.claude/skills/a", "p/.claude/skills/a/skill.md"] {
        let found = skills::check(&tree.path(path), &tree.path("p"));
        assert_eq!(found, discovered.diagnostics, "{path}");
    }
}

#[test]
fn all_keys_are_read() {
    let header = "name: a\\ndescription: d\\nlicense: MIT\\ncompatibility: git\\n\
                  metadata:\\n  by: mia\\nallowed-tools: Read, Grep,Bash(git add, git rm)  Glob";
    let tree = Tree::new(&skill("a", header));
    let found = Loader::new(tree.dirs()).skills(&tree.path("p"));
    let skill = &found.skills[0];
    assert_eq!(skill.license.as_deref(), Some("MIT"));
    assert_eq!(skill.compatibility.as_deref(), Some("git"));
    assert_eq!(skill.metadata["by"], "mia");
    assert_eq!(skill.allowed_tools, ["Read", "Grep", "Bash(git add, git rm)", "Glob"]);
    assert_eq!(skill.body().unwrap(), "body");
}

#[test]
fn the_nearest_skill_of_a_name_wins_and_links_stay_inside() {
    let text = |name: &str| format!("---\\nname: {name}\\ndescription: d\\n---\\nb");
    let tree = Tree::new(&format!(
        "
        p/.git/
        p/.agents/skills/a/SKILL.md = {a}
        p/q/.aside/skills/a/SKILL.md = {a}
        home/.claude/skills/u/SKILL.md = {u}
        .claude/skills/above/SKILL.md = {a}
        outside/x/SKILL.md = {x}
        p/q/.claude/skills/x -> ROOT/outside/x
        p/q/r/.claude/skills/n/SKILL.md = {n}
        ",
        a = text("a"),
        u = text("u"),
        x = text("x"),
        n = text("n"),
    ));
    for path in ["p/q/.claude/skills", "p/q/.claude/skills/x"] {
        let found = skills::check(&tree.path(path), &tree.path("p"));
        let [outside] = &found[..] else {
            panic!("{found:?}");
        };
        assert!(outside.message.starts_with("outside the project"), "{outside:?}");
    }
    let found = Loader::new(tree.dirs()).skills(&tree.path("p/q"));
    let paths: Vec<_> = found.skills.iter().map(|it| it.path.clone()).collect();
    let expected = ["p/q/.aside/skills/a/SKILL.md", "home/.claude/skills/u/SKILL.md"];
    assert_eq!(paths, expected.map(|path| tree.path(path)));
    let messages: Vec<_> = found.diagnostics.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].starts_with("outside the project and not approved: "), "{messages:?}");
    assert!(messages[1].starts_with("shadowed by "), "{messages:?}");
    let allowed = Loader::new(tree.dirs()).imports(ImportPolicy::Allow).skills(&tree.path("p/q"));
    assert_eq!(allowed.skills.len(), 3);
    let mut released = ReleasedSkills::default();
    let read = [Path::new("r/a.rs")];
    let (nested, _) = Loader::new(tree.dirs()).definitions(&tree.path("p/q"), read, &mut released);
    assert_eq!(nested.skills[0].name, "n");
}

/// The keys of Claude Code are known, and a skill for the user only is marked.
#[test]
fn keys_of_claude_code_are_known() {
    let keys = "user-invocable: true\\nargument-hint: '[x]'\\nmodel: opus\\ncontext: fork\\n\
                agent: a\\nhooks: {}";
    let own = "when_to_use: On release.\\ndisable-model-invocation: true";
    // The second description is no YAML.
    for description in ["Deploys.", "Deploys: all."] {
        let header = format!("name: a\\ndescription: {description}\\n{own}\\n{keys}");
        check("a", &header, &[]);
        let tree = Tree::new(&skill("a", &header));
        let found = Loader::new(tree.dirs()).skills(&tree.path("p"));
        assert_eq!(found.skills[0].description, format!("{description} - On release."));
        assert!(found.skills[0].disable_model_invocation);
    }
}

/// Patterns are relative to the directory that holds `.claude`, the user's to the project's root.
#[test]
fn a_skill_with_paths_waits_for_a_file_that_they_match() {
    let own = skill("a", "name: a\\ndescription: d\\npaths: src/**, {docs,web}/*.md");
    let nested = own.replace("p/", "p/q/").replace("/a/", "/b/").replace("name: a", "name: b");
    let user = own.replace("p/", "home/").replace("/a/", "/c/").replace("name: a", "name: c");
    let always = skill("d", "name: d\\ndescription: d");
    let tree = Tree::new(&format!("p/.git/\n{own}\n{nested}\n{user}\n{always}"));
    let offered = |paths: &[&str]| offered(&tree, paths, &mut ReleasedSkills::default());
    assert_eq!(offered(&[]), "d");
    assert_eq!(offered(&["../lib/x.rs", "src.rs"]), "d");
    assert_eq!(offered(&["src/x.rs"]), "b d");
    assert_eq!(offered(&["../src/x.rs"]), "a d c");
    assert_eq!(offered(&["../docs/x.md", "docs/x.md"]), "b a d c");
    // Without files that are read, the patterns show that it waits.
    let all = Loader::new(tree.dirs()).skills(&tree.path("p")).skills;
    assert_eq!(all[0].paths, ["src/**", "{docs,web}/*.md"]);
    assert!(all[0].is_waiting && !all[1].is_waiting);
}

/// Returns the names of the skills that the model is offered.
fn offered(tree: &Tree, paths: &[&str], released: &mut ReleasedSkills) -> String {
    let loader = Loader::new(tree.dirs());
    let paths = paths.iter().map(Path::new);
    let (found, _) = loader.definitions(&tree.path("p/q"), paths, released);
    assert_eq!(found.diagnostics, []);
    let skills = found.skills.iter().filter(|it| !it.is_waiting);
    skills.map(|it| it.name.clone()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_released_skill_stays_so() {
    let one = |name: &str, paths: &str| {
        skill(name, &format!("name: {name}\\ndescription: d\\npaths: {paths}"))
    };
    let tree = Tree::new(&format!("p/.git/\n{}\n{}", one("a", "src/**"), one("b", "docs/**")));
    let mut released = ReleasedSkills::default();
    let mut check = |paths: &[&str], expected: &str| {
        assert_eq!(offered(&tree, paths, &mut released), expected, "{paths:?}");
    };
    check(&["../lib/x.rs"], "");
    check(&["../lib/x.rs", "../src/x.rs"], "a");
    check(&["../lib/x.rs"], "a");
    // Another skill, and one with other patterns, are compared with the files that were read.
    let write = |name: &str, paths: &str| {
        let dir = tree.path("p/.claude/skills").join(name);
        fs::create_dir_all(&dir).unwrap();
        let header = format!("---\nname: {name}\ndescription: d\npaths: {paths}\n---\n");
        fs::write(dir.join("SKILL.md"), header).unwrap();
    };
    write("c", "lib/**");
    check(&["../lib/x.rs"], "a c");
    write("a", "x/**");
    check(&["../lib/x.rs"], "c");
    check(&["../lib/x.rs", "../docs/x.md"], "b c");
}

#[test]
fn a_bad_pattern_of_a_skill_is_reported() {
    let tree =
        Tree::new(&skill("a", "name: a\\ndescription: d\\npaths:\\n- src/[a\\n- true\\n- ok"));
    let found = skills::check(&tree.path("p/.claude/skills/a"), &tree.path("p"));
    let lines = found.iter().map(|it| format!("{}: {}", it.line().unwrap_or(0), it.message));
    let expected = [
        "6: paths[1]: expected a pattern, found true",
        "5: bad pattern src/[a, which matches nothing: unclosed character class; missing ']'",
    ];
    assert_eq!(lines.collect::<Vec<_>>(), expected);
}
