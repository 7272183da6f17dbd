//! The JSON forms in the help have the keys of the output.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::git;

/// The keys below an object, or of the objects in a list; none if the help does
/// not name them.
#[derive(Default)]
struct Form(BTreeMap<String, Form>);

impl Form {
    /// Reads a form such as `{"bodies","wires":[{"wire","bodies"}]}`, in which
    /// everything but keys and brackets may be left out.
    fn parse(text: &mut &str) -> Self {
        let mut form = Self::default();
        while let Some(first) = text.chars().next() {
            let rest = &text[first.len_utf8()..];
            match first {
                '"' => {
                    let (key, rest) = rest.split_once('"').unwrap();
                    *text = rest;
                    let below = text.strip_prefix(":[").or(text.strip_prefix(':'));
                    let below = below.filter(|it| it.starts_with('{'));
                    let below = below.map(|it| {
                        *text = &it[1..];
                        Self::parse(text)
                    });
                    let value = text.split([',', '}']).next().unwrap();
                    if below.is_none() && value.starts_with(':') {
                        *text = &text[value.len()..];
                    }
                    form.0.insert(key.to_owned(), below.unwrap_or_default());
                }
                '}' => {
                    *text = rest;
                    return form;
                }
                _ => *text = rest,
            }
        }
        form
    }

    /// Removes what the value has from `unseen`, and collects keys that the form
    /// lacks.
    fn compare(
        &self,
        value: &Value,
        path: &str,
        unseen: &mut BTreeSet<String>,
        unknown: &mut BTreeSet<String>,
    ) {
        match value {
            Value::Array(items) => {
                items.iter().for_each(|it| self.compare(it, path, unseen, unknown));
            }
            Value::Object(members) if !self.0.is_empty() => {
                for (key, value) in members {
                    let path = format!("{path}.{key}");
                    unseen.remove(&path);
                    match self.0.get(key) {
                        Some(form) => form.compare(value, &path, unseen, unknown),
                        None => drop(unknown.insert(path)),
                    }
                }
            }
            _ => {}
        }
    }

    fn paths(&self, path: &str) -> BTreeSet<String> {
        let below = |(key, form): (&String, &Self)| {
            let path = format!("{path}.{key}");
            let mut paths = form.paths(&path);
            paths.insert(path);
            paths
        };
        self.0.iter().flat_map(below).collect()
    }
}

fn run(directory: &Path, arguments: &[&str]) -> String {
    let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
    aside.current_dir(directory).env("HOME", directory).env_remove("CI");
    String::from_utf8(aside.args(arguments).output().unwrap().stdout).unwrap()
}

#[test]
fn the_help_names_every_key() {
    let home = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cache");
    let turn = fs::read_to_string(cache.join("turn-5.json")).unwrap();
    write("turn-5.json", &turn);
    // An edit of a section after a pause, for the keys that `diff` prints only if they are known.
    let edited = |seconds: u64, rule: &str| {
        let body = turn
            .replace('\n', "")
            .replace("Read before", &format!("\\n# Rules\\n{rule} Read before"));
        format!("{{\"t\":{seconds},\"body\":{body}}}\n")
    };
    write("log.jsonl", &(edited(0, "Tabs.") + &edited(1_800, "Spaces.")));
    write("refused.json", r#"{"model":"unknown-1","max_tokens":0,"messages":[],"betas":[]}"#);
    write(".aside/reminders/bad.md", "---\nschedule: {kind: always}\npriority: high\n---\nx\n");
    write(".aside/reminders/good.md", "---\nschedule: {kind: always}\n---\nx\n");
    write("CLAUDE.md", "Use tabs.\n");
    write(".aside/scenarios/a/scenario.yaml", "repository: ../../..\nturns: [[user: x]]\n");
    git(home.path(), &["init", "--quiet"]);
    run(home.path(), &["verify", "--bless"]);
    git(home.path(), &["add", "--all"]);
    git(home.path(), &["commit", "--quiet", "--message", "x"]);
    write("CLAUDE.md", "Use spaces.\n");
    let cases: [(&[&str], &[&str], &str); 13] = [
        (&["models"], &[], "{"),
        (&["rules"], &[], "{"),
        (&["prompt"], &[], "{"),
        (&["completions"], &["bash"], "{"),
        (&["man"], &[], "{"),
        (&["check"], &["refused.json"], "{"),
        (&["convert"], &["--to", "openai", "turn-5.json"], "{"),
        (&["diff"], &["log.jsonl"], "{"),
        (&["cache", "plan"], &["turn-5.json"], "{"),
        (&["reminders", "list"], &[], "{"),
        (&["reminders", "check"], &[], "{"),
        (&["verify"], &[], "{"),
        (&["verify"], &["--review", "HEAD"], "\"review\":{"),
    ];
    for (command, arguments, start) in cases {
        let help = run(home.path(), &[command, &["--help"]].concat());
        let (_, form) = help.split_once("Print one JSON object:").unwrap();
        let form: String = form.split_whitespace().collect();
        let (_, mut form) = form.split_once(start).unwrap();
        let form = Form::parse(&mut form);
        let printed = run(home.path(), &[command, arguments, &["--json"]].concat());
        let json: Value = serde_json::from_str(&printed).unwrap();
        let json = if start == "{" { &json } else { &json["review"] };
        let (mut unseen, mut unknown) = (form.paths(""), BTreeSet::new());
        form.compare(json, "", &mut unseen, &mut unknown);
        assert_eq!((unseen, unknown), Default::default(), "{command:?}: unseen, unknown");
    }
}
