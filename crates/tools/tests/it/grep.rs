use crate::tree::Tree;

const TREE: &str = "
    project/a.rs = fn main() {\\n    run();\\n}\\n\\nfn run() {\\n    Run\\n}\\n
    project/b.md = Run it.\\r\\nand again\\r\\n
    project/src/c.rs = nothing\\n
    project/.git/d.rs = run
    project/link.rs -> ROOT/else/e.rs
    else/e.rs = run
";

fn check(input: &str, expected: &str) {
    Tree::new(TREE).check("Grep", input, expected);
}

#[test]
fn files() {
    check(r#"{"pattern":"run"}"#, "a.rs");
    check(r#"{"pattern":"run","ignore_case":true}"#, "a.rs\nb.md");
    check(r#"{"pattern":"run","ignore_case":true,"glob":"*.md"}"#, "b.md");
    check(r#"{"pattern":"n","path":"src"}"#, "src/c.rs");
    check(r#"{"pattern":"^Run","path":"b.md","glob":"*.rs"}"#, "b.md");
    check(r#"{"pattern":"never"}"#, "(No line matches.)");
}

#[test]
fn lines() {
    check(r#"{"pattern":"run","output":"lines"}"#, "a.rs\n2:    run();\n5:fn run() {");
    check(
        r#"{"pattern":"(?i)run","output":"lines"}"#,
        "a.rs\n2:    run();\n5:fn run() {\n6:    Run\n\nb.md\n1:Run it.",
    );
    check(
        r#"{"pattern":"run","output":"lines","context":1}"#,
        "a.rs\n1-fn main() {\n2:    run();\n3-}\n4-\n5:fn run() {\n6-    Run",
    );
    check(
        r#"{"pattern":"main|Run$","output":"lines","before":1,"glob":"*.rs"}"#,
        "a.rs\n1:fn main() {\n--\n5-fn run() {\n6:    Run",
    );
}

#[test]
fn the_end_of_a_line_is_before_its_carriage_return() {
    let expected = "b.md\n2:and again";
    check(r#"{"pattern":"again$","output":"lines"}"#, expected);
    check(r#"{"pattern":"again\\r$","output":"lines"}"#, expected);
    check(
        r#"{"pattern":"it\\.$\\s+^and","output":"lines","multiline":true}"#,
        "b.md\n1:Run it.\n2:and again",
    );
    check(r#"{"pattern":"agai$"}"#, "(No line matches.)");
}

#[test]
fn counts() {
    check(r#"{"pattern":"run|Run","output":"count"}"#, "a.rs: 3\nb.md: 1");
}

#[test]
fn across_lines() {
    check(
        r#"{"pattern":"main.*?run","output":"lines","multiline":true}"#,
        "a.rs\n1:fn main() {\n2:    run();",
    );
    check(r#"{"pattern":"main.*?run"}"#, "(No line matches.)");
    let result = Tree::new(TREE).result("Grep", r#"{"pattern":"a\\nb"}"#);
    assert!(result.starts_with("error: pattern: "), "{result}");
}

#[test]
fn limits() {
    let more = "(There is more: ask for something narrower, or set a higher `limit`.)";
    check(
        r#"{"pattern":"run","output":"lines","limit":1}"#,
        &format!("a.rs\n2:    run();\n{more}"),
    );
    check(r#"{"pattern":"run|Run","limit":1}"#, &format!("a.rs\n{more}"));
    check(r#"{"pattern":"fn run","limit":1}"#, "a.rs");
    let tree = Tree::new("");
    tree.write("project/a", format!("{}\n", "x".repeat(600)).repeat(1_000));
    let result = tree.result("Grep", r#"{"pattern":"x","output":"lines","limit":10000}"#);
    assert!(result.ends_with(&format!("x […]\n{more}")), "{result}");
    assert!(result.len() < 67_000);
}

#[test]
fn bad_input() {
    for (input, expected) in [
        (r#"{"pattern":"("}"#, "error: pattern: "),
        (r#"{"pattern":"(a{1000}){1000}"}"#, "error: pattern: "),
        (r#"{"pattern":"x","glob":"{"}"#, "error: the glob: "),
        (r#"{"pattern":"x","output":"all"}"#, "error: bad input: unknown variant `all`"),
        (r#"{"pattern":"x","path":"../else"}"#, "error: ../else: outside"),
    ] {
        let result = Tree::new(TREE).result("Grep", input);
        assert!(result.starts_with(expected), "{result}");
    }
    let long = format!(r#"{{"pattern":"{}"}}"#, "x".repeat(10_001));
    check(&long, "error: pattern: longer than 10,000 bytes");
}

#[test]
fn binary_files_are_passed_over() {
    let tree = Tree::new("project/text = run");
    tree.write("project/binary", b"run\nrun\0");
    tree.write("project/late", [b"run\n".repeat(100_000), vec![0]].concat());
    tree.check("Grep", r#"{"pattern":"run","output":"count"}"#, "text: 1");
    tree.write("project/utf16", b"\xff\xfer\0u\0n\0");
    tree.check("Grep", r#"{"pattern":"run","output":"count"}"#, "text: 1\nutf16: 1");
}
