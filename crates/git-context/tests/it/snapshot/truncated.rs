//! A status that is too long.

use aside_git_context::{GitOptions, Status};

use crate::snapshot::fixture::{self, Repository, options};

fn status_block(repository: &Repository, options: &GitOptions) -> String {
    let snapshot = fixture::snapshot(repository.path(), options).unwrap().unwrap();
    assert_eq!(snapshot.diagnostics, []);
    let text = snapshot.render();
    let (_, rest) = text.split_once("Status:\n").unwrap();
    let (status, _) = rest.split_once("\n\nRecent commits:").unwrap();
    status.to_owned()
}

/// `count` untracked files, each on a line with ten characters, newline
/// included.
fn with_files(count: usize) -> Repository {
    let repository = Repository::new();
    for number in 0..count {
        repository.write(format!("f{number:05}"), "");
    }
    repository
}

#[test]
fn up_to_the_limit_nothing_is_cut() {
    let repository = with_files(200);
    let status = status_block(&repository, &options());
    assert_eq!(status.len(), 1_999);
    assert!(status.ends_with("?? f00199"));
}

#[test]
fn beyond_it_the_rest_is_named() {
    let repository = with_files(5_000);
    let status = status_block(&repository, &options());
    assert!(status.ends_with(
        "\n?? f00199\n... (truncated because it exceeds 2k characters. If you need more \
         information, run \"git status\" using BashTool)"
    ));

    let no_tool = GitOptions { tool_name: None, ..options() };
    assert!(
        status_block(&repository, &no_tool)
            .ends_with("\n?? f00199\n... (truncated because it exceeds 2k characters)")
    );
}

#[test]
fn other_limits() {
    let repository = with_files(3);
    let with_limit = |max_status_chars| {
        let options = GitOptions { tool_name: None, max_status_chars, ..options() };
        status_block(&repository, &options)
    };
    let cut = "?? f00000\n... (truncated because it exceeds 15 characters)";
    assert_eq!(with_limit(15), cut);
    assert_eq!(with_limit(usize::MAX), "?? f00000\n?? f00001\n?? f00002");
    let snapshot =
        fixture::snapshot(repository.path(), &GitOptions { max_status_chars: 29, ..options() });
    assert!(matches!(snapshot.unwrap().unwrap().status, Some(Status::Changed { .. })));
}

#[test]
fn a_first_line_that_does_not_fit() {
    let repository = Repository::new();
    let name = ["é".repeat(100), "é".repeat(100), "é".repeat(100)].join("/");
    repository.write(&name, "");
    repository.git(["add", "-A"]);
    let status = status_block(&repository, &options());
    let (line, sentence) = status.split_once('\n').unwrap();
    assert_eq!(line.chars().count(), 2_000);
    assert!(line.starts_with("A  \"\\303\\251"));
    assert!(sentence.starts_with("... (truncated"));
}
