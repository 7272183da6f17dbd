//! Counting the tokens that entries add.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use aside_messages::conversation::{Entry, EntryId, Part};
use aside_messages::wire::{ContentBlock, ResultContent};
use aside_messages::{
    TokenEstimate, Tokenizer, estimate, estimate_at_most, estimate_block, estimate_document,
};

/// The estimated tokens of the entries that are sent.
///
/// A text is read only once the most that all unread texts can have makes a
/// difference: a session far below every limit reads none. What was read makes
/// counts of the same entries no different.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenCount {
    family: Tokenizer,
    /// All entries, and a summary in place of earlier ones.
    context: Sum,
    /// Those since the growth was last reset.
    growth: Sum,
    /// By entry, for when it is removed.
    read: BTreeMap<EntryId, u64>,
    unread: Vec<Unread>,
    /// The texts of unread entries, in order.
    texts: Vec<Arc<str>>,
    /// The tokens of each unread entry, once somebody had to know.
    tokens: OnceLock<Vec<u64>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    read: u64,
    /// The most that unread entries can have.
    unread: u64,
}

/// An entry whose texts nobody had to read yet.
#[derive(Clone, Debug)]
struct Unread {
    id: EntryId,
    is_growth: bool,
    /// How many texts it has.
    texts: usize,
    /// What has no text to read, such as images.
    rest: TokenEstimate,
}

impl TokenCount {
    /// Creates the count of a conversation that begins with a summary.
    pub(super) fn of(summary: &str, family: Tokenizer) -> Self {
        let mut count = Self { family, ..Self::default() };
        count.context.read = estimate(summary, family).tokens();
        count
    }

    /// Returns the tokenizer of the estimates.
    pub(super) fn family(&self) -> Tokenizer {
        self.family
    }

    /// Adds an entry. A conversation's first entries are no growth.
    pub(super) fn add(&mut self, entry: &Entry, is_growth: bool) {
        if self.tokens.get().is_some() {
            self.read_all();
        }
        let first = self.texts.len();
        let mut rest = TokenEstimate::ZERO;
        for part in &entry.parts {
            rest += self.add_part(part);
        }
        let texts = &self.texts[first..];
        let bytes = texts.iter().map(|text| text.len()).sum();
        let at_most = (estimate_at_most(bytes) + rest).tokens();
        self.unread.push(Unread { id: entry.id, is_growth, texts: texts.len(), rest });
        for sum in self.sums(is_growth) {
            sum.unread = sum.unread.saturating_add(at_most);
        }
    }

    /// Subtracts entries.
    pub(super) fn remove(&mut self, ids: &[EntryId]) {
        self.read_all();
        for id in ids {
            let tokens = self.read.remove(id).unwrap_or_default();
            self.context.read = self.context.read.saturating_sub(tokens);
        }
    }

    /// Counts the growth from here on.
    pub(super) fn reset_growth(&mut self) {
        self.read_all();
        self.growth = Sum::default();
    }

    /// Returns true if the growth has at least so many tokens.
    pub(super) fn has_grown_by(&self, tokens: u64) -> bool {
        self.reaches(self.growth, tokens, |it| it.is_growth)
    }

    /// Returns true if the entries have at least so many tokens.
    pub(super) fn has(&self, tokens: u64) -> bool {
        self.reaches(self.context, tokens, |_| true)
    }

    fn reaches(&self, sum: Sum, tokens: u64, counts: fn(&Unread) -> bool) -> bool {
        if sum.read.saturating_add(sum.unread) < tokens {
            return false;
        }
        let unread = self.unread.iter().zip(self.tokens());
        let unread = unread.filter(|it| counts(it.0)).map(|it| *it.1);
        unread.fold(sum.read, u64::saturating_add) >= tokens
    }

    /// Reads the texts, and returns the tokens of each entry.
    fn tokens(&self) -> &[u64] {
        self.tokens.get_or_init(|| {
            let mut texts = self.texts.iter();
            let of_entry = |it: &Unread| {
                let texts = texts.by_ref().take(it.texts);
                let texts = texts.map(|text| estimate(text, self.family));
                texts.fold(it.rest, |sum, it| sum + it).tokens()
            };
            self.unread.iter().map(of_entry).collect()
        })
    }

    fn read_all(&mut self) {
        self.tokens();
        let tokens = self.tokens.take().unwrap_or_default();
        self.texts.clear();
        for (entry, tokens) in std::mem::take(&mut self.unread).iter().zip(tokens) {
            for sum in self.sums(entry.is_growth) {
                sum.read = sum.read.saturating_add(tokens);
                sum.unread = 0;
            }
            self.read.insert(entry.id, tokens);
        }
    }

    /// Keeps a part's texts, and returns what has none.
    fn add_part(&mut self, part: &Part) -> TokenEstimate {
        let texts = &mut self.texts;
        match part {
            Part::Text(it) => texts.push(it.text.clone()),
            Part::Reminder { body } => texts.push(body.clone()),
            Part::ToolUse(call) => texts.extend([call.name.clone(), call.input.0.clone()]),
            Part::Thinking(thinking) => texts.push(thinking.thinking.clone()),
            Part::ToolResult(result) => match &result.content {
                ResultContent::Text(text) => texts.push(text.clone()),
                ResultContent::Blocks(blocks) => {
                    let rest = blocks.iter().filter_map(|it| match it {
                        ContentBlock::Text(text) => {
                            texts.push(text.text.clone());
                            None
                        }
                        other => Some(estimate_block(other, self.family)),
                    });
                    return rest.sum();
                }
            },
            Part::Image(image) => {
                return estimate_block(&ContentBlock::Image(image.clone()), self.family);
            }
            Part::Document(document) => return estimate_document(document, self.family),
            Part::Other(other) => return estimate(other.raw().get(), self.family),
            // Other parts hold no text for the model.
            _ => {}
        }
        TokenEstimate::ZERO
    }

    fn sums(&mut self, is_growth: bool) -> impl Iterator<Item = &mut Sum> {
        let growth = is_growth.then_some(&mut self.growth);
        [&mut self.context].into_iter().chain(growth)
    }
}

impl PartialEq for TokenCount {
    fn eq(&self, other: &Self) -> bool {
        let sums = |count: &Self| {
            let mut count = count.clone();
            count.read_all();
            (count.family, count.context, count.growth, count.read)
        };
        sums(self) == sums(other)
    }
}

impl Eq for TokenCount {}

#[cfg(test)]
mod tests {
    use super::*;

    use aside_messages::conversation::{Conversation, EntryDraft, Origin};
    use aside_messages::wire::Role;
    use proptest::prelude::*;

    const FAMILY: Tokenizer = Tokenizer::ClaudeNew;

    fn conversation(texts: &[String]) -> Conversation {
        let mut conversation = Conversation::new(uuid::Uuid::nil());
        for text in texts {
            let body = "Be brief.".into();
            let parts = vec![Part::text(text.as_str()), Part::Reminder { body }];
            conversation.push(EntryDraft::message(Role::User, Origin::Human, parts));
        }
        conversation
    }

    #[test]
    fn far_below_a_limit_no_text_is_read() {
        let mut count = TokenCount::of("", FAMILY);
        for entry in conversation(&vec!["word ".repeat(100); 20]).entries() {
            count.add(entry, true);
            assert!(!count.has(100_000) && !count.has_grown_by(100_000));
        }
        assert_eq!((count.read.len(), count.unread.len()), (0, 20));
        assert!(count.has(1_000) && count.has_grown_by(1_000));
        count.reset_growth();
        assert_eq!((count.read.len(), count.unread.len()), (20, 0));
        assert!(count.has(1_000) && !count.has_grown_by(1));
    }

    proptest! {
        #[test]
        fn limits_are_reached_as_if_each_text_was_read_at_once(
            steps in prop::collection::vec(("[ -~é漢]{0,40}", 0..5u8, 0..300u64), 0..20),
        ) {
            let texts: Vec<String> = steps.iter().map(|step| step.0.clone()).collect();
            let conversation = conversation(&texts);
            let mut count = TokenCount::of("a summary", FAMILY);
            let summary = estimate("a summary", FAMILY).tokens();
            let (mut context, mut growth) = (vec![summary], 0);
            for (entry, (text, step, limit)) in conversation.entries().iter().zip(&steps) {
                let tokens = estimate(text, FAMILY) + estimate("Be brief.", FAMILY);
                context.push(tokens.tokens());
                let is_growth = *step > 0;
                count.add(entry, is_growth);
                growth += if is_growth { tokens.tokens() } else { 0 };
                match step {
                    2 => {
                        count.remove(&[entry.id]);
                        context.pop();
                    }
                    3 => {
                        count.reset_growth();
                        growth = 0;
                    }
                    _ => {}
                }
                let sum: u64 = context.iter().sum();
                for limit in [*limit, sum, sum + 1, growth, growth + 1] {
                    prop_assert_eq!(count.has(limit), sum >= limit);
                    prop_assert_eq!(count.has_grown_by(limit), growth >= limit);
                    if step % 2 == 0 {
                        break;
                    }
                }
            }
        }
    }
}
