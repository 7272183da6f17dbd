//! The conformance suite: situations that an agent goes through, and a score for how it kept its
//! conversation.
//!
//! A situation is a server script with a few more keys: files, prompts and changes. It knows
//! nothing about an agent; a scripted call has a purpose, and the server chooses the tool. You run
//! the agent:
//!
//! ```
//! use aside_gateway::suite::{Situation, Watch};
//!
//! let text = Situation::builtin("plain-loop").expect("it is built in");
//! let situation = Situation::parse("plain-loop", text, "/tmp/project")?;
//! assert_eq!(situation.runs.len(), 1);
//! // The observer of the server, which runs while the agent does.
//! let _watch = Watch::new(&situation);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod needle;
mod score;
mod situation;
mod watch;

pub use score::{AgentFault, AgentFaultKind, Score, ScoreOutcome};
pub use situation::{FileChange, Run, SessionKind, Situation, SituationError, SituationFile};
pub use watch::Watch;
