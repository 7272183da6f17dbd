/// Returns the known word that a misspelled one most likely means.
///
/// Letter case does not matter, nor does `_` for `-`. Otherwise at most a third
/// of the letters may be inserted, dropped, replaced or swapped with their
/// neighbor.
///
/// ```
/// use aside_user_files::nearest;
///
/// assert_eq!(nearest("prioritty", &["paths", "priority"]), Some("priority"));
/// assert_eq!(nearest("colour", &["paths", "priority"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let (distance, letters, nearest) = closest(word, known)?;
    (distance * 3 <= letters).then_some(nearest)
}

/// Returns the known word that differs from `word` by a slip: at most two
/// letters, and at most a third of them. Use it with incomplete lists, when an
/// unknown word may still be right.
///
/// ```
/// use aside_user_files::misspelled;
///
/// let known = ["outputStyle", "autoMemoryEnabled"];
/// assert_eq!(misspelled("outputStlye", &known), Some("outputStyle"));
/// assert_eq!(misspelled("autoCompactEnabled", &known), None);
/// ```
#[must_use]
pub fn misspelled<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let (distance, letters, nearest) = closest(word, known)?;
    (distance <= 2 && distance * 3 <= letters).then_some(nearest)
}

/// Returns the closest known word, its distance, and the length of the longer
/// word in letters.
fn closest<'a>(word: &str, known: &[&'a str]) -> Option<(usize, usize, &'a str)> {
    if word.len() > MAX_BYTES {
        return None;
    }
    let plain = |word: &str| word.to_lowercase().replace('_', "-");
    let word = plain(word);
    let distances = known.iter().map(|known| {
        let distance = strsim::damerau_levenshtein(&word, &plain(known));
        (distance, *known)
    });
    let (distance, nearest) = distances.min_by_key(|(distance, _)| *distance)?;
    let letters = nearest.chars().count().max(word.chars().count());
    Some((distance, letters, nearest))
}

/// The longest word to compare: the time is the product of both lengths.
const MAX_BYTES: usize = 200;

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_third_of_the_letters_may_differ() {
        let check = |word: &str, expected| {
            assert_eq!(nearest(word, &["paths", "schedule", "max-tokens"]), expected, "{word}");
        };
        check("path", Some("paths"));
        check("Paths", Some("paths"));
        check("max_tokens", Some("max-tokens"));
        check("scheudle", Some("schedule"));
        check("globs", None);
        check("", None);
        check(&"p".repeat(10_000), None);
    }
}
