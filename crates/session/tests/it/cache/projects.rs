//! The prefix that one project's sessions share.

use std::fs;
use std::path::Path;

use aside_cache_model::CacheRules;
use aside_cache_split::Layout;
use aside_git_context::{GitOptions, UserConfig};
use aside_messages::conversation::EntryDraft;
use aside_messages::wire::{ContentBlock, Request};
use aside_session::{Git, Session, SessionConfig};
use uuid::Uuid;

use crate::cache::git::git;
use crate::cache::model::Cache;
use crate::cache::session::config;
use crate::support::run;

const SESSIONS: u8 = 20;

/// Returns the first requests of twenty sessions, each a day and a new file
/// later.
fn first_requests(cwd: &Path, change: impl Fn(&mut SessionConfig)) -> Vec<Request> {
    let requests: Vec<Request> = (1..=SESSIONS)
        .map(|day| {
            fs::write(cwd.join(format!("note-{day}")), "").unwrap();
            let mut config = config(cwd, Layout::Layered);
            config.date = format!("2026-01-{day:02}").parse().unwrap();
            config.git = Git::Snapshot(GitOptions {
                user_config: UserConfig::Ignore,
                ..GitOptions::default()
            });
            change(&mut config);
            let mut session = run(Session::open(config));
            let mut conversation = session.begin(Uuid::nil());
            conversation.push(EntryDraft::human(format!("Question {day}?")));
            session.prepare(&conversation).unwrap().request()
        })
        .collect();
    for day in 1..=SESSIONS {
        fs::remove_file(cwd.join(format!("note-{day}"))).unwrap();
    }
    requests
}

/// Returns the blocks and tokens that every session from the second on reads,
/// and what its input costs at most, as a share of the price without a cache.
fn read(requests: &[Request]) -> (usize, u64, f64) {
    let mut cache = Cache::new(CacheRules::anthropic());
    assert_eq!(cache.send(&requests[0]).read, 0);
    let mut most = 0.0_f64;
    let found: Vec<_> = requests[1..]
        .iter()
        .map(|request| cache.send(request))
        .inspect(|it| most = most.max(it.price))
        .map(|it| (it.read, it.read_tokens))
        .collect();
    assert!(found.iter().all(|it| *it == found[0]), "{found:?}");
    (found[0].0, found[0].1, most)
}

/// Returns the number of the block that contains the text, in cache order.
fn block_with(request: &Request, text: &str) -> usize {
    let blocks = request.messages.iter().flat_map(|it| &it.content);
    let mut blocks = request.system.iter().chain(blocks);
    let holds = |block: &ContentBlock| match block {
        ContentBlock::Text(block) => block.text.contains(text),
        _ => false,
    };
    request.tools.len() + blocks.position(holds).unwrap()
}

#[test]
fn a_second_session_of_a_project_reads_the_shared_prefix() {
    let directory = tempfile::tempdir().unwrap();
    let cwd = directory.path();
    fs::write(cwd.join("CLAUDE.md"), "Use tabs, and say why.\n".repeat(200)).unwrap();
    git(cwd, &["init", "--quiet", "--initial-branch", "main"]);
    git(cwd, &["add", "--all"]);
    git(cwd, &["commit", "--quiet", "--message", "one"]);

    let layered = first_requests(cwd, |_| {});
    let classic = first_requests(cwd, |config| {
        config.layout = Layout::Classic;
        config.cache.global_scope.enabled = true;
        config.cache.global_scope.is_supported = true;
    });
    let without_scope = first_requests(cwd, |config| config.layout = Layout::Classic);
    for requests in [&layered, &classic] {
        assert!(requests[0] != requests[1] && requests[0].system[1] == requests[1].system[1]);
    }

    let (blocks, tokens, price) = read(&layered);
    assert_eq!(blocks, block_with(&layered[0], "Use tabs, and say why.") + 1);
    let (classic_blocks, classic_tokens, classic_price) = read(&classic);
    assert_eq!(classic_blocks, block_with(&classic[0], "# Doing tasks") + 1);
    assert_eq!(read(&without_scope).0, 0);
    // Saves more than a third of the price; in the classic layout, which shares
    // less, more than a fifth.
    assert!(price < 0.67 && classic_price < 0.8, "{price} {classic_price}");
    println!("from the second session of a project on, each reads");
    println!(
        "  layered                {tokens} tokens (static and project layer), price {price:.2}"
    );
    println!(
        "  classic, global scope  {classic_tokens} tokens (static layer), price {classic_price:.2}"
    );
    println!("  classic, one scope     ~0 tokens");
}
