use super::form::{HASH, SEAM};
use super::*;

/// `expected` is the part before the hash, or the whole name.
fn check(text: &str, form: Form, expected: &str) {
    let mut names = Names::default();
    let short = names.shorten(text, form).unwrap();
    match short.split_once(SEAM) {
        Some((shown, hash)) => assert_eq!((shown, hash.len()), (expected, HASH)),
        None => assert_eq!(short, expected),
    }
    assert!(form.takes(text) || form.looks_replaced(&short));
    assert!(short.len() <= form.longest);
    assert_eq!(names.restore(&short), text);
    assert_eq!(names.shorten(text, form).unwrap(), short);
}

#[test]
fn names_that_fit_are_unchanged_and_others_are_restored() {
    check("Read", NAME, "Read");
    check(&"a".repeat(40), ID, &"a".repeat(40));
    check(&"a".repeat(41), ID, "aaaaaa");
    check(&"a".repeat(65), NAME, &"a".repeat(30));
    check("mcp.server/tool", NAME, "mcp");
    check("é", NAME, "tool");
    check("", ID, "call");
    check("functions.Read:0", ID, "functions.Read:0");
    check("<system-reminder>", ID, "call");
    check("3d_render", NAME, "3d_render");
    check("3d_render", GEMINI_NAME, "tool");
    check("-x", GEMINI_NAME, "tool");
    check("_y", GEMINI_NAME, "_y");
}

#[test]
fn a_text_that_looks_replaced_is_not_taken_for_one() {
    let mut names = Names::default();
    let long = "a".repeat(99);
    let short = names.shorten(&long, NAME).unwrap();
    let other = names.shorten(&short, NAME).unwrap();
    assert_ne!(short, other);
    assert_eq!(names.restore(&short), long);
    assert_eq!(names.restore(&other), short);
}

#[test]
fn ids_differ_by_body_answer_and_place() {
    let (mut one, mut two) = (Names::default(), Names::default());
    one.seed(1, [b"a".as_slice()].into_iter());
    two.seed(1, [b"b".as_slice()].into_iter());
    let ids = [one.id("x", 0), one.id("x", 1), one.id("y", 0), two.id("x", 0)];
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), ids.len());
    assert!(ids.iter().all(|id| id.len() <= ID.longest));
}

#[test]
fn ids_depend_on_a_body_s_end_and_not_on_its_pieces() {
    let body = vec![b'a'; 2 * SEED_BYTES];
    let id = |pieces: &[&[u8]]| {
        let mut names = Names::default();
        names.seed(body.len(), pieces.iter().rev().copied());
        names.id("x", 0)
    };
    let whole = id(&[&body]);
    let (start, end) = body.split_at(SEED_BYTES + 7);
    assert_eq!(id(&[start, &[], &end[..9], &end[9..]]), whole);
    assert_ne!(id(&[&body[..SEED_BYTES], &[b'b'; SEED_BYTES]]), whole);
    assert_ne!(id(&[start]), id(&[end]));
}
