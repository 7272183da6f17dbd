use proptest::prelude::*;
use serde_yaml::Value;

use super::deeper_than;

/// Returns the most brackets that are open at once.
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
fn brackets_in_text_do_not_count() {
    for text in [
        r#"a: ["[[\"[", '[[''[', b]"#,
        "a: [b # [[[\n]",
        "a: [b, # '\n]",
        "a: [don't, b\"[, c]",
        "a: [!x'[]",
        "a: [-'x]",
        "a: [b\n\u{feff}'[]]",
        "a: [ \u{feff}'[]]",
        "a: b[[[",
        "a: b [[[",
        "# [[[",
        "a: '[[['",
        "a: \"[[[\"",
        "a: |\n  f(x[y[z[",
    ] {
        assert!(depth(text) <= 2, "{text:?}: {}", depth(text));
    }
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

/// Returns how deep lists are nested, and how deep lists and mappings.
fn nested(value: &Value) -> (usize, usize) {
    let deepest = |values: &mut dyn Iterator<Item = &Value>| {
        values.map(nested).fold((0, 0), |(lists, all), (list, it)| {
            (lists.max(list), all.max(it))
        })
    };
    match value {
        Value::Sequence(items) => {
            let (lists, all) = deepest(&mut items.iter());
            (lists + 1, all + 1)
        }
        Value::Mapping(entries) => {
            let (lists, all) = deepest(&mut entries.iter().flat_map(|(key, it)| [key, it]));
            (lists, all + 1)
        }
        Value::Tagged(tagged) => nested(&tagged.value),
        _ => (0, 0),
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
    /// The scanner counts at least as many brackets as libyaml, or a text could
    /// hide some, and not more, or an ordinary text could be refused.
    #[test]
    fn libyaml_finds_as_many(
        before in prop::sample::select(vec!["[", "a: [", "a: ", "- [", "", "[&a b, ", "? "]),
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12),
        behind in prop::sample::select(vec![
            "", "]", "]]", "']", "\"]", "\n]", "\nz: [[[[]]]]", "\n- [[[[]]]]", "\n  [[[[]]]]",
            "\n: [[[[]]]]", "\n'",
        ]),
    ) {
        let text = format!("{before}{}{behind}", pieces.concat());
        if let Ok(value) = serde_yaml::from_str::<Value>(&text) {
            let (lists, all) = nested(&value);
            // A dash may begin a list as well; and libyaml's parser misses the
            // end of `[? ]`, which its scanner has seen.
            let others = text.matches(['-', '?']).count();
            prop_assert!(lists <= depth(&text) + others, "{:?}", text);
            prop_assert!(all >= depth(&text), "{:?}", text);
        }
    }
}
