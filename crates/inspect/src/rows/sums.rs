//! Adding up rows, as a whole and in groups.

use std::collections::BTreeMap;
use std::time::Duration;

use aside_cache_model::{Cost, Difference, Usage};
use aside_models::Date;
use aside_request_logs::{Agent, rfc3339};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::row::Row;

aside_text::names! {
    /// What to group rows by.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum GroupBy {
        /// The model.
        Model = "model",
        /// Why the cache missed.
        Cause = "cause",
        /// The session, with its sub-agents.
        Session = "session",
        /// The day, in UTC.
        Day = "day",
        /// The project.
        Project = "project",
        /// The agent.
        Agent = "agent",
    }
}

impl GroupBy {
    /// Returns a row's group. Rows without a cause are in no group by cause.
    fn key(self, row: &Row) -> Option<String> {
        let known = |text: Option<&str>| Some(text.unwrap_or("unknown").to_owned());
        match self {
            Self::Model => known(row.model.as_deref()),
            Self::Cause => Some(row.cause.as_ref()?.name.clone().into_owned()),
            Self::Session => known(row.session.as_deref()),
            Self::Day => known(row.day().as_deref()),
            Self::Project => known(row.project.as_deref()),
            Self::Agent => known(row.agent.map(Agent::as_str)),
        }
    }
}

/// Writes a time as text, such as `2026-11-22T06:29:00.123Z`.
#[expect(clippy::ref_option, reason = "serde passes fields by reference")]
fn time<S: Serializer>(at: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    at.and_then(rfc3339).serialize(serializer)
}

/// Writes a usage with the keys of figures that are zero, which its own form leaves out.
fn every_figure<S: Serializer>(usage: &Usage, serializer: S) -> Result<S::Ok, S::Error> {
    let mut figures = serializer.serialize_struct("Usage", 8)?;
    figures.serialize_field("read", &usage.read)?;
    figures.serialize_field("write_5m", &usage.write_5m)?;
    figures.serialize_field("write_1h", &usage.write_1h)?;
    figures.serialize_field("write_other", &usage.write_other)?;
    figures.serialize_field("write_12h", &usage.write_12h)?;
    figures.serialize_field("uncached", &usage.uncached)?;
    figures.serialize_field("output", &usage.output)?;
    figures.serialize_field("fast", &usage.is_fast)?;
    figures.end()
}

/// Several rows added up. The JSON always has all keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Totals {
    /// How many requests, even failed ones.
    pub requests: u64,
    /// How many of them failed.
    pub failed: u64,
    /// Tokens by price class.
    #[serde(serialize_with = "every_figure")]
    pub usage: Usage,
    /// What the requests cost whose model has a price.
    pub cost: Cost,
    /// Tokens in requests whose model has none, input and output.
    pub unpriced_tokens: u64,
    /// Tokens that may have been written to the cache: `cost` counts them as not written.
    pub unknown_write: u64,
    /// How many tokens were in the cache and were not read.
    pub lost_tokens: u64,
    /// What they cost. The rest of `cost` has no miss, but for `unpriced_lost_tokens`.
    pub lost_cost: Cost,
    /// How many of them have no price, since that of a read is unknown.
    pub unpriced_lost_tokens: u64,
    /// The oldest day that these prices are from.
    pub prices_as_of: Option<Date>,
    /// What to change, for a cause.
    pub fix: Option<&'static str>,
    /// For a cause: the difference of its most expensive miss, if the log has exact bodies.
    #[serde(skip)]
    pub example: Option<Difference>,
    #[serde(skip)]
    example_cost: Cost,
    /// When the first request was sent.
    #[serde(serialize_with = "time")]
    pub begin: Option<Duration>,
    /// When the latest request was sent.
    #[serde(serialize_with = "time")]
    pub end: Option<Duration>,
    /// The project, if all requests have the same. A session's is that of its first request.
    pub project: Option<String>,
    /// The agent, if all requests have the same.
    pub agent: Option<&'static str>,
    /// How many requests have no usage in the log: their input is predicted, their output unknown.
    pub predicted: u64,
}

impl Totals {
    fn add(&mut self, row: &Row, group: Option<GroupBy>) {
        let agent = row.agent.map(Agent::as_str);
        if self.requests == 0 {
            self.project.clone_from(&row.project);
            self.agent = agent;
        } else if group != Some(GroupBy::Session) {
            self.project.take_if(|it| row.project.as_ref() != Some(it));
            self.agent.take_if(|it| agent != Some(*it));
        }
        self.begin = Some(self.begin.map_or(row.at, |it| it.min(row.at)));
        self.end = self.end.max(Some(row.at));
        self.requests += 1;
        self.failed += u64::from(row.is_failed());
        self.predicted += u64::from(row.is_predicted);
        self.usage += row.usage;
        match row.cost {
            Some(cost) => self.cost += cost,
            None => self.unpriced_tokens = self.unpriced_tokens.saturating_add(row.usage.total()),
        }
        self.unknown_write = self.unknown_write.saturating_add(row.unknown_write);
        self.lost_tokens = self.lost_tokens.saturating_add(row.lost_tokens);
        match row.lost_cost {
            Some(cost) => self.lost_cost += cost,
            None => {
                let tokens = self.unpriced_lost_tokens;
                self.unpriced_lost_tokens = tokens.saturating_add(row.lost_tokens);
            }
        }
        self.prices_as_of = Date::earlier(self.prices_as_of, row.prices_as_of);
    }

    fn keep_example(&mut self, row: &Row) {
        let cost = row.lost_cost.unwrap_or_default();
        if row.difference.is_some() && (self.example.is_none() || cost > self.example_cost) {
            self.example.clone_from(&row.difference);
            self.example_cost = cost;
        }
    }

    /// Returns the cost: with a plus if some of it is unknown, a dash if all of it is.
    #[must_use]
    pub fn money(&self) -> String {
        match (self.unpriced_tokens, self.unknown_write, self.cost) {
            (0, 0, cost) => cost.to_string(),
            (_, _, Cost::ZERO) => "-".to_owned(),
            (_, _, cost) => format!("{cost}+"),
        }
    }

    /// Returns the cost that no miss explains. Markers that are missing are no miss.
    #[must_use]
    pub fn unavoidable(&self) -> Cost {
        self.cost.saturating_sub(self.lost_cost)
    }
}

/// Totals for all rows, and by every group.
///
/// Costs in the groups of one kind add up to the whole, except for causes: the
/// money lost to all causes and `all.unavoidable()` add up to `all.cost`.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// All rows added up.
    pub all: Totals,
    groups: BTreeMap<GroupBy, BTreeMap<String, Totals>>,
}

impl Sums {
    /// Adds a row.
    pub fn add(&mut self, row: &Row) {
        self.all.add(row, None);
        for group in GroupBy::ALL {
            let Some(key) = group.key(row) else {
                continue;
            };
            let totals = self.groups.entry(group).or_default().entry(key).or_default();
            totals.add(row, Some(group));
            if group == GroupBy::Cause {
                totals.fix = row.cause.as_ref().and_then(|it| it.fix);
                totals.keep_example(row);
            }
        }
    }

    /// Returns the groups of one kind. Days come in order, causes by most lost
    /// money, all others by cost.
    #[must_use]
    pub fn groups(&self, by: GroupBy) -> Vec<(&str, &Totals)> {
        let groups = self.groups.get(&by).into_iter().flatten();
        let mut groups: Vec<_> = groups.map(|(key, it)| (key.as_str(), it)).collect();
        match by {
            GroupBy::Day => {}
            GroupBy::Cause => groups.sort_by_key(|it| {
                std::cmp::Reverse((it.1.lost_cost, it.1.lost_tokens, it.1.requests))
            }),
            _ => groups.sort_by_key(|it| std::cmp::Reverse((it.1.cost, it.1.usage.total()))),
        }
        groups
    }
}
