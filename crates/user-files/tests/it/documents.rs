//! Front matter, body, and the lines that errors name.

use aside_user_files::{DocumentErrorKind, split, strict_yaml, yaml};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Debug, Deserialize, PartialEq)]
struct Header {
    paths: Option<Paths>,
    n: Option<u32>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Paths {
    One(String),
    Many(Vec<String>),
}

fn check(text: &str, header: Option<&str>, body: &str) {
    let document = split(text).expect("closed");
    assert_eq!(document.header(), header, "header of {text:?}");
    assert_eq!(document.body(), body, "body of {text:?}");
    let before = text.len() - body.len();
    if body.is_empty() {
        return;
    }
    assert_eq!(
        document.body_line(),
        1 + text[..before].matches('\n').count(),
        "line of the body of {text:?}"
    );
}

#[test]
fn the_block_is_removed_and_the_body_unchanged() {
    check("---\na: 1\n---\nbody\n", Some("a: 1\n"), "body\n");
    check("---\na: 1\n---\n\n\n  body \n\n", Some("a: 1\n"), "\n\n  body \n\n");
    check("---\r\na: 1\r\n---\r\nbody\r\n", Some("a: 1\r\n"), "body\r\n");
    check("---  \na: 1\n---\t\nbody", Some("a: 1\n"), "body");
    check("---\n---\nbody", Some(""), "body");
    check("---\n\n---\n\nbody", Some("\n"), "\nbody");
    check("---\na: 1\n---", Some("a: 1\n"), "");
    check("---\na: 1\n---\n", Some("a: 1\n"), "");
    check("---\na: 1\n---\n\n\n", Some("a: 1\n"), "\n\n");
}

#[test]
fn blank_lines_and_a_byte_order_mark_may_precede_it() {
    check("\n \r\n---\na: 1\n---\nbody", Some("a: 1\n"), "body");
    let marked = split("\u{feff}---\na: 1\n---\nbody").unwrap();
    assert_eq!((marked.header(), marked.body()), (Some("a: 1\n"), "body"));
    assert_eq!(split("\u{feff}body\n").unwrap().body(), "body\n");
}

#[test]
fn other_texts_are_all_body() {
    for text in [
        "",
        "\n",
        "body",
        "----\na: 1\n----\n",
        "--- a\nb\n---\n",
        " ---\na: 1\n---\n",
        "- - -\na\n- - -\n",
        "text\n---\na: 1\n---\n",
    ] {
        check(text, None, text);
    }
}

#[test]
fn a_rule_in_the_body_does_not_end_it() {
    check("---\na: 1\n---\nx\n---\ny\n", Some("a: 1\n"), "x\n---\ny\n");
    check("---\na: 1\n---\n---\n", Some("a: 1\n"), "---\n");
}

#[test]
fn a_block_that_is_not_closed_is_an_error_on_its_opening_line() {
    for (text, line) in [("---\na: 1\n", 1), ("\n\n---\na: 1", 3), ("---\n", 1), ("---", 1)] {
        let error = split(text).unwrap_err();
        assert_eq!((error.kind(), error.line()), (DocumentErrorKind::Unclosed, line), "{text:?}");
    }
}

#[test]
fn a_block_has_at_most_64_kb() {
    let block = |size: usize| format!("---\n{}\n---\nbody", "#".repeat(size - 9));
    assert_eq!(split(&block(64 * 1024)).unwrap().body(), "body");
    let error = split(&block(64 * 1024 + 1)).unwrap_err();
    assert_eq!(error.kind(), DocumentErrorKind::Unclosed);
    // A line that looks like a delimiter only because the limit truncates it.
    let cut = format!("---\n{}\n---not a delimiter\n", "#".repeat(64 * 1024 - 8));
    assert_eq!(split(&cut).unwrap_err().kind(), DocumentErrorKind::Unclosed);
}

fn paths(header: &str) -> Paths {
    let text = format!("---\n{header}\n---\nbody");
    let header: Header = split(&text).unwrap().data().unwrap().unwrap();
    header.paths.unwrap()
}

#[test]
fn unquoted_globs_are_strings() {
    let one = |glob: &str| Paths::One(glob.to_owned());
    let many = |globs: &[&str]| Paths::Many(globs.iter().map(|g| (*g).to_owned()).collect());
    assert_eq!(paths("paths: **/*.ts"), one("**/*.ts"));
    assert_eq!(paths("paths: *.md, {src,lib}/**"), one("*.md, {src,lib}/**"));
    assert_eq!(paths("paths: {a,b}/**  # both"), one("{a,b}/**"));
    assert_eq!(paths("paths: [a-z]*.ts"), one("[a-z]*.ts"));
    assert_eq!(paths("paths: @scope/**"), one("@scope/**"));
    assert_eq!(paths("paths: src/**/*.{ts,tsx}"), one("src/**/*.{ts,tsx}"));
    assert_eq!(paths("paths: *'s"), one("*'s"));
    assert_eq!(
        paths("paths: [*.ts, \"b c\", src/*.{js,jsx}]"),
        many(&["*.ts", "b c", "src/*.{js,jsx}"])
    );
    assert_eq!(
        paths("paths:\n  - **/*.ts\r\n  - {a,b}/**\n  - 'c'"),
        many(&["**/*.ts", "{a,b}/**", "c"])
    );
    assert_eq!(paths("paths:\n- !src/**"), many(&["!src/**"]));
}

#[test]
fn an_unquoted_list_may_have_classes_and_several_lines() {
    let check = |header: &str, globs: &[&str]| {
        let globs = globs.iter().map(|glob| (*glob).to_owned()).collect();
        assert_eq!(paths(header), Paths::Many(globs), "{header}");
    };
    check("paths: [app/[slug]/**, src/**]", &["app/[slug]/**", "src/**"]);
    check("paths: [[ab].rs, c]  # both", &["[ab].rs", "c"]);
    check("paths: [\"a,b]\", *.rs, 'c[d', [e]*]", &["a,b]", "*.rs", "c[d", "[e]*"]);
    check("paths: ['it''s, x', *.rs]", &["it's, x", "*.rs"]);
    check(r#"paths: ["a\", b", *.rs]"#, &["a\", b", "*.rs"]);
    check("paths: [\n  src/**,\n  *.ts\n]", &["src/**", "*.ts"]);
    check("paths: [ # some\r\n  src/**, # one\r\n\r\n  # two\r\n  [ab]*]\r", &["src/**", "[ab]*"]);
    check("paths:\n- *.rs\n- a", &["*.rs", "a"]);
    // The list does not end before the next key.
    assert_eq!(paths("paths: [x\nother: [a, *b]"), Paths::One("[x".to_owned()));
    // The line after a list is read as usual.
    assert_eq!(paths("n: 1\nlist: [\n  *.ts,\n]\npaths: *.rs"), Paths::One("*.rs".to_owned()));
    let several = "\"src/**\", \"lib/**\"";
    assert_eq!(paths(&format!("paths: {several}")), Paths::One(several.to_owned()));
}

#[test]
fn values_that_yaml_can_read_are_quoted_on_request() {
    let quoted = |paths: &str| {
        let text = format!("---\npaths: {paths}\n---\nbody");
        let header: Header = split(&text).unwrap().quoted_data().unwrap().unwrap();
        header.paths
    };
    let many = |globs: &[&str]| Paths::Many(globs.iter().map(|it| (*it).to_owned()).collect());
    assert_eq!(quoted("[{a,b}, 1.50]"), Some(many(&["{a,b}", "1.50"])));
    assert_eq!(quoted("a"), Some(Paths::One("a".to_owned())));
    for paths in ["[a, true]", "[a, null]", "[a, {b: c}]", "[a, [b]]"] {
        let text = format!("---\npaths: {paths}\n---\nbody");
        assert!(split(&text).unwrap().quoted_data::<Header>().is_err(), "{paths}");
    }
}

#[test]
fn errors_after_a_list_of_several_lines_name_their_line() {
    assert!(fault("---\npaths: [\n  *.ts,\n  a\n]\nn: x\n---\n").starts_with("line 6: n: "));
}

/// Quotes are added to what YAML refuses or what looks like a pattern, and to nothing else.
#[test]
fn data_that_no_pattern_looks_like_is_not_read_as_a_string() {
    for value in [
        "[[a]]",
        "[\"*.a\", [b]]",
        "[{a: b}]",
        "[x, {a: b}]  # y",
        "{a: b}",
        "!foo \"*.a\"",
        "!foo  '*.a'",
        "[!foo \"*.a\"]",
        "\n  - !foo \"*.a\"",
        "\n  - [b]",
        "[[\"a: b\"]]",
    ] {
        let text = format!("---\npaths: {value}\n---\nbody");
        let read = split(&text).unwrap().data::<Header>();
        assert_eq!(read.unwrap_err().kind(), DocumentErrorKind::Data, "{value}");
    }
    let one = ["!foo", "!foo bar", "[a-z]*/[0-9].rs", "[a]b[c]", "[x", "{a: b}/x", "{a,b}"];
    for value in one {
        assert_eq!(paths(&format!("paths: {value}")), Paths::One(value.to_owned()));
    }
    for value in ["!foo", "!foo bar", "{a,b}", "{a: b}/x", "*"] {
        assert_eq!(paths(&format!("paths: [{value}]")), Paths::Many(vec![value.to_owned()]));
    }
}

#[test]
fn strict_reading_quotes_nothing() {
    for value in ["[x", "{x", "*x", "@x"] {
        let text = format!("---\nn: 1\npaths: {value}\n---\nbody");
        let document = split(&text).unwrap();
        assert!(document.data::<Header>().is_ok(), "{value}");
        let error = document.strict_data::<Header>().unwrap_err();
        assert_eq!(error.kind(), DocumentErrorKind::Data, "{value}");
        assert!((3..=4).contains(&error.line()), "{value}: {error}");
        assert!(strict_yaml::<Header>(&format!("paths: {value}")).is_err());
    }
    let document = split("---\npaths: '*.ts'\n---\nbody").unwrap();
    let header: Header = document.strict_data().unwrap().unwrap();
    assert_eq!(header.paths, Some(Paths::One("*.ts".to_owned())));
    assert_eq!(strict_yaml::<Header>("\u{feff}n: 1").unwrap().n, Some(1));
}

#[test]
fn quoting_leaves_block_text_alone() {
    #[derive(Deserialize)]
    struct Content {
        content: String,
        glob: String,
    }
    let read: Content = yaml("content: |\n  - *bold* {x}\n\n  key: *y\nglob: *.ts\n").unwrap();
    assert_eq!(read.content, "- *bold* {x}\n\nkey: *y\n");
    assert_eq!(read.glob, "*.ts");
}

fn fault(text: &str) -> String {
    let document = split(text).unwrap();
    document.data::<Header>().unwrap_err().to_string()
}

#[test]
fn errors_name_the_line_of_the_file() {
    assert_eq!(
        fault("---\nn: x\n---\n"),
        "line 2: n: expected a whole number that is not negative, found \"x\""
    );
    assert_eq!(
        fault("\r\n\n---\r\npaths: a\r\nn: x\r\n---\r\n"),
        "line 5: n: expected a whole number that is not negative, found \"x\""
    );
    assert!(fault("---\n# x\npaths: a\nb: \"c\": d\n---\n").starts_with("line 4: "));
    assert_eq!(
        fault("---\npaths: *.ts\nn: x\n---\n"),
        "line 3: n: expected a whole number that is not negative, found \"x\""
    );
    assert!(fault("---\nn: *a\n---\n").starts_with("line 2: "));
    assert!(
        yaml::<Header>("\u{feff}paths: a\nn: x\n")
            .unwrap_err()
            .to_string()
            .starts_with("line 2: n:")
    );
}

#[test]
fn a_character_that_yaml_refuses_has_its_line() {
    let message = "control characters are not allowed: found U+001B";
    for (before, line) in [("# \u{e9}\n# 3\n", 4), ("", 2), ("\r\n", 3), ("n: 1\n", 3)] {
        let yaml_text = format!("{before}paths: \"a\u{1b}b\"\n");
        let text = format!("---\n{yaml_text}---\nX\n");
        assert_eq!(fault(&text), format!("line {line}: {message}"));
        assert_eq!(fault(&format!("\n{text}")), format!("line {}: {message}", line + 1));
        for mark in ["", "\u{feff}"] {
            let error = strict_yaml::<Header>(&format!("{mark}{yaml_text}")).unwrap_err();
            assert_eq!(error.to_string(), format!("line {}: {message}", line - 1));
        }
    }
    assert!(fault("---\nn: \"at position 3\"\n---\n").starts_with("line 2: n: "));
}

#[test]
fn a_yaml_bomb_is_refused() {
    let mut bomb = String::from("---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for i in 1..12 {
        let items = vec![format!("*a{}", i - 1); 9].join(", ");
        bomb.push_str(&format!("a{i}: &a{i} [{items}]\n"));
    }
    bomb.push_str("---\n");
    type Any = std::collections::BTreeMap<String, Vec<String>>;
    assert_eq!(split(&bomb).unwrap().data::<Any>().unwrap_err().kind(), DocumentErrorKind::Limit);
}

type Lists = std::collections::BTreeMap<String, Vec<String>>;

/// Checks that every function refuses a text, on this line.
fn check_refused(text: &str, line: usize, message: &str) {
    let reported = format!("line {line}: {message}");
    for error in [yaml::<Lists>(text), strict_yaml(text)].map(Result::unwrap_err) {
        assert_eq!(error.kind(), DocumentErrorKind::Limit, "{error}");
        assert_eq!(error.to_string(), reported);
    }
    if text.len() < 64 * 1024 && !text.contains("---") {
        let file = format!("\n---\n{text}\n---\nbody");
        let document = split(&file).unwrap();
        let error = document.data::<Lists>().unwrap_err();
        assert_eq!(error.line(), line + 2);
        assert_eq!(error.kind(), DocumentErrorKind::Limit);
        assert_eq!(document.body(), "body");
    }
}

#[test]
fn texts_that_take_too_long_are_refused() {
    let deep = "expected at most 1000 brackets that may be open at once";
    check_refused(&format!("b: x\na: {}", "[".repeat(60_000)), 2, deep);
    check_refused(&"[".repeat(1_000_000), 1, deep);
    check_refused(&format!("a:\n{}", "- {a: ".repeat(20_000)), 2, deep);
    check_refused(&format!("a: {}", "[\"]\",\n".repeat(10_000)), 1001, deep);
    let white = "expected at most 4096 spaces or blank lines in a row";
    let spaces = " ".repeat(5_000);
    check_refused(&format!("b:\n- c\na: [x{spaces}y]"), 3, white);
    let lines = "\n".repeat(5_000);
    check_refused(&format!("a: [\"x{lines}y\"]"), 4097, white);
    let tag = "%TAG is not supported";
    check_refused("# x\n%TAG !e! x\n---\na: [!e!x y]", 2, tag);
    check_refused("a: [b]\r%TAG !e! x\r---\na: [!e!x y]", 1, tag);
    let long = format!("a: [{}]", "x".repeat(1024 * 1024));
    let size = format!("found {} bytes, expected at most 1 MB of YAML", long.len());
    check_refused(&long, 1, &size);
}

#[test]
fn too_much_repetition_by_aliases_is_refused() {
    let repeats = "expected aliases that make it at most 16 times as long";
    let half = 30_000;
    let (text, aliases) = ("x".repeat(half), "*a, ".repeat(half / 4));
    check_refused(&format!("a: [&a {text}]\nb: [{aliases}]"), 1, repeats);
    let few = format!("a: [&a {text}]\nb: [*a, *a, *a]");
    assert_eq!(yaml::<Lists>(&few).unwrap()["b"][2].len(), half);
}

#[test]
fn ordinary_text_is_not_refused() {
    let regex = "[".repeat(500);
    let code = "    if (a[b] { c('[', \"{\"\n".repeat(2_000);
    let intervals = "    all of [0, 1) and [1, 2) \n".repeat(2_000);
    let lists = "a: [src/b, c]\na: ['{*', \"{a}\"]\n".repeat(900);
    for text in [
        format!("a:\n  - '{regex}'\n  - \"{regex}\""),
        format!("a:\n  - x{regex}\n# {regex}"),
        format!("a:\n  - |\n{code}"),
        format!("a:\n  - >\n{intervals}"),
        lists,
    ] {
        yaml::<Lists>(&text).unwrap();
    }
}

#[test]
fn a_block_without_data_is_none_and_prose_is_not_a_mapping() {
    for text in ["---\n---\n", "---\n# only a comment\n---\n", "no block"] {
        assert_eq!(split(text).unwrap().data::<Header>().unwrap(), None, "{text:?}");
    }
    for text in ["---\nBe brief.\n---\nUse tabs.\n", "\n---\n- a\n- b\n---\n", "---\n7\n---\n"] {
        let error = split(text).unwrap().data::<Header>().unwrap_err();
        assert_eq!(error.kind(), DocumentErrorKind::NotAMapping, "{text:?}");
    }
}

proptest! {
    #[test]
    fn no_byte_of_the_body_is_lost(
        blank in "[ \t]{0,2}(\r?\n){0,2}",
        header in "([a-z]{1,4}: [a-z0-9]{1,4}\r?\n){0,4}",
        ending in "\r?\n",
        body in "(?s).{0,200}",
    ) {
        prop_assume!(blank.is_empty() || blank.ends_with('\n'));
        let before = format!("{blank}---{ending}{header}---{ending}");
        let text = format!("{before}{body}");
        let document = split(&text).unwrap();
        prop_assert_eq!(document.body(), body);
        prop_assert_eq!(document.header(), Some(header.as_str()));
    }

    #[test]
    fn any_text_is_split_into_a_prefix_and_its_rest(text in "(---|[a: \n\r\u{feff}-]|\n---\n){0,30}") {
        if let Ok(document) = split(&text) {
            prop_assert!(text.ends_with(document.body()));
            if document.header().is_none() {
                prop_assert_eq!(document.body(), text.strip_prefix('\u{feff}').unwrap_or(&text));
            }
            let _ = document.data::<Header>();
        }
    }
}
