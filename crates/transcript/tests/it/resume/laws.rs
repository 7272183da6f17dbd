use aside_cache_split::Layout;
use proptest::prelude::*;

use crate::resume::runner::{Runner, make_tree};
use crate::resume::step::{State, Step, step};

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Returns every request of the script, resuming the session before the steps
/// in `cuts`.
fn requests(dir: &std::path::Path, layout: Layout, steps: &[Step], cuts: &[usize]) -> Vec<String> {
    make_tree(dir);
    run(async {
        let mut runner = Runner::open(dir, layout).await;
        for (index, step) in steps.iter().enumerate() {
            runner.settle_before(*step);
            // A request without a response is sent again after a resume, which
            // is a law of its own.
            if cuts.contains(&index) && !runner.is_open() {
                runner = runner.resume();
            }
            runner.play(*step).await;
        }
        runner.requests
    })
}

/// Every kind of event that resuming depends on.
const SCRIPT: &[Step] = &[
    Step::Say("hello"),
    Step::State(State::Busy),
    Step::Drop,
    Step::Send,
    Step::Call,
    Step::Read("web/b.txt"),
    Step::Send,
    Step::Answer,
    Step::State(State::Planning),
    Step::Say("plan it"),
    Step::Send,
    Step::Answer,
    Step::Write("web/b.txt", "one\ntwo\n"),
    Step::Read("web/deep/c.rs"),
    Step::Look,
    Step::Date("2026-02-01"),
    Step::Write("deployment", "The cluster is down."),
    Step::Write("cluster", "It is called blue."),
    Step::Say("again"),
    Step::Send,
    Step::Answer,
    Step::Write("web/CLAUDE.md", "Use four spaces."),
    Step::Read("web/b.txt"),
    Step::Minutes(6),
    Step::Write("deployment", "broken"),
    Step::State(State::Servers),
    Step::Say("search"),
    Step::Send,
    Step::Answer,
    Step::State(State::Busy),
    Step::Compact,
    Step::Say("go on"),
    Step::Send,
    Step::Answer,
    Step::Read("web/b.txt"),
    Step::State(State::PlanEnded),
    Step::Say("do it"),
    Step::Send,
    Step::Answer,
    Step::Clear,
    Step::Say("hello"),
    Step::Send,
    Step::Answer,
    Step::Say("hello"),
    Step::Send,
];

#[test]
fn a_session_resumes_wherever_it_was_cut() {
    let dir = tempfile::tempdir().unwrap();
    for layout in [Layout::Layered, Layout::Classic] {
        let undisturbed = requests(dir.path(), layout, SCRIPT, &[]);
        for cut in 0..SCRIPT.len() {
            let found = requests(dir.path(), layout, SCRIPT, &[cut]);
            assert_eq!(found.len(), undisturbed.len());
            for (index, (found, expected)) in found.iter().zip(&undisturbed).enumerate() {
                assert_eq!(found, expected, "{layout:?}, cut at {cut}, request {index}");
            }
        }
    }
}

#[test]
fn the_script_covers_every_delivery() {
    let dir = tempfile::tempdir().unwrap();
    let requests = requests(dir.path(), Layout::Layered, SCRIPT, &[]);
    let last = |index: usize, text: &str| {
        let new = match index {
            0 => requests[0].as_str(),
            _ => &requests[index][requests[index - 1].len() / 2..],
        };
        assert!(new.contains(text), "{text} in request {index}: {new}");
    };
    last(0, "release");
    last(0, "lint hook additional context");
    last(1, "Use two spaces.");
    last(2, "Plan mode is on");
    last(3, "b.txt was modified");
    last(3, "No unwrap.");
    last(3, "2026-02-01");
    last(3, "The cluster is down.");
    assert!(requests[3].contains("It is called blue."));
    assert!(!requests[2].contains("It is called blue."));
    last(4, "Use four spaces.");
    last(4, "mcp__docs__search");
    last(4, "Search first.");
    last(4, "no longer apply:\\n- deployment");
    last(5, "They went on.");
    last(5, "Tag it.");
    last(5, "is still running");
    last(5, "Called the Read tool");
    last(6, "Use four spaces.");
}

proptest! {
    #[test]
    fn any_session_resumes(
        steps in prop::collection::vec(step(), 1..24),
        cuts in prop::collection::vec(0..24_usize, 1..4),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let undisturbed = requests(dir.path(), Layout::Layered, &steps, &[]);
        let found = requests(dir.path(), Layout::Layered, &steps, &cuts);
        prop_assert_eq!(found, undisturbed);
    }
}
