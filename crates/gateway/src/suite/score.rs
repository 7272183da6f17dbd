//! An agent's score in a situation.

use serde::{Deserialize, Serialize};

/// An agent's score in one situation.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Score {
    /// The situation.
    pub situation: String,
    /// How it went.
    pub outcome: ScoreOutcome,
    /// Why the situation was not reached, or was skipped.
    pub reason: Option<String>,
    /// How many requests there were.
    pub requests: u64,
    /// What the input costs, in US dollars; `None` if a price is unknown.
    pub cost: Option<f64>,
    /// The least that the input could cost, in US dollars.
    pub bound: Option<f64>,
    /// What the agent did wrong, in request order.
    pub findings: Vec<AgentFault>,
}

aside_text::names! {
    /// How a situation went.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ScoreOutcome {
        /// The agent went through it without a finding.
        Clean = "clean",
        /// There are findings.
        Findings = "findings",
        /// The agent did not get as far as what the situation is about.
        NotReached = "not reached",
        /// The situation needs an option that was not given.
        Skipped = "skipped",
    }
}

/// Something that an agent did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AgentFault {
    /// The kind.
    pub kind: AgentFaultKind,
    /// The request's number, from 1; `None` for the whole situation.
    pub request: Option<u64>,
    /// What was found.
    pub text: String,
}

aside_text::names! {
    /// What an agent did wrong.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum AgentFaultKind {
        /// The API refused a request.
        Refused = "refused",
        /// A request read less from the cache than the one before had left.
        Miss = "cache miss",
        /// A request lacks thinking that the model sent.
        LostThinking = "lost thinking",
        /// A request lacks a prompt, a text, a call or a result.
        LostMessage = "lost message",
        /// A request has one of them twice.
        DoubledMessage = "doubled message",
        /// The input costs more than it has to.
        Cost = "cost",
        /// An outsider's text is where only the agent or its user may write.
        SpoofedText = "spoofed text",
        /// The command failed or did not end.
        Failed = "failed",
    }
}

impl Score {
    /// Creates the score for a situation that does not run.
    #[must_use]
    pub fn skipped(situation: &str, reason: &str) -> Self {
        let reason = Some(reason.to_owned());
        let mut score = Self::new(situation, 0, Vec::new(), reason);
        score.outcome = ScoreOutcome::Skipped;
        score
    }

    /// Creates a score without costs. `reason` is why the agent did not go
    /// through the situation.
    pub(super) fn new(
        situation: &str,
        requests: u64,
        mut findings: Vec<AgentFault>,
        reason: Option<String>,
    ) -> Self {
        findings.sort_by_key(|finding| finding.request.unwrap_or(u64::MAX));
        Self {
            situation: situation.to_owned(),
            outcome: match &reason {
                _ if !findings.is_empty() => ScoreOutcome::Findings,
                Some(_) => ScoreOutcome::NotReached,
                None => ScoreOutcome::Clean,
            },
            reason,
            requests,
            cost: None,
            bound: None,
            findings,
        }
    }
}

/// A line for the situation, and one for each finding.
impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let outcome = self.outcome.as_str();
        write!(f, "{:<20}{outcome:<12}", self.situation)?;
        if self.outcome != ScoreOutcome::Skipped {
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
