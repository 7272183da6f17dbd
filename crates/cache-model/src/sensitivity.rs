//! The dependence of a result on the choices that no provider documents. Each
//! choice is reversed in a run of its own over the same log.

use serde::Serialize;

use crate::cache_rules::{CacheRules, Choice};
use crate::model::CacheModel;
use crate::timed::Timed;
use crate::usage::{Cost, Usage};
use crate::verdict::Verdict;

/// The effect of an assumption that no provider documents.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Sensitivity {
    /// The choice.
    pub choice: Choice,
    /// The number of requests with another usage if it is reversed.
    pub requests: usize,
    /// The first of them, by its index.
    pub first: Option<usize>,
    /// The usage of the whole log if it is reversed.
    pub usage: Usage,
    /// Its price.
    pub cost: Option<Cost>,
}

/// Repeats a log with every choice.
#[derive(Clone, Debug)]
pub struct SensitivityRun {
    /// A cache for each choice, and the effect of reversing it so far.
    runs: Vec<(CacheModel, Sensitivity)>,
    index: usize,
}

impl SensitivityRun {
    /// Starts a run for each choice of the rules, with that choice reversed.
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
        Self {
            runs: Choice::ALL.into_iter().map(run).collect(),
            index: 0,
        }
    }

    /// Adds a request, with the verdict of the rules as they are.
    ///
    /// Each request is evaluated once for each choice, so a run costs as much
    /// as several models.
    pub fn add(&mut self, entry: &Timed, verdict: &Verdict) {
        for (model, run) in &mut self.runs {
            let other = model.send_timed(entry);
            if let Some(usage) = entry.usage {
                model.observe(usage);
            }
            if other.usage != verdict.usage {
                run.requests += 1;
                run.first.get_or_insert(self.index);
            }
            run.usage += other.usage;
            run.cost = run.cost.zip(other.cost).map(|(a, b)| a + b);
        }
        self.index += 1;
    }

    /// Returns the choices on which something depends.
    #[must_use]
    pub fn finish(self) -> Vec<Sensitivity> {
        let all = self.runs.into_iter().map(|(_, run)| run);
        all.filter(|it| it.requests > 0).collect()
    }
}
