use super::*;

#[test]
fn faults_have_their_line_and_column() {
    let check = |text: &'static str, expected: &str| {
        let error = parse(text).expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    };
    check("export type A = {\n  a: \n}", "3:1: expected a name");
    check("export type A = { a string }", "1:21: expected :");
    check("export type A = { a: string", "1:28: expected a name");
    check("export type A = { a: B }", "1:22: a name without a definition");
    check("type A = { a: string }", "1:6: a name without a use");
    check("export type A = {}\ntype A = {}", "2:6: this name is defined twice");
    check("export type A = { @no-rule a: any }", "1:20: no rule has this id");
    check("export type A = { a: null }", "1:27: expected a type other than null");
    check("export type A = { a: (string | null)[] }", "1:23: only the value of a key can be null");
    check("export type A = { a: any, a?: any }", "1:17: a key is there twice");
    check("export type A = { ...B }\ntype B = {}", "1:22: no object that is defined above");
    check("export type A = { a: B }\ntype B = string", "2:6: used above its definition");
    check("export type A = { a: integer >= b }", "1:33: expected a number");
    check("export type A = { a: \"b }", "1:22: expected a string");
    check(
        "export union A \"a\" = { b: any }",
        "1:22: an alternative needs a type that is a string",
    );
    check("export union A \"a\" = string", "1:22: expected an object");
    check("a B", "1:1: expected type, union, blocks or closed");
}

#[test]
fn an_object_has_a_limited_number_of_keys() {
    let text = |keys: usize| {
        let keys: Vec<_> = (0..keys).map(|key| format!("k{key}: any")).collect();
        let text = format!("export type A = {{ {} }}", keys.join(", "));
        parse(text.leak()).is_ok()
    };
    assert!(text(MAX_KEYS));
    assert!(!text(MAX_KEYS + 1));
    assert!(!text(2 * MAX_KEYS));
}
