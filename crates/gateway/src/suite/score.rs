//! The score of an agent in a situation.

use serde::{Deserialize, Serialize};

use super::Situation;
use crate::serve::ServerReport;

/// How much more than the least the input may cost. A first request writes what nobody reads
/// again, and short conversations do not earn that back.
const MAX_COST: f64 = 1.25;

/// The score of an agent in one situation.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Score {
    /// The situation.
    pub situation: String,
    /// The result.
    pub outcome: Outcome,
    /// Why the situation was not reached, or was skipped.
    pub reason: Option<String>,
    /// The number of requests.
    pub requests: u64,
    /// The price of the input, in US dollars; `None` if a price is not known.
    pub cost: Option<f64>,
    /// The least that the input can cost, in US dollars.
    pub bound: Option<f64>,
    /// What the agent did wrong, in the order of the requests.
    pub findings: Vec<Finding>,
}

/// The result of a situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The agent went through it without a finding.
    Clean,
    /// There are findings.
    Findings,
    /// The agent did not get as far as what the situation is about.
    NotReached,
    /// The situation needs an option that was not given.
    Skipped,
}

/// Something that an agent did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The number of the request, from 1; `None` for the whole situation.
    pub request: Option<u64>,
    /// What was found.
    pub text: String,
}

/// The kind of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FindingKind {
    /// The API refused a request.
    Refused,
    /// A request read less from the cache than the one before had left.
    Miss,
    /// A request lacks thinking that the model sent.
    LostThinking,
    /// A request lacks a prompt, a text, a call or a result.
    LostMessage,
    /// A request has one of them twice.
    DoubledMessage,
    /// The input costs more than it has to.
    Cost,
    /// A text of an outsider is where only the agent or its user may write.
    SpoofedText,
    /// The command failed or did not end.
    Failed,
}

impl FindingKind {
    /// Returns the name for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Miss => "cache miss",
            Self::LostThinking => "lost thinking",
            Self::LostMessage => "lost message",
            Self::DoubledMessage => "doubled message",
            Self::Cost => "cost",
            Self::SpoofedText => "spoofed text",
            Self::Failed => "failed",
        }
    }
}

impl Finding {
    pub(super) fn new(kind: FindingKind, request: Option<u64>, text: String) -> Self {
        Self {
            kind,
            request,
            text,
        }
    }
}

impl Score {
    /// Creates the score of a situation that does not run.
    #[must_use]
    pub fn skipped(situation: &Situation, reason: &str) -> Self {
        let report = ServerReport::default();
        let mut score = Self::new(situation, &report, Vec::new(), (None, None), None);
        score.outcome = Outcome::Skipped;
        score.reason = Some(reason.to_owned());
        score
    }

    /// Creates a score. The findings that the situation allows are left out; `blocked` is why
    /// the agent did not go through it.
    pub(super) fn new(
        situation: &Situation,
        report: &ServerReport,
        mut findings: Vec<Finding>,
        (cost, bound): (Option<f64>, Option<f64>),
        blocked: Option<String>,
    ) -> Self {
        if let Some((cost, bound)) = cost
            .zip(bound)
            .filter(|(cost, bound)| *cost > bound * MAX_COST)
        {
            let text = format!("the input costs ${cost:.4}, the least is ${bound:.4}");
            findings.push(Finding::new(FindingKind::Cost, None, text));
        }
        findings.retain(|finding| !situation.allow.contains(&finding.kind));
        findings.sort_by_key(|finding| finding.request.unwrap_or(u64::MAX));
        Self {
            situation: situation.name.clone(),
            outcome: match &blocked {
                _ if !findings.is_empty() => Outcome::Findings,
                Some(_) => Outcome::NotReached,
                None => Outcome::Clean,
            },
            reason: blocked,
            requests: report.requests,
            cost,
            bound,
            findings,
        }
    }
}

/// A line for the situation, and one for each finding.
impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let outcome = match self.outcome {
            Outcome::Clean => "clean",
            Outcome::Findings => "findings",
            Outcome::NotReached => "not reached",
            Outcome::Skipped => "skipped",
        };
        write!(f, "{:<20}{outcome:<12}", self.situation)?;
        if self.outcome != Outcome::Skipped {
            write!(f, "{:>3} requests", self.requests)?;
        }
        if let Some((cost, bound)) = self.cost.zip(self.bound).filter(|(_, bound)| *bound > 0.0) {
            write!(f, "  ${cost:.4}, {:.2} of the least", cost / bound)?;
        }
        if let Some(reason) = &self.reason {
            write!(f, "  {reason}")?;
        }
        for finding in &self.findings {
            write!(f, "\n  {}: ", finding.kind.as_str())?;
            if let Some(request) = finding.request {
                write!(f, "request {request}: ")?;
            }
            f.write_str(&finding.text)?;
        }
        Ok(())
    }
}
