//! Unquoted texts with colons.

use aside_user_files::{split, yaml};
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize)]
struct Header {
    name: String,
    description: Option<String>,
    #[serde(default)]
    rest: Vec<serde::de::IgnoredAny>,
}

#[track_caller]
fn check(description: &str, expected: &str) {
    let text = format!("---\nname: a\ndescription: {description}\n---\nbody");
    let header: Header = split(&text).unwrap().data().unwrap().unwrap();
    assert_eq!(header.description.as_deref(), Some(expected), "{description}");
    assert_eq!(header.name, "a");
}

#[test]
fn an_unquoted_text_may_have_colons() {
    check("foo: bar", "foo: bar");
    check("It's this: that: those", "It's this: that: those");
    check("so:", "so:");
    check("foo: bar # a comment", "foo: bar");
    check("http://x/y and a:b", "http://x/y and a:b");
    check("\"foo: bar\"", "foo: bar");
    check("|\n  foo: bar\n  b: *c\nrest: [*c]", "foo: bar\nb: *c\n");
}

#[test]
fn mappings_stay_mappings() {
    // Read a second time because of the description.
    #[derive(Deserialize)]
    struct Hooks {
        hooks: Vec<Hook>,
    }
    #[derive(Deserialize)]
    struct Hook {
        on: On,
    }
    #[derive(Deserialize)]
    struct On {
        edit: String,
    }
    let read: Hooks =
        yaml("description: a: b\nhooks:\n- on:\n    edit: x: y\n-  on:\n     edit: z\n").unwrap();
    let edits: Vec<_> = read.hooks.iter().map(|it| &*it.on.edit).collect();
    assert_eq!(edits, ["x: y", "z"]);
    let read: Hooks =
        yaml("description: a: b\nhooks:\n- on: {edit: x}\n- {on: {edit: z}}\n").unwrap();
    let edits: Vec<_> = read.hooks.iter().map(|it| &*it.on.edit).collect();
    assert_eq!(edits, ["x", "z"]);
}

#[test]
fn other_syntax_errors_stay_errors() {
    let text = "---\nname: a\n  b: c\n---\nbody";
    assert!(split(text).unwrap().data::<Header>().is_err());
}
