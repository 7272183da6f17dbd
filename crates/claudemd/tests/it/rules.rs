//! Rules with `paths`.

use aside_claudemd::Profile;

use crate::tree::{Tree, check};

/// Checks for which paths a rule with these `paths` loads.
#[track_caller]
fn matching(paths: &str, yes: &[&str], no: &[&str]) {
    let tree = Tree::new(&format!("p/.claude/rules/r.md = ---\\npaths: {paths}\\n---\\nr"));
    for (files, expected) in [(yes, 1), (no, 0)] {
        for file in files {
            let loaded = tree.load("p", |loader| loader).touch(file);
            assert_eq!(loaded.len(), expected, "paths: {paths}, file: {file}");
        }
    }
}

/// The other tests need YAML. Run with `--no-default-features without_yaml`.
#[cfg(not(feature = "yaml"))]
#[test]
fn without_yaml_a_rule_with_front_matter_always_loads_and_is_reported() {
    let tree = Tree::new("p/.claude/rules/r.md = ---\\npaths: src/**\\n---\\nUse tabs.");
    let memory = tree.load("p", |loader| loader);
    assert_eq!(&*memory.files()[0].text, "Use tabs.");
    let faults = format!("{:?}", memory.diagnostics());
    assert!(faults.contains("the feature `yaml`"), "{faults}");
}

#[test]
fn globs_are_relative_to_the_directory_of_the_rules() {
    matching("src/*.rs", &["src/a.rs"], &["a.rs", "src/b/a.rs", "x/src/a.rs", "src/a.rsx"]);
    matching("'*.md'", &["a.md", ".md"], &["b/a.md"]);
    matching("'**/*.md'", &["a.md", "b/c/a.md"], &["a.mdx"]);
    matching("/src/*.rs", &["src/a.rs"], &["x/src/a.rs"]);
    matching("./src/*.rs", &["src/a.rs"], &[]);
    matching("'src/**/a?.rs'", &["src/a1.rs", "src/x/y/ab.rs"], &["src/a.rs"]);
    matching("src/[ab].rs", &["src/a.rs"], &["src/c.rs"]);
    matching("'**'", &["a", "b/c"], &["../a"]);
}

#[test]
fn a_directory_pattern_matches_everything_in_it() {
    matching("src/**", &["src", "src/a", "src/b/c"], &["srcs/a", "x/src/a"]);
    matching("src/", &["src/a", "src/b/c"], &["x/src/a"]);
    matching("src/api", &["src/api/a", "src/api"], &["src/apis"]);
}

#[test]
fn lists_commas_and_braces() {
    matching("'a.rs, b.rs'", &["a.rs", "b.rs"], &["c.rs"]);
    matching(
        "'{src,lib}/**/*.{rs,toml}, x.md'",
        &["src/a.rs", "lib/b/c.toml", "x.md"],
        &["bin/a.rs"],
    );
    matching("[a.rs, b.rs]", &["a.rs", "b.rs"], &["c.rs"]);
    matching("\\n- a.rs\\n- '*.{ts,{js,jsx}}'", &["a.rs", "x.ts", "x.jsx"], &["x.tsx"]);
    matching("{a,b/c}.rs", &["a.rs", "b/c.rs"], &["b.rs"]);
    matching("{a,b}", &["a", "b"], &["c"]);
    matching("\\n- 7\\n- x", &["7", "x"], &[]);
    matching("'[{]a,b[}]'", &[], &["a"]);
}

#[test]
fn unquoted_globs() {
    matching("**/*.ts", &["a/b.ts"], &["b.js"]);
    matching("*.ts, {a,b}/**", &["x.ts", "a/y"], &["c/y"]);
    matching("\\n  - **/*.ts\\n  - {a,b}/**", &["q/x.ts", "b/y"], &["c/y"]);
    matching("[*.ts, a/*.{x,y}]", &["x.ts", "a/b.y"], &["c/y"]);
    matching("[app/[ab]/**, src/**]", &["app/a/x", "src/y"], &["app/c/x"]);
    matching("[\\n  src/**,\\n  *.ts\\n]", &["src/y", "x.ts"], &["c/y"]);
}

#[test]
fn a_string_may_have_quotes_and_line_ends() {
    matching("src/**, \"lib/**\"", &["src/a", "lib/a"], &["a"]);
    matching("\"src/**\", 'lib/**'", &["src/a", "lib/a"], &["a"]);
    matching("|\\n  src/**\\n  lib/**, *.rs", &["src/a", "lib/a", "a.rs"], &["a"]);
    matching("'src/**, lib/**'", &["src/a", "lib/a"], &["a"]);
}

#[test]
fn the_last_pattern_that_matches_decides() {
    matching(
        "src/**, !src/gen/**, src/gen/keep.rs",
        &["src/a", "src/gen/keep.rs"],
        &["src/gen/a", "b"],
    );
}

#[test]
fn a_rule_without_paths_loads_at_the_start() {
    for header in ["", "paths:\\n", "paths: []\\n", "paths: ''\\n", "description: x\\n"] {
        let tree = format!("p/.claude/rules/r.md = ---\\n{header}---\\nr");
        check(&tree, "p", "project session_start p/.claude/rules/r.md");
    }
}

#[test]
fn an_invalid_pattern_matches_nothing_and_the_others_apply() {
    let tree = Tree::new(
        "p/.claude/rules/r.md = ---\\npaths:\\n- 'a['\\n- b.rs\\n# third\\n- '{a'\\n---\\nr",
    );
    let mut memory = tree.load("p", |loader| loader);
    let lines: Vec<_> = memory.diagnostics().iter().map(aside_claudemd::Diagnostic::line).collect();
    assert_eq!(lines, [Some(3), Some(6)]);
    let messages: Vec<_> = memory.diagnostics().iter().map(|d| d.message.clone()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].starts_with("bad pattern a[, which matches nothing: "), "{messages:?}");
    assert_eq!(memory.touch("a[").len(), 0);
    assert_eq!(memory.touch("b.rs").len(), 1);
}

/// Otherwise the rule would wait for a path that no file has.
#[test]
fn an_entry_of_another_type_is_reported_and_the_others_apply() {
    let check = |paths: &str, globs: &[&str], expected: &[&str]| {
        let tree = Tree::new(&format!("p/.claude/rules/r.md = ---\\npaths: {paths}\\n---\\nr"));
        let mut memory = tree.load("p", |loader| loader);
        let messages: Vec<_> = memory
            .diagnostics()
            .iter()
            .map(|it| format!("{}: {}", it.line().unwrap(), it.message))
            .collect();
        assert_eq!(messages, expected, "{paths}");
        assert_eq!(memory.files().is_empty(), !globs.is_empty(), "{paths}");
        let touched = memory.touch("src/a.rs");
        let found: Vec<_> = touched.iter().flat_map(|it| &it.globs).collect();
        assert_eq!(found, globs, "{paths}");
    };
    check("[[a]]", &[], &["2: paths[0]: expected a pattern, found a list"]);
    check("['src/**', [b]]", &["src/**"], &["2: paths[1]: expected a pattern, found a list"]);
    check("[{a: b}]", &[], &["2: paths[0]: expected a pattern, found a mapping"]);
    check("\\n- src: '*.a'", &[], &["3: paths[0]: expected a pattern, found a mapping"]);
    check(
        "\\n  - src/**\\n  - true\\n  - 1.5",
        &["src/**"],
        &[
            "4: paths[1]: expected a pattern, found true",
            "5: paths[2]: expected a pattern, found 1.5",
        ],
    );
    let found = ["2: paths[1]: expected a pattern, found true"];
    check("[\"src/**\", true, null]", &["src/**"], &found);
    check("[src/**, true, ]", &["src/**"], &found);
    check("[{src,b}/**, true]", &["{src,b}/**"], &found);
    check(
        "[{src,b}, !foo '*.a', {a: b}]",
        &["{src,b}"],
        &[
            "2: paths[1]: expected a pattern, found a value with a tag",
            "2: paths[2]: expected a pattern, found a mapping",
        ],
    );
    let note = "3: unknown key other, which changes nothing";
    check("[src/**, true]\\nother:\\n- a\\n- b", &["src/**"], &[note, found[0]]);
    for (paths, globs) in [
        ("{src,b}", vec!["{src,b}"]),
        ("[{src,b}, *.rs]", vec!["{src,b}", "*.rs"]),
        ("'src/*.rs'", vec!["src/*.rs"]),
        ("[src, 1.5, 7]", vec!["src", "1.5", "7"]),
        ("[null]", vec![]),
    ] {
        check(paths, &globs, &[]);
    }
}

#[test]
fn an_entry_of_another_type_is_reported_for_other_agents_too() {
    for (profile, file, key) in [
        (Profile::Cursor, "p/.cursor/rules/r.mdc", "globs"),
        (Profile::Copilot, "p/.github/instructions/r.instructions.md", "applyTo"),
    ] {
        let tree = Tree::new(&format!("p/.git/\n{file} = ---\\n{key}: [src/**, true]\\n---\\nr"));
        let mut memory = tree.load("p", |loader| loader.profile(profile));
        let messages: Vec<_> = memory.diagnostics().iter().map(|it| it.message.clone()).collect();
        assert_eq!(messages, [format!("{key}[1]: expected a pattern, found true")]);
        assert_eq!(memory.touch("src/a.rs").len(), 1, "{profile:?}");
    }
}

#[test]
fn a_rule_records_the_path_that_triggered_it() {
    let tree = Tree::new("p/.claude/rules/r.md = ---\\npaths: 'a/*, *.{x,y}'\\n---\\nr\\n");
    let file = tree.load("p", |loader| loader).touch("q.x").remove(0);
    assert_eq!(file.globs, ["a/*", "*.{x,y}"]);
    assert_eq!(file.trigger, Some(tree.path("p/q.x")));
    assert_eq!((file.rule, &*file.text, file.differs_from_disk), (true, "r", true));
}

#[test]
fn a_linked_directory_matches_under_either_name() {
    let tree = "
        p/real/a.rs = a
        p/link -> real
        p/.claude/rules/link.md = ---\\npaths: link/*.rs\\n---\\nl
        p/.claude/rules/real.md = ---\\npaths: real/*.rs\\n---\\nr
    ";
    check(
        tree,
        "p",
        "
        touch p/link/a.rs
        project path_glob_match p/.claude/rules/link.md
        project path_glob_match p/.claude/rules/real.md
    ",
    );
    check(
        &format!("{tree}\nq -> p"),
        "q",
        "
        touch p/real/a.rs
        project path_glob_match q/.claude/rules/real.md
    ",
    );
}

#[test]
fn linked_rules_are_followed() {
    check(
        "
        p/shared/a.md = a
        p/shared/deep/b.md = b
        p/.claude/rules/shared -> ROOT/p/shared
        p/.claude/rules/one.md -> ROOT/p/shared/a.md
        ",
        "p",
        "
        project session_start p/.claude/rules/one.md
        project session_start p/.claude/rules/shared/deep/b.md
        skip p/.claude/rules/shared/a.md: already loaded as p/.claude/rules/one.md
        ",
    );
}

#[test]
fn unknown_keys_are_reported_with_the_nearest_known_one() {
    let check = |header: &str, expected: &[&str]| {
        let tree = Tree::new(&format!("p/.claude/rules/r.md = ---\\n{header}\\n---\\nr"));
        let memory = tree.load("p", |loader| loader);
        let reports =
            memory.diagnostics().iter().map(|it| format!("{}: {}", it.line().unwrap(), it.message));
        assert_eq!(reports.collect::<Vec<_>>(), expected, "{header}");
    };
    check("paths: src", &[]);
    check("path: src", &["2: unknown key path: did you mean paths?"]);
    check(
        "a: 1\\nglobs: '**/*.ts'",
        &["2: unknown key a, which changes nothing", "3: unknown key globs: did you mean paths?"],
    );
    check("applyTo: '**'", &["2: unknown key applyTo: did you mean paths?"]);
}
