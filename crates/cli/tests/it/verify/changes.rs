//! Reviewing changes in a monorepo: `changes/changes.yaml` has each change and
//! what the review has to show.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use aside_models::{estimate, find};
use serde::Deserialize;
use serde_json::Value;

use crate::verify::Team;

const MONOREPO: &str = include_str!("changes/monorepo.yaml");
const CHANGES: &str = include_str!("changes/changes.yaml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    name: String,
    #[serde(default)]
    write: BTreeMap<String, String>,
    /// For each file, which words to replace, and with what.
    #[serde(default)]
    edit: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(default)]
    remove: Vec<String>,
    #[serde(default)]
    rename: BTreeMap<String, String>,
    #[serde(default)]
    link: BTreeMap<String, String>,
    tokens: Option<Tokens>,
    #[serde(default)]
    frame: u64,
    #[serde(default)]
    note: String,
    #[serde(default)]
    sees: BTreeMap<String, String>,
    /// Which shared prefixes end, for some of these scenarios.
    #[serde(default)]
    ends: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tokens {
    #[serde(default)]
    more: String,
    #[serde(default)]
    less: String,
}

/// Fills the long passage into a text.
fn long(text: &str) -> String {
    let sentences = (1..=130).map(|number| format!("Rule {number}: ask before you touch it."));
    text.replace("{long}", &sentences.collect::<Vec<_>>().join(" "))
}

impl Tokens {
    /// Estimates the texts alone, without any request.
    fn estimated(&self) -> i64 {
        let tokenizer = find("claude-sonnet-5-5").facts.estimated_tokenizer();
        let count = |text: &str| i64::try_from(estimate(&long(text), tokenizer).tokens()).unwrap();
        count(&self.more) - count(&self.less)
    }
}

fn monorepo() -> Team {
    let team = Team(tempfile::tempdir().unwrap());
    let files: BTreeMap<String, String> = aside_user_files::yaml(MONOREPO).unwrap();
    for (path, text) in &files {
        team.write(path, &long(text));
    }
    team.git(&["init", "--quiet"]);
    let mut init = Command::new(env!("CARGO_BIN_EXE_aside"));
    let output = init.arg("init").current_dir(team.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    team.commit();
    team
}

impl Change {
    fn apply(&self, team: &Team) {
        for (path, words) in &self.edit {
            let mut text = fs::read_to_string(team.path().join(path)).unwrap();
            for (from, to) in words {
                assert!(text.contains(&long(from)), "{}: {path} has no {from:?}", self.name);
                text = text.replacen(&long(from), &long(to), 1);
            }
            team.write(path, &text);
        }
        for path in &self.remove {
            fs::remove_file(team.path().join(path)).unwrap();
        }
        for (from, to) in &self.rename {
            fs::rename(team.path().join(from), team.path().join(to)).unwrap();
        }
        for (path, text) in &self.write {
            team.write(path, &long(text));
        }
        for (path, target) in &self.link {
            make_link(target, &team.path().join(path));
        }
    }

    /// Compares the review to what it has to show.
    fn check(&self, team: &Team) {
        let output = team.run(&["--review", "HEAD", "--json"], None);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let name = &self.name;
        let requests = json["review"]["requests"].as_array().unwrap();
        let scenario =
            |it: &Value| it["request"].as_str().unwrap().split('/').next().unwrap().to_owned();
        let mut seen: Vec<_> = requests.iter().map(scenario).collect();
        seen.sort_unstable();
        assert!(seen.iter().eq(self.sees.keys()), "{name}: {seen:?}: {json:#}");
        let changes = json["changes"].as_array().unwrap();
        for request in requests {
            let ids = request["changes"].as_array().unwrap();
            let of_request: Vec<_> = changes.iter().filter(|it| ids.contains(&it["id"])).collect();
            let source = &self.sees[&scenario(request)];
            let has_source = of_request.iter().any(|it| it["source"] == source.as_str());
            assert!(has_source, "{name}: {source}: {of_request:#?}");
            if let Some(ends) = self.ends.get(&scenario(request)) {
                assert_eq!(request["ends"], serde_json::json!(ends), "{name}: {request:#}");
            }
            let notes = of_request.iter().map(|it| it["note"].as_str().unwrap());
            let notes = notes.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("; ");
            assert!(
                notes.contains(&self.note) && notes.is_empty() == self.note.is_empty(),
                "{name}: {notes}"
            );
            let tokens = |key: &str| request[key]["tokens"].as_i64().unwrap();
            let added = tokens("after") - tokens("before");
            let Some(expected) = self.tokens.as_ref().map(Tokens::estimated) else {
                continue;
            };
            let allowed = expected.unsigned_abs() * 2 / 100 + self.frame;
            assert!(
                added.abs_diff(expected) <= allowed,
                "{name}: {added} tokens, expected {expected}"
            );
        }
    }
}

#[cfg(unix)]
fn make_link(target: &str, path: &Path) {
    std::os::unix::fs::symlink(target, path).unwrap();
}

#[cfg(not(unix))]
fn make_link(_: &str, _: &Path) {}

/// Applies every change of a kind, each to the repository as committed.
fn check(kind: &str) {
    let mut all: BTreeMap<String, Vec<Change>> = aside_user_files::yaml(CHANGES).unwrap();
    let team = monorepo();
    let changes = all.remove(kind).unwrap();
    let changes = changes.iter().filter(|it| cfg!(unix) || it.link.is_empty());
    for change in changes {
        change.apply(&team);
        change.check(&team);
        team.git(&["reset", "--quiet", "--hard"]);
        team.git(&["clean", "--quiet", "-d", "--force"]);
    }
}

macro_rules! kinds {
    ($($kind:ident)*) => {
        $(
            #[test]
            fn $kind() {
                check(stringify!($kind));
            }
        )*

        #[test]
        fn every_kind_has_a_test() {
            let all: BTreeMap<String, Vec<Change>> = aside_user_files::yaml(CHANGES).unwrap();
            let mut kinds = vec![$(stringify!($kind)),*];
            kinds.sort_unstable();
            assert!(all.keys().eq(&kinds), "{:?}", all.keys());
            assert!(all.values().map(Vec::len).sum::<usize>() >= 40);
        }
    };
}

kinds! { root_file package_file import rule path_glob skill reminder rename case crlf link mcp whitespace }
