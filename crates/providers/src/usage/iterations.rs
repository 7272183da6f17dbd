//! `usage.iterations` of the Messages API: the samplings behind one response.
//!
//! A response has more than one sampling if the API ran tools of its own, or
//! compacted the context. The figures of the usage are the sum of the samplings
//! of the kind `message`, and leave out the others (source: the types
//! `BetaUsage` and `BetaCompactionIterationUsage` of the official SDK).

use aside_messages::wire::Extra;
use serde_json::value::RawValue;

use super::{Report, Usage};
use crate::read::Members;

/// An item of `iterations`.
struct Iteration {
    /// Its `type`.
    kind: Option<String>,
    /// Its figures, with further members such as `cache_creation`.
    usage: Usage,
}

impl Usage {
    /// Returns the usage of each compaction that the API ran for the request.
    /// The other figures do not include it, but it is paid for.
    ///
    /// ```
    /// use aside_messages::wire::{Extra, RawJson};
    /// use aside_providers::Usage;
    ///
    /// let iterations = r#"[{"type":"compaction","input_tokens":9000,"output_tokens":400}]"#;
    /// let usage = Usage {
    ///     extra: Extra(vec![("iterations".to_owned(), RawJson::parse(iterations)?)]),
    ///     ..Usage::default()
    /// };
    /// assert_eq!(usage.input_tokens, 0);
    /// assert_eq!(usage.compactions()[0].input_tokens, 9_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn compactions(&self) -> Vec<Self> {
        let iterations = self.iterations().into_iter();
        let compactions = iterations.filter(|it| it.is("compaction"));
        compactions.map(|it| it.usage).collect()
    }

    /// Returns the four figures with those of the compactions added: all tokens
    /// that are paid for.
    #[must_use]
    pub fn with_compactions(&self) -> Self {
        let compactions = self.compactions();
        let sum = |figure: fn(&Self) -> u64| {
            let figures = compactions.iter().map(figure);
            figures.fold(figure(self), u64::saturating_add)
        };
        Self {
            input_tokens: sum(|it| it.input_tokens),
            cache_creation_input_tokens: sum(|it| it.cache_creation_input_tokens),
            cache_read_input_tokens: sum(|it| it.cache_read_input_tokens),
            output_tokens: sum(|it| it.output_tokens),
            extra: Extra::default(),
        }
    }

    /// Returns the tokens of the context at the end of the response: those of
    /// the last sampling, input and output. Zero if the model was not sampled,
    /// as in a response that has nothing but a compaction.
    #[must_use]
    pub fn context_tokens(&self) -> u64 {
        let mut samplings = self.iterations().into_iter();
        let last = samplings.rfind(|it| it.is("message"));
        last.map_or_else(|| self.tokens(), |it| it.usage.tokens())
    }

    /// Returns the sum of the four figures.
    fn tokens(&self) -> u64 {
        [
            self.cache_creation_input_tokens,
            self.cache_read_input_tokens,
            self.output_tokens,
        ]
        .into_iter()
        .fold(self.input_tokens, u64::saturating_add)
    }

    /// Returns the iterations that are readable.
    fn iterations(&self) -> Vec<Iteration> {
        let found = self.extra.0.iter().find(|(key, _)| key == "iterations");
        let items = found.and_then(|(_, list)| serde_json::from_str(list.get()).ok());
        let items: Vec<&RawValue> = items.unwrap_or_default();
        let read = items.into_iter().map(|it| serde_json::from_str(it.get()));
        read.filter_map(Result::ok)
            .filter_map(Iteration::of)
            .collect()
    }
}

impl Iteration {
    /// Reads an item. `None` if a figure of it is no number.
    fn of(Members(members): Members) -> Option<Self> {
        let (report, is_valid) = Report::read_checked(members);
        if !is_valid {
            return None;
        }
        let mut usage = Usage::default();
        usage.update(report);
        let kind = usage.extra.0.iter().position(|(key, _)| key == "type");
        let kind = kind.map(|at| usage.extra.0.remove(at).1);
        Some(Self {
            kind: kind.and_then(|kind| serde_json::from_str(kind.get()).ok()),
            usage,
        })
    }

    fn is(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }
}

#[cfg(test)]
mod tests {
    use aside_messages::wire::RawJson;

    use super::*;

    fn usage(iterations: &str) -> Usage {
        let iterations = RawJson::parse(iterations).unwrap();
        Usage {
            input_tokens: 30,
            output_tokens: 3,
            extra: Extra(vec![("iterations".to_owned(), iterations)]),
            ..Usage::default()
        }
    }

    #[test]
    fn compactions_are_apart_from_the_samplings() {
        let usage = usage(
            r#"[{"type":"message","input_tokens":10,"output_tokens":1},
            {"type":"compaction","input_tokens":7,"cache_creation_input_tokens":5,"cache_read_input_tokens":4,
             "output_tokens":2,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":5}},
            {"type":"advisor_message","input_tokens":99,"output_tokens":9,"model":"a"},
            {"type":"message","input_tokens":20,"output_tokens":2}]"#,
        );
        let [compaction] = &usage.compactions()[..] else {
            panic!("one compaction");
        };
        assert_eq!(compaction.tokens(), 18);
        assert!(
            compaction.extra.0[0]
                .1
                .get()
                .contains("\"ephemeral_1h_input_tokens\":5")
        );
        assert_eq!(usage.context_tokens(), 22);
        let paid = usage.with_compactions();
        assert_eq!((paid.input_tokens, paid.output_tokens), (37, 5));
        assert_eq!(paid.tokens(), 33 + 18);
    }

    #[test]
    fn without_readable_iterations_there_is_one_sampling() {
        for iterations in [
            "null",
            "[]",
            "{}",
            "[1]",
            r#"[{"type":"message","input_tokens":"20","output_tokens":2}]"#,
        ] {
            let usage = usage(iterations);
            assert_eq!(usage.compactions(), []);
            assert_eq!(usage.context_tokens(), 33, "{iterations}");
        }
        let usage = usage(r#"[1,{"type":"compaction","input_tokens":7,"output_tokens":null}]"#);
        assert_eq!(usage.compactions()[0].tokens(), 7);
    }
}
