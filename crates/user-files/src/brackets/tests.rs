use proptest::prelude::*;
use serde_yaml::Value;

use super::deeper_than;

/// Returns how many brackets are open at once at most.
fn depth(text: &str) -> usize {
    let is_enough = |limit: &usize| deeper_than(*limit, text).is_none();
    (0..).find(is_enough).unwrap()
}

#[test]
fn brackets_that_nest() {
    for (text, expected) in [
        ("", 0),
        ("a: b", 0),
        ("a: []", 1),
        ("a: [[], {}, [{b: [c]}]]", 4),
        ("- [a]\n- [b]\n", 1),
        ("a: [\n[\n[", 3),
        ("[]: [[", 2),
        ("? [[", 2),
        ("--- [[", 2),
        ("- - [[", 2),
        ("a: &b !c [[", 2),
        ("a: !<x,]> [[", 2),
        ("a:\t[[", 2),
        ("a:\u{85}[[", 2),
        ("a: b\n\u{feff}[[", 2),
    ] {
        assert_eq!(depth(text), expected, "{text:?}");
    }
}

#[test]
fn code_and_prose_count_little() {
    for text in [
        "a: b[[[",
        "a: b [[[",
        "a: '[[['",
        "a: |\n  if (a[b] { c('[', \"{\"\n",
        "a: >\n  all of [0, 1) and [1, 2)\n",
        "globs: [*.rs, src/{a,b}, '[a]']",
    ] {
        assert!(depth(text) <= 3, "{text:?}: {}", depth(text));
    }
    let rules = "- paths: [src/**, {a: b}]\n".repeat(50);
    assert_eq!(depth(&rules), 2);
}

#[test]
fn brackets_that_only_look_closed() {
    for one in [
        r#"["]", "#,
        r#"["\"]", "#,
        "[']', ''']', ",
        "[ #]\n",
        "[a #]\n",
        "[!<]> a, ",
        "[a: ']', ",
        "[? ']', ",
        "[- ']', ",
        "[-\n']', ",
        "[&a ']', ",
        "[*a, ']', ",
        "[*a : ']', ",
        "[!a ']', ",
        "[! ']', ",
        "['a':']', ",
        "[\n\u{feff}']', ",
    ] {
        let text = format!("a: {}", one.repeat(50));
        assert!(depth(&text) >= 50, "{one:?}");
    }
}

#[test]
fn no_preceding_text_hides_brackets() {
    for before in [
        "a: |\n [ '\n",
        "a: b\n 'c\n",
        "# [ \"\n",
        "a: \"\n [ ' \"\n",
        "a: |\n - [ !<\nb: >\n - [ # \" '\n",
    ] {
        let text = format!("{before}d: {}", "[".repeat(50));
        assert!(depth(&text) >= 50, "{before:?}");
    }
}

#[test]
fn the_line_is_that_of_the_bracket() {
    assert_eq!(deeper_than(2, "a: [\n[\n\n[]]]"), Some(4));
    assert_eq!(deeper_than(3, "a: [\n[\n\n[]]]"), None);
}

fn nested(value: &Value) -> usize {
    match value {
        Value::Sequence(items) => 1 + items.iter().map(nested).max().unwrap_or(0),
        Value::Mapping(entries) => {
            let parts = entries.iter().flat_map(|(key, value)| [key, value]);
            parts.map(nested).max().unwrap_or(0)
        }
        Value::Tagged(tagged) => nested(&tagged.value),
        _ => 0,
    }
}

const PIECES: &[&str] = &[
    "[", "[", "[", "]", "]", "]", "{", "}", "'", "'", "\"", "\"", "''", ", ", ",", ": ", ":", "? ",
    "?", "-", " #", "#", "\n", "\n ", "\n  ", "\n   ", " ", "\t", "a", "b", "\\\"", "\\", "!",
    "!a ", "!<", ">", "|", "&c ", "*a ", "\u{feff}", "\r\n", "\u{85}", "\u{e9}", "a: ", "|\n  ",
    "\n- ", "\n? ", "\n: ", "\nb: ", "\n  c: ", "|2\n", ">-\n", "\n---\n", "\n...\n", "- ", "%",
    "[[]]", "[\n]", "\n  - ",
];

proptest! {
    /// The count must reach libyaml's, or a text could hide brackets.
    #[test]
    fn libyaml_finds_no_more(
        before in prop::sample::select(vec!["[", "a: [", "a: ", "- [", "", "[&a b, ", "? "]),
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12),
        behind in prop::sample::select(vec![
            "", "]", "]]", "']", "\"]", "\n]", "\nz: [[[[]]]]", "\n- [[[[]]]]", "\n  [[[[]]]]",
            "\n: [[[[]]]]", "\n'",
        ]),
    ) {
        let text = format!("{before}{}{behind}", pieces.concat());
        if let Ok(value) = serde_yaml::from_str::<Value>(&text) {
            // A dash may begin a list as well.
            let dashes = text.matches('-').count();
            prop_assert!(nested(&value) <= depth(&text) + dashes, "{:?}", text);
        }
    }
}
