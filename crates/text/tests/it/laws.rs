//! Laws for neutralizing and for the one-line form, over any text.

use std::borrow::Cow;

use aside_text::{REMINDER_TAG, is_invisible, neutralize, one_line, one_line_bytes};
use proptest::prelude::*;

/// Many tags, and characters that hide them.
const NEARLY_TAGS: &str = "(<|/|\\\\|system|SYS|tem|reminder|r|-|_| |\n|>|&lt;|x|\u{200b}|\u{fe0f}|\0|\u{2011}|\u{e0041}|é){0,16}";

/// Detects tags in another way: removes hidden characters first, then looks for
/// a tag.
fn holds_tag(text: &str) -> bool {
    let hidden = |c: char| is_invisible(c) || (c.is_control() && !c.is_whitespace());
    let shown: String = text.chars().filter(|c| !hidden(*c)).collect();
    let mut shown = shown.to_lowercase();
    while shown.contains("\\/") {
        shown = shown.replace("\\/", "/");
    }
    shown.split('<').skip(1).any(|rest| {
        let name = rest.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
        let Some(rest) = name.strip_prefix("system") else {
            return false;
        };
        let gap = |c: char| c.is_whitespace() || matches!(c, '-' | '_' | '\u{2011}');
        let after = rest.trim_start_matches(gap);
        let end = after.strip_prefix("reminder");
        // Longer names are other tags; this does not check whether a hidden
        // character ends a name.
        after != rest && end.is_some_and(|end| !end.contains(|c: char| c.is_alphanumeric()))
    })
}

proptest! {
    #[test]
    fn no_tag_is_left(text in NEARLY_TAGS) {
        let safe = neutralize(&text, &[REMINDER_TAG]);
        prop_assert!(!holds_tag(&safe), "{:?}", safe);
    }

    #[test]
    fn neutralizing_twice_changes_nothing(text in NEARLY_TAGS) {
        let safe = neutralize(&text, &[REMINDER_TAG]);
        let again = neutralize(&safe, &[REMINDER_TAG]);
        prop_assert!(matches!(again, Cow::Borrowed(_)), "{:?}", again);
    }

    #[test]
    fn neutralizing_only_escapes_brackets(text in NEARLY_TAGS) {
        let safe = neutralize(&text, &[REMINDER_TAG]);
        prop_assert_eq!(safe.replace("&lt;", "<"), text.replace("&lt;", "<"));
        if let Cow::Borrowed(_) = safe {
            prop_assert_eq!(&*safe, &*text);
        }
    }

    #[test]
    fn one_line_is_one_line(text in "(\\PC|\u{200d}|\u{fe0f}|\u{200b}|\n|\u{2028}|é|1|\u{20e3}){0,12}") {
        let line = one_line(&text);
        let ends_line = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
        prop_assert!(!line.contains(ends_line));
        prop_assert_eq!(&one_line(&line), &line);
    }

    #[test]
    fn bytes_that_are_text_are_like_text(text in any::<String>()) {
        prop_assert_eq!(one_line_bytes(text.as_bytes()), one_line(&text));
    }
}

/// Each of these takes minutes when the time is quadratic.
#[test]
fn neutralizing_takes_linear_time() {
    const TIMES: usize = 200_000;
    for text in [
        "<".repeat(TIMES),
        "<\u{200b}".repeat(TIMES),
        format!("<{}", "\u{200b}".repeat(TIMES)),
        format!("<{}", "\\".repeat(TIMES)),
        format!("<{}", "\\/".repeat(TIMES)),
        "<system-reminde".repeat(TIMES),
        format!("<system{}", "-".repeat(TIMES)),
        format!("<{}", "\\ ".repeat(TIMES)),
    ] {
        let safe = neutralize(&text, &[REMINDER_TAG, "a", "b-c"]);
        assert!(matches!(safe, Cow::Borrowed(_)));
    }
    let safe = neutralize(&"<system-reminder>".repeat(TIMES), &[REMINDER_TAG]).into_owned();
    assert_eq!(safe.matches("&lt;").count(), TIMES);
}
