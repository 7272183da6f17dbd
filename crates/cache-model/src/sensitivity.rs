//! How a result depends on the choices that no provider documents. Each choice
//! is reversed in its own run over the same log.

use serde::Serialize;

use crate::cache_rules::{CacheRules, Choice};
use crate::model::CacheModel;
use crate::timed::Timed;
use crate::usage::{Cost, Usage};
use crate::verdict::Verdict;

/// What changes with an assumption that no provider documents.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Sensitivity {
    /// The choice.
    pub choice: Choice,
    /// How many requests have another usage when it is reversed.
    pub requests: usize,
    /// The first of them, by index.
    pub first: Option<usize>,
    /// The whole log's usage when it is reversed.
    pub usage: Usage,
    /// What that costs.
    pub cost: Option<Cost>,
}

/// Repeats a log with every choice.
#[derive(Clone, Debug)]
pub struct SensitivityRun {
    /// A cache for each choice, and what reversing it has changed so far.
    runs: Vec<(CacheModel, Sensitivity)>,
    index: usize,
}

impl SensitivityRun {
    /// Starts a run for each choice, with that choice reversed.
    #[must_use]
    pub fn new(rules: &CacheRules) -> Self {
        let run = |choice: Choice| {
            let none = Sensitivity {
                choice,
                requests: 0,
                first: None,
                usage: Usage::default(),
                cost: Some(Cost::ZERO),
            };
            (CacheModel::new(rules.flipped(choice)), none)
        };
        Self { runs: Choice::ALL.into_iter().map(run).collect(), index: 0 }
    }

    /// Adds a request, with the verdict by the rules as they are.
    ///
    /// Each request is evaluated once for each choice, so a run costs as much
    /// as several models.
    pub fn add(&mut self, entry: &Timed, verdict: &Verdict) {
        for (model, run) in &mut self.runs {
            let other = model.replay(entry);
            if other.usage != verdict.usage {
                run.requests += 1;
                run.first.get_or_insert(self.index);
            }
            run.usage += other.usage;
            run.cost = run.cost.zip(other.cost).map(|(a, b)| a + b);
        }
        self.index += 1;
    }

    /// Returns the choices that something depends on.
    #[must_use]
    pub fn finish(self) -> Vec<Sensitivity> {
        let all = self.runs.into_iter().map(|(_, run)| run);
        all.filter(|it| it.requests > 0).collect()
    }
}
