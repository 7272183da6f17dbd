//! Compactions that fail.

use aside_agent::{Loop, Outcome};
use aside_session::{CompactionMethod, CompactionPolicy};

use crate::agent_loop::scripted::{World, cassette, transcript, turn};
use crate::agent_loop::strict::StrictClient;

const ONE: &str = r#"{"content":"One."}"#;

fn compacting(agent: Loop) -> Loop {
    let method = CompactionMethod::Request;
    agent.with_compaction(CompactionPolicy { method, ..CompactionPolicy::default() })
}

/// Runs with a prompt. Instruction files are read on the runtime's threads.
fn prompted(agent: &mut Loop, prompt: &str) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(agent.prompt(prompt)).unwrap();
    runtime.block_on(agent.run()).unwrap().outcome
}

#[test]
fn an_incomplete_summary_loses_nothing() {
    let check = |reason: &str, is_compacted: bool| {
        let answer = format!(r#"{{"content":"I cannot help","stop_reason":"{reason}"}}"#);
        let client = StrictClient::new(cassette(&[ONE, &answer, &answer])).of_any_history();
        let mut agent = compacting(World::default().start(&client));
        assert_eq!(turn(&mut agent, "first"), Outcome::Done);
        let before = agent.conversation().entries().len();
        let outcome = prompted(&mut agent, "/compact");
        let is_changed = agent.conversation().entries().len() > before;
        assert_eq!(is_changed, is_compacted, "{reason}: {:?}", transcript(agent.conversation()));
        assert_eq!(outcome == Outcome::Done, is_compacted, "{reason}: {outcome:?}");
    };
    check("refusal", false);
    check("max_tokens", false);
    check("model_context_window_exceeded", false);
    check("end_turn", true);
    check("stop_sequence", true);
}
