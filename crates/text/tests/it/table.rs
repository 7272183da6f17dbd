//! The tables of invisible and of wide characters are those of Unicode.

use std::fs;
use std::path::Path;

use aside_text::{columns, is_invisible};
use icu_properties::props::{
    DefaultIgnorableCodePoint, EastAsianWidth, GeneralCategory, PrependedConcatenationMark,
};
use icu_properties::{CodePointMapData, CodePointSetData};

/// Blanks that Unicode counts as visible: the empty Braille pattern, the Khitan small script
/// filler, the null note head.
const OTHER_BLANKS: [char; 3] = ['\u{2800}', '\u{16fe4}', '\u{1d159}'];

/// Returns the expected table, from ICU4X's Unicode data.
fn expected() -> impl Fn(char) -> bool {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let category = CodePointMapData::<GeneralCategory>::new();
    // Format characters that print a sign, such as the Arabic year sign.
    let prints = CodePointSetData::new::<PrependedConcatenationMark>();
    move |c| {
        ignorable.contains(c)
            || (category.get(c) == GeneralCategory::Format && !prints.contains(c))
            || OTHER_BLANKS.contains(&c)
    }
}

fn ranges(is_listed: impl Fn(char) -> bool) -> Vec<(char, char)> {
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut before = None;
    for c in '\0'..=char::MAX {
        if is_listed(c) {
            match ranges.last_mut() {
                Some((_, last)) if Some(*last) == before => *last = c,
                _ => ranges.push((c, c)),
            }
        }
        before = Some(c);
    }
    ranges
}

fn is_wide() -> impl Fn(char) -> bool {
    let width = CodePointMapData::<EastAsianWidth>::new();
    move |c| matches!(width.get(c), EastAsianWidth::Wide | EastAsianWidth::Fullwidth)
}

fn source(name: &str, ranges: &[(char, char)]) -> String {
    let mut source = format!(
        "//! Generated from the Unicode data of `icu_properties` by `tests/table.rs`.\n\n\
         /// The first and the last character of each range, in order.\n\
         pub(super) const {name}: &[(char, char)] = &[\n",
    );
    for (first, last) in ranges {
        let [first, last] = [first, last].map(|c| c.escape_unicode());
        source.push_str(&format!("    ('{first}', '{last}'),\n"));
    }
    source.push_str("];\n");
    source
}

/// Run with `ASIDE_BLESS_DOCS=1` to write the tables.
#[test]
fn the_tables_are_generated() {
    for (path, name, ranges) in [
        ("src/invisible/table.rs", "INVISIBLE", ranges(expected())),
        ("src/columns/table.rs", "WIDE", ranges(is_wide())),
    ] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let expected = source(name, &ranges);
        if std::env::var_os("ASIDE_BLESS_DOCS").is_some() {
            fs::write(&file, &expected).unwrap();
        }
        let found = fs::read_to_string(&file).unwrap();
        assert_eq!(found, expected, "{path} is not current: run this test with ASIDE_BLESS_DOCS=1");
    }
}

#[test]
fn every_character_is_looked_up() {
    let is_listed = expected();
    for c in '\0'..=char::MAX {
        assert_eq!(is_invisible(c), is_listed(c), "{}", c.escape_unicode());
    }
}

#[test]
fn every_wide_character_takes_two_columns() {
    let (is_wide, is_invisible) = (is_wide(), expected());
    // An escape begins a colour.
    for c in ('\0'..=char::MAX).filter(|c| *c != '\u{1b}') {
        let expected = match (is_invisible(c), is_wide(c)) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => 1,
        };
        let text = c.encode_utf8(&mut [0; 4]).to_owned();
        assert_eq!(columns(&text), expected, "{}", c.escape_unicode());
    }
}

/// Checks the classes that have been used to hide text, from their first to
/// their last character.
#[test]
fn known_classes_are_listed() {
    for (class, ranges) in [
        ("soft hyphen", &['\u{ad}'..='\u{ad}'][..]),
        ("grapheme joiner", &['\u{34f}'..='\u{34f}']),
        (
            "fillers",
            &[
                '\u{115f}'..='\u{1160}',
                '\u{3164}'..='\u{3164}',
                '\u{ffa0}'..='\u{ffa0}',
                '\u{2800}'..='\u{2800}',
            ],
        ),
        (
            "zero width",
            &['\u{200b}'..='\u{200d}', '\u{2060}'..='\u{2064}', '\u{feff}'..='\u{feff}'],
        ),
        (
            "direction",
            &[
                '\u{61c}'..='\u{61c}',
                '\u{200e}'..='\u{200f}',
                '\u{202a}'..='\u{202e}',
                '\u{2066}'..='\u{206f}',
            ],
        ),
        (
            "variation selectors",
            &['\u{180b}'..='\u{180f}', '\u{fe00}'..='\u{fe0f}', '\u{e0100}'..='\u{e01ef}'],
        ),
        ("interlinear marks", &['\u{fff9}'..='\u{fffb}']),
        ("musical marks", &['\u{1d159}'..='\u{1d159}', '\u{1d173}'..='\u{1d17a}']),
        ("tags", &['\u{e0000}'..='\u{e007f}']),
    ] {
        for c in ranges.iter().cloned().flatten() {
            assert!(is_invisible(c), "{class}: {}", c.escape_unicode());
        }
    }
}
