//! Finds one list in another in linear time (Knuth, Morris and Pratt).

/// A list to find.
pub(super) struct Pattern<'a, T> {
    items: &'a [T],
    /// How many items before each end are also the first ones, at most and not all of them.
    borders: Vec<usize>,
}

impl<'a, T: PartialEq> Pattern<'a, T> {
    pub(super) fn new(items: &'a [T]) -> Self {
        let mut pattern = Self { items, borders: Vec::with_capacity(items.len()) };
        let mut matched = 0;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                matched = pattern.next(matched, item);
            }
            pattern.borders.push(matched);
        }
        pattern
    }

    /// Returns how many of its first items end at `item`, given how many ended before it.
    fn next(&self, mut matched: usize, item: &T) -> usize {
        loop {
            if self.items.get(matched) == Some(item) {
                return matched + 1;
            }
            match matched.checked_sub(1) {
                Some(last) => matched = self.borders[last],
                None => return 0,
            }
        }
    }

    /// Returns true if the list is a part of `text`.
    pub(super) fn is_in(&self, text: &[T]) -> bool {
        let mut matched = 0;
        self.items.is_empty()
            || text.iter().any(|item| {
                matched = self.next(matched, item);
                matched == self.items.len()
            })
    }

    /// Returns how many of its first items `text` can end with, the most first.
    pub(super) fn at_end_of(&self, text: &[T]) -> Vec<usize> {
        let all = text.iter().fold(0, |matched, item| self.next(matched, item));
        let shorter = |it: &usize| it.checked_sub(1).map(|last| self.borders[last]);
        std::iter::successors(Some(all), shorter).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    /// An item that counts how often it is compared.
    struct Counted<'a>(u8, &'a std::cell::Cell<usize>);

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.1.set(self.1.get() + 1);
            self.0 == other.0
        }
    }

    #[test]
    fn lists_are_found() {
        let pattern = Pattern::new(b"abab");
        assert!(pattern.is_in(b"aababab") && !pattern.is_in(b"abaabba"));
        assert_eq!(pattern.at_end_of(b"xabab"), [4, 2, 0]);
        assert_eq!(pattern.at_end_of(b"ababa"), [3, 1, 0]);
        assert_eq!(pattern.at_end_of(b"x"), [0]);
        assert!(Pattern::new(b"").is_in(b"a"));
    }

    #[test]
    fn repeated_items_are_compared_a_few_times() {
        let comparisons = std::cell::Cell::new(0);
        let list =
            |text: &str| text.bytes().map(|it| Counted(it, &comparisons)).collect::<Vec<_>>();
        let (items, text) = (list(&("a".repeat(1_000) + "b")), list(&"a".repeat(2_000)));
        let pattern = Pattern::new(&items);
        assert!(!pattern.is_in(&text));
        assert!(comparisons.get() < 4 * 3_001, "{}", comparisons.get());
    }
}
