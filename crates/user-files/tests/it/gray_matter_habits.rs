//! What this crate relies on `gray_matter` to do. If a release changes it, a
//! test fails here.

use gray_matter::engine::Engine;
use gray_matter::{Matter, ParsedEntity, Pod};

struct Nothing;

impl Engine for Nothing {
    fn parse(_: &str) -> gray_matter::Result<Pod> {
        Ok(Pod::Null)
    }
}

fn parse(text: &str) -> ParsedEntity<Pod> {
    Matter::<Nothing>::new().parse(text).expect("the engine never fails")
}

#[test]
fn trims_the_matter() {
    assert_eq!(parse("---\n\n  a: 1  \n\n---\nx").matter, "a: 1");
}

#[test]
fn drops_the_final_newline_and_leading_blank_lines() {
    assert_eq!(parse("---\na: 1\n---\n\n\nx\n").content, "x");
}

#[test]
fn drops_carriage_returns() {
    assert_eq!(parse("---\r\na: 1\r\nb: 2\r\n---\r\nx\r\ny\r\n").matter, "a: 1\nb: 2");
    assert_eq!(parse("---\r\na: 1\r\n---\r\nx\r\ny\r\n").content, "x\ny");
}

#[test]
fn misses_a_block_after_a_byte_order_mark_or_a_blank_line() {
    assert_eq!(parse("\u{feff}---\na: 1\n---\nx").matter, "");
    assert_eq!(parse("\n---\na: 1\n---\nx").matter, "");
}

#[test]
fn loses_the_opening_line_of_an_unclosed_block() {
    assert_eq!(parse("---\na: 1\n").content, "a: 1");
}

#[test]
fn does_not_distinguish_an_empty_block_from_none() {
    let (empty, none) = (parse("---\n---\nx"), parse("x"));
    assert_eq!((empty.matter, empty.data), (none.matter, none.data));
}

#[test]
fn a_text_of_one_delimiter_has_no_content() {
    assert_eq!(parse("---").content, "");
}

#[test]
fn data_is_a_hash_map() {
    let Pod::Hash(data) = Pod::new_hash() else {
        panic!("a hash");
    };
    let _: std::collections::HashMap<String, Pod> = data;
}
