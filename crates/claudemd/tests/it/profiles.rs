//! The files that each agent would load: one file per case in
//! `tests/profiles/AGENT`.
//!
//! A case has the lines `source:` and `cwd:`, then a tree below `tree:`, and
//! the expected result below `expected:`; both are written as `tree.rs`
//! describes.

use std::fs;
use std::path::Path;

use aside_claudemd::{Additional, Mode, Profile};

use crate::tree::Tree;

fn run(case: &Path, profile: Profile) {
    let text = fs::read_to_string(case).unwrap();
    let (head, rest) = text.split_once("tree:\n").unwrap();
    let (tree, expected) = rest.split_once("expected:\n").unwrap();
    let value = |key: &str| head.lines().find_map(|line| line.strip_prefix(key));
    assert!(value("source: ").is_some(), "{} has no source", case.display());
    let cwd = value("cwd: ").unwrap_or("p");
    // A case's panic contains its lines, which name the files.
    Tree::new(tree).check(cwd, |loader| loader.profile(profile), expected);
}

#[test]
fn a_search_without_a_repository_ends_at_the_ceiling() {
    let tree = Tree::new("AGENTS.md = above\np/CLAUDE.md = p\np/a/b.md = b\n");
    let load = |ceiling: Option<&str>| {
        let memory = tree.load("p/a", |loader| {
            let loader = loader.profile(Profile::Opencode);
            match ceiling {
                Some(dir) => loader.ceiling(tree.path(dir)),
                None => loader,
            }
        });
        let names = memory.files().iter().map(|file| file.path.file_name().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(load(Some("p")), ["CLAUDE.md"]);
    assert_eq!(load(None), ["AGENTS.md"]);
}

#[test]
fn the_searched_directories_are_those_of_the_agent() {
    let tree = Tree::new("p/.git/HEAD = h\np/a/b/\nadd/");
    let root = format!("{}/", tree.path("").to_str().unwrap().trim_end_matches('/'));
    let check = |profile, mode, expected: &[&str]| {
        let memory = tree.load("p/a/b", |loader| {
            let loader = loader.profile(profile).mode(mode).auto_memory(tree.path("notes"));
            loader.additional_dirs([tree.path("add")], Additional::Always)
        });
        let searched = memory.unloaded().searched;
        let searched: Vec<_> = searched.iter().map(|dir| dir.to_str().unwrap()).collect();
        let inside = searched.iter().filter_map(|dir| dir.strip_prefix(&root));
        assert_eq!(inside.collect::<Vec<_>>(), expected, "{profile}: {searched:?}");
        searched.len() == expected.len()
    };
    let is_whole = |profile, expected: &[&str]| assert!(check(profile, Mode::Full, expected));
    is_whole(Profile::Codex, &["home/.codex", "p", "p/a", "p/a/b"]);
    is_whole(Profile::Gemini, &["home/.gemini", "p", "p/a", "p/a/b"]);
    is_whole(Profile::Cursor, &["p", "p/a", "p/a/b"]);
    let copilot = ["home/.copilot", "p", "p/a/b", "p/a", "home/.copilot/instructions"];
    is_whole(Profile::Copilot, &copilot);
    is_whole(Profile::Opencode, &["home/.config/opencode", "home/.claude", "p/a/b", "p/a", "p"]);
    is_whole(Profile::Zed, &["p"]);
    is_whole(Profile::Aider, &[]);
    check(Profile::Codex, Mode::Bare, &[]);
    let claude = ["managed", "home/.claude", "p", "p/a", "p/a/b", "add", "notes"];
    check(Profile::Claude, Mode::Full, &claude);
    check(Profile::Claude, Mode::Bare, &["add"]);
}

#[test]
fn every_case() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/profiles");
    let mut profiles = 0;
    for profile in Profile::ALL {
        let Ok(cases) = fs::read_dir(root.join(profile.as_str().replace(':', "-"))) else {
            continue;
        };
        let mut cases: Vec<_> = cases.map(|case| case.unwrap().path()).collect();
        cases.sort();
        assert!(!cases.is_empty());
        profiles += 1;
        for case in cases {
            run(&case, profile);
        }
    }
    assert_eq!(profiles, Profile::ALL.len(), "a profile without a case");
}

#[test]
fn profile_names_round_trip_and_errors_suggest_a_name() {
    for profile in Profile::ALL {
        assert_eq!(profile.as_str().parse(), Ok(profile));
    }
    let error = "codx".parse::<Profile>().unwrap_err();
    assert!(error.ends_with("(did you mean codex?)"), "{error}");
}
