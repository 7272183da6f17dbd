//! Agents in Markdown files.

use aside_claudemd::Loader;

use crate::tree::Tree;

#[test]
fn agents_of_subdirectories_are_found_after_those_of_the_directory() {
    let agent = |name: &str| format!("---\\nname: {name}\\ndescription: d\\n---\\nPrompt.");
    let (one, two) = (agent("one"), agent("two"));
    let tree = Tree::new(&format!(
        "
        p/.claude/agents/b.md = {one}
        p/.claude/agents/a/deep/c.md = {two}
        p/.claude/agents/a/one.md = {one}
        p/.claude/agents/link -> ROOT/outside
        outside/x.md = {two}
        home/.claude/agents/two.md = {two}
        "
    ));
    let found = Loader::new(tree.dirs()).agents(&tree.path("p"));
    let paths: Vec<_> = found.agents.iter().map(|it| it.path.clone()).collect();
    let expected = ["p/.claude/agents/b.md", "p/.claude/agents/a/deep/c.md"];
    assert_eq!(paths, expected.map(|path| tree.path(path)));
    let kinds: Vec<_> = found.diagnostics.iter().map(|it| it.code.to_string()).collect();
    assert_eq!(kinds, ["agent-duplicate", "agent-shadowed"]);
}

#[test]
fn a_byte_that_is_not_utf_8_has_its_line() {
    let tree = Tree::new("p/.claude/agents/a.md = x");
    let head = b"---\nname: a\ndescription: d\n---\nok\n";
    for (rest, expected) in [
        (&b"bad \xff\n"[..], Some((6, "found the byte 0xff, expected UTF-8"))),
        (b"\xc3\xa9\n", None),
    ] {
        let text = [&head[..], rest].concat();
        std::fs::write(tree.path("p/.claude/agents/a.md"), text).unwrap();
        let found = Loader::new(tree.dirs()).agents(&tree.path("p"));
        let fault = found.diagnostics.first().map(|it| (it.line().unwrap(), it.message.as_str()));
        assert_eq!(fault, expected);
        assert_eq!(found.agents.len(), usize::from(expected.is_none()));
    }
}
