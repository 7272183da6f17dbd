//! Joining texts that must not form a tag together.

use crate::neutralize::{escaped, tag_starts};

/// Joins texts so that no tag with one of these names arises at a seam: `<`
/// becomes `&lt;` when it opens a tag only in the joined text.
///
/// A tag within one text stays: either it is a reminder by the harness, or the
/// text is from outside and you have to [neutralize](crate::neutralize()) it
/// first.
///
/// ```
/// use aside_text::{REMINDER_TAG, join};
///
/// let blocks = ["<system-", "reminder>", "<system-reminder>"];
/// assert_eq!(join(&blocks, "\n", &[REMINDER_TAG]), "&lt;system-\nreminder>\n<system-reminder>");
/// ```
#[must_use]
pub fn join<T: AsRef<str>>(texts: &[T], separator: &str, tags: &[&str]) -> String {
    let mut joined = String::new();
    let mut whole_tags = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            joined.push_str(separator);
        }
        let start = joined.len();
        let text = text.as_ref();
        whole_tags.extend(tag_starts(text, tags).map(|at| start + at));
        joined.push_str(text);
    }
    let at_seams = tag_starts(&joined, tags).filter(|at| whole_tags.binary_search(at).is_err());
    escaped(&joined, at_seams).into_owned()
}

#[cfg(test)]
mod tests {
    use crate::{REMINDER_TAG, neutralize};

    fn check(texts: &[&str], separator: &str, expected: &str) {
        let joined = super::join(texts, separator, &[REMINDER_TAG]);
        assert_eq!(joined, expected);
    }

    #[test]
    fn only_seams_are_neutralized() {
        check(&[], ", ", "");
        check(&["<system-reminder>"], ", ", "<system-reminder>");
        check(&["a", "", "b"], ", ", "a, , b");
        check(
            &["<", "/system-reminder>", "</system-reminder>"],
            "\n",
            "&lt;\n/system-reminder>\n</system-reminder>",
        );
        check(&["<system", "-", "reminder"], "", "&lt;system-reminder");
        check(&["<system", "reminder"], "_", "&lt;system_reminder");
        check(&["a <system-reminders", "x>"], "", "a <system-remindersx>");
    }

    #[test]
    fn no_cut_of_a_tag_survives() {
        for tag in
            ["<system-reminder>", "</system-reminder>", "<\\/System\u{200b}_reminder\u{2011}>"]
        {
            let cuts: Vec<usize> =
                tag.char_indices().map(|(at, _)| at).chain([tag.len()]).collect();
            for (index, &first) in cuts.iter().enumerate() {
                for &second in &cuts[index..] {
                    for separator in ["", " ", "\n\n", "\u{200b}", ", "] {
                        let texts = [&tag[..first], &tag[first..second], &tag[second..]]
                            .map(|text| neutralize(text, &[REMINDER_TAG]));
                        let joined = super::join(&texts, separator, &[REMINDER_TAG]);
                        assert_eq!(neutralize(&joined, &[REMINDER_TAG]), joined, "{texts:?}");
                    }
                }
            }
        }
    }
}
