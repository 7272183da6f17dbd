//! Reviewing since a revision as Markdown, and expected files that a checkout
//! changed.

use std::fs;
use std::path::PathBuf;

use crate::verify::{SCENARIO, SCENARIOS, Team};

/// A committed repository with a scenario that pins its instruction files.
fn committed() -> Team {
    let team = Team::new();
    let scenario = SCENARIO.replace("turns:", "pin: [instruction_files]\nturns:");
    team.write(".aside/scenarios/first/scenario.yaml", &scenario);
    team.commit();
    team
}

impl Team {
    fn review(&self, arguments: &[&str], code: i32) -> String {
        let output = self.run(&[&["--review", "HEAD"], arguments].concat(), None);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{printed}");
        printed
    }
}

#[test]
fn the_review_has_figures_lines_and_findings() {
    let team = committed();
    assert_eq!(
        team.review(&[], 0),
        "### What the model sees\n\nNo agent sees a change in 1 scenario.\n"
    );
    let text = "# Team\n\nUse spaces.\n@docs/style.md\n@docs/missing.md\n";
    team.write("CLAUDE.md", text);
    team.write(
        ".aside/scenarios/second/scenario.yaml",
        "repository: ../../..\ncwd: docs\nturns: [[user: x]]\n",
    );
    let printed = team.review(&["--max-tokens-added", "500"], 0);
    for expected in [
        "| request | agent | directory | tokens | first request | 1,000 more, cached | shared prefixes that end |\n",
        "| `first/request-1` | claude | `.` | ",
        "| `second/request-1` | claude | `docs` | ",
        " tokens, $",
        "project: ",
        "#### `CLAUDE.md`: about +",
        "In `first/request-1`, `second/request-1`.\n\n```diff\n- Use tabs.\n+ Use spaces.\n```\n",
        "+ @docs/missing.md\n",
        "**New findings**:\n\n- `first: ",
    ] {
        assert!(printed.contains(expected), "{expected:?} is not in: {printed}");
    }
    let arguments = ["--review", "HEAD", "--max-tokens-added", "2"];
    let error = team.run(&[&arguments[..], &["--junit", "report.xml"]].concat(), None);
    assert_eq!(error.status.code(), Some(1));
    let error = String::from_utf8(error.stderr).unwrap();
    assert!(error.contains("/request-1 grows by about "), "{error}");
    assert!(error.contains("expected at most 2"), "{error}");
    let report = fs::read_to_string(team.path().join("report.xml")).unwrap();
    assert!(report.contains("grows by about "), "{report}");
}

/// Some providers have the model in the address and not in the body.
#[test]
fn the_figures_have_prices_on_every_provider() {
    let team = committed();
    for provider in ["bedrock", "vertex", "gemini", "openai"] {
        let scenario = format!("repository: ../../..\nprovider: {provider}\nturns: [[user: x]]\n");
        team.write(&format!(".aside/scenarios/{provider}/scenario.yaml"), &scenario);
    }
    team.commit();
    team.write("docs/style.md", "Long functions.\n");
    let printed = team.run(&["--review", "HEAD", "--json"], None).stdout;
    let json: serde_json::Value = serde_json::from_slice(&printed).unwrap();
    let requests = json["review"]["requests"].as_array().unwrap();
    assert_eq!(requests.len(), 5, "{json:#}");
    for request in requests {
        for figures in [&request["before"], &request["after"]] {
            assert!(figures["first"].is_number(), "{request:#}");
            assert!(figures["thousand_more"].is_number(), "{request:#}");
        }
    }
}

#[test]
fn another_model_ends_every_prefix() {
    let team = committed();
    let path = ".aside/scenarios/first/scenario.yaml";
    let scenario = fs::read_to_string(team.path().join(path)).unwrap();
    let ends = |scenario: String| {
        team.write(path, &scenario);
        let printed = team.run(&["--review", "HEAD", "--json"], None).stdout;
        let json: serde_json::Value = serde_json::from_slice(&printed).unwrap();
        json["review"]["requests"][0]["ends"].clone()
    };
    let other = scenario.replace("sonnet-4-5", "opus-4-5");
    assert_eq!(ends(other), serde_json::json!(["static", "project"]));
    // The end of the conversation is nobody else's.
    let prompt = scenario.replace("Explain", "Describe");
    assert_eq!(ends(prompt), serde_json::json!([]));
}

#[test]
fn a_skill_that_is_gone_is_one_change() {
    let team = committed();
    // The list is at another index of the second scenario's message.
    for (name, keys) in [("third", ""), ("second", "layout: classic\n")] {
        let scenario = format!("repository: ../../..\n{keys}turns: [[user: x]]\n");
        team.write(&format!(".aside/scenarios/{name}/scenario.yaml"), &scenario);
    }
    let file = |folder: &str, name: &str| {
        let text = format!("---\nname: {name}\ndescription: Does {name}.\n---\nx\n");
        team.write(&format!(".claude/{folder}"), &text);
    };
    file("skills/lint/SKILL.md", "lint");
    file("agents/helper.md", "helper");
    team.run(&["--bless"], None);
    team.commit();
    fs::remove_dir_all(team.path().join(".claude/skills")).unwrap();
    let printed = String::from_utf8(team.run(&[], None).stdout).unwrap();
    assert!(printed.contains(" 2 requests: "), "{printed}");
    assert!(!printed.contains("from attachment agents_delta"), "{printed}");
    assert!(printed.contains("- == messages[0].content["), "{printed}");
    let printed = team.review(&[], 0);
    assert_eq!(printed.matches("#### `attachment skill_listing`").count(), 1, "{printed}");
    assert_eq!(printed.matches("#### `.claude/skills/lint/SKILL.md`").count(), 1, "{printed}");
}

/// Each file that changed is named with its own lines, and no other one.
#[test]
fn changes_have_the_file_that_changed() {
    let team = committed();
    let scenario = SCENARIO.replace("turns:", "pin: [instruction_files, skills]\nturns:");
    team.write(".aside/scenarios/first/scenario.yaml", &scenario);
    let skill = |name: &str, does: &str| {
        let text = format!("---\nname: {name}\ndescription: {does}.\n---\nx\n");
        team.write(&format!(".claude/skills/{name}/SKILL.md"), &text);
    };
    skill("lint", "Lints");
    skill("release", "Cuts a release");
    let rules: String =
        (1..40).map(|it| format!("Rule {it}: ask before you touch it.\n")).collect();
    team.write("CLAUDE.md", &rules);
    team.commit();
    let sources = |printed: &str| -> Vec<String> {
        let headings = printed.lines().filter_map(|it| it.strip_prefix("#### `"));
        headings.map(|it| it.split('`').next().unwrap().to_owned()).collect()
    };
    let reset = || {
        team.git(&["reset", "--quiet", "--hard"]);
        team.git(&["clean", "--quiet", "-d", "--force"]);
    };

    skill("lint", "Lints all");
    skill("release", "Cuts releases");
    let printed = team.review(&[], 0);
    let both = [".claude/skills/lint/SKILL.md", ".claude/skills/release/SKILL.md"];
    assert_eq!(sources(&printed), both, "{printed}");
    reset();

    // The blank line before its header is not one of the file above.
    team.write(".claude/rules/all.md", "Test first.\n");
    let printed = team.review(&[], 0);
    assert_eq!(sources(&printed), ["instruction files", ".claude/rules/all.md"], "{printed}");
    reset();

    // Cache markers and objects around the text are not text.
    team.write("CLAUDE.md", "");
    let printed = team.review(&[], 0);
    let (table, change) = printed.split_once("#### `CLAUDE.md`: ").unwrap();
    assert!(!change.contains("cache_control") && !change.contains("- == "), "{printed}");
    let number = |text: &str, after: &str| -> i64 {
        let (_, rest) = text.split_once(after).unwrap();
        let end = rest.find([')', ' ']).unwrap();
        rest[..end].parse().unwrap()
    };
    let (whole, text) = (number(table, " ("), number(change, "about "));
    assert!(whole.abs_diff(text) * 50 <= whole.unsigned_abs(), "{whole} {text}: {printed}");
}

/// Every request that grows too much fails its scenario, also if another one
/// cannot be played.
#[test]
fn each_request_that_grows_is_named() {
    let team = committed();
    let second = "repository: ../../..\ncwd: docs\nturns: [[user: x]]\n";
    team.write(".aside/scenarios/second/scenario.yaml", second);
    team.write("web/CLAUDE.md", "Web.\n");
    let third = second.replace("docs", "web").replace("turns", "instructions: codex\nturns");
    team.write(".aside/scenarios/third/scenario.yaml", &third);
    team.commit();
    let text = format!("# Team\n\nUse tabs.\n{}\n@docs/style.md\n", "More words. ".repeat(50));
    team.write("CLAUDE.md", &text);
    let failed = || {
        let arguments = ["--review", "HEAD", "--json", "--max-tokens-added", "10"];
        let output = team.run(&arguments, None);
        assert_eq!(output.status.code(), Some(1));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let scenarios = json["scenarios"].as_array().unwrap();
        let failed = scenarios.iter().filter(|it| it["failures"] != serde_json::json!([]));
        let names: Vec<_> = failed.map(|it| it["name"].as_str().unwrap().to_owned()).collect();
        (names, String::from_utf8(output.stderr).unwrap())
    };
    let (names, error) = failed();
    assert_eq!(names, ["first", "second"], "{error}");
    assert_eq!(error.matches("tokens: expected at most 10 (--max-tokens-added)").count(), 2);
    team.write(".aside/scenarios/third/scenario.yaml", "turn: []\n");
    let (names, error) = failed();
    assert_eq!(names, ["first", "second", "third"], "{error}");
    assert!(error.contains("1 failed; first/request-1 grows by about "), "{error}");
}

/// A fault of the base has its place in the revision, as git writes it.
#[test]
fn faults_of_the_base_name_the_file() {
    let team = committed();
    let path = ".aside/scenarios/first/scenario.yaml";
    let scenario = fs::read_to_string(team.path().join(path)).unwrap();
    team.write(path, &format!("foo: 1\n{scenario}"));
    team.commit();
    team.write(path, &scenario);
    let expected = format!("- `first: HEAD:{path}:1: unknown key 'foo'");
    let printed = team.review(&[], 0);
    assert!(printed.contains(&expected), "{printed}");
}

fn absent(file: &str) -> String {
    format!(
        "aside: warning: {file}: no scenario has this file (aside init writes one, for up to 30 \
         directories)\n"
    )
}

/// The new file is in the last of more directories than `aside init` writes scenarios for.
#[test]
fn a_new_file_in_a_large_repository_is_named() {
    let team = committed();
    let file = |number: usize| format!("p{number:02}/CLAUDE.md");
    for number in 0..34 {
        team.write(&file(number), "Use tabs.\n");
    }
    team.commit();
    team.write("zz/CLAUDE.md", "Use tabs.\n");
    let printed = team.review(&[], 0);
    assert!(printed.ends_with("**New files without a scenario**: `zz/CLAUDE.md`.\n"), "{printed}");
    let error = String::from_utf8(team.run(&["--bless"], None).stderr).unwrap();
    let first: String = (0..10).map(|it| absent(&file(it))).collect();
    assert_eq!(error, first + "aside: warning: no scenario has 25 more files\n");
}

/// A new agent is named since a revision only: the team may not use it.
#[test]
fn files_that_no_scenario_has_are_named() {
    let team = committed();
    let check = |verify: &str, review: &str| {
        let error = String::from_utf8(team.run(&["--bless"], None).stderr).unwrap();
        assert_eq!(error, verify);
        let printed = team.review(&[], 0);
        assert!(printed.contains(review), "{printed}");
    };
    let no_change = "No agent sees a change in 1 scenario.\n";
    check("", no_change);
    let settings = r#"{"language":"French","claudeMdExcludes":["**/rules/*"]}"#;
    team.write(".claude/settings.json", settings);
    team.write(".claude/rules/a.md", "Excluded.\n");
    check("", no_change);
    team.write("GEMINI.md", "Use tabs.\n");
    team.write("web/CLAUDE.md", "Use tabs.\n");
    let new =
        format!("{no_change}\n**New files without a scenario**: `GEMINI.md`, `web/CLAUDE.md`.\n");
    check(&absent("web/CLAUDE.md"), &new);
    let scenario = "repository: ../../..\ncwd: web\nturns: [[user: x]]\n";
    team.write(".aside/scenarios/web/scenario.yaml", scenario);
    check("", "**New files without a scenario**: `GEMINI.md`.\n");
    // A scenario that cannot be played hides nothing, and is not removed.
    team.commit();
    team.write("sub/CLAUDE.md", "Use tabs.\n");
    team.write(".aside/scenarios/web/scenario.yaml", "turn: 1\n");
    let printed = team.review(&[], 1);
    for part in
        ["**Not comparable**:\n\n- `web: ", "**New files without a scenario**: `sub/CLAUDE.md`"]
    {
        assert!(printed.contains(part), "{printed}");
    }
    assert!(!printed.contains("Removed scenarios"), "{printed}");
}

/// A pull request's text may come from anybody, so it is in code, and closes no
/// block.
#[test]
fn text_of_the_repository_writes_no_markdown() {
    let team = committed();
    let hostile = "```\n</details>\n@team ![x](http://a.example/x)\n\u{1b}[31m\u{202e}\n";
    team.write("CLAUDE.md", hostile);
    let name = "do`cs |x";
    team.write(&format!("{name}/CLAUDE.md"), "In here.\n");
    let scenario = format!("repository: ../../..\ncwd: \"{name}\"\nturns: [[user: x]]\n");
    team.write(".aside/scenarios/odd/scenario.yaml", &scenario);
    let printed = team.review(&[], 0);
    assert!(printed.contains("| `do'cs \\|x` |"), "{printed}");
    let mut is_diff = false;
    for line in printed.lines() {
        match line {
            "```diff" => is_diff = true,
            "```" => is_diff = false,
            line if is_diff => assert!(line.starts_with(['-', '+']), "{line}"),
            line => assert!(!line.contains("@team") && !line.contains("details"), "{line}"),
        }
    }
    assert!(printed.contains("+ ```\n") && !is_diff, "{printed}");
    assert!(!printed.contains(['\u{1b}', '\u{202e}']), "{printed}");
}

#[test]
fn a_review_writes_nothing_and_needs_no_scenario_in_the_base() {
    let team = Team::new();
    fs::remove_dir_all(team.path().join(".aside/scenarios")).unwrap();
    team.commit();
    team.write(".aside/scenarios/first/scenario.yaml", SCENARIO);
    team.write("CLAUDE.md", "# Team\n\nUse spaces.\n@docs/style.md\n");
    let state = || {
        let mut git = std::process::Command::new("git");
        let git = git.args(["status", "--porcelain", "-uall"]).current_dir(team.path());
        let index = fs::read(team.path().join(".git/index")).unwrap();
        (git.output().unwrap().stdout, index)
    };
    let before = state();
    assert!(team.review(&[], 0).contains("- Use tabs.\n+ Use spaces.\n"));
    assert_eq!(state(), before);
    // A hook has git variables that point to the hook's repository.
    let git = team.path().join(".git");
    let mut hook = std::process::Command::new(env!("CARGO_BIN_EXE_aside"));
    hook.args(["verify", "--review", "HEAD"]).current_dir(team.path());
    hook.env("GIT_DIR", &git).env("GIT_INDEX_FILE", git.join("index"));
    let output = hook.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(state(), before);
}

#[test]
fn a_scenario_of_a_new_directory_is_new() {
    let team = committed();
    team.write("packages/api/CLAUDE.md", "Use spaces.\n");
    let scenario = "repository: ../../..\ncwd: packages/api\nturns: [[{user: Explain}]]\n";
    team.write(".aside/scenarios/api/scenario.yaml", scenario);
    let printed = team.review(&[], 0);
    assert!(printed.contains("\n#### `api/request-1`: new\n"), "{printed}");
    assert!(!printed.contains("Not comparable"), "{printed}");
    // A path is named as it is written.
    let absolute = fs::canonicalize(team.path()).unwrap().join("packages/api");
    let cwd = format!("{:?}", absolute.display().to_string());
    let scenario = scenario.replace("packages/api", &cwd);
    team.write(".aside/scenarios/api/scenario.yaml", &scenario);
    team.check(&[], 1, &[&format!("cwd: expected a relative path, found {cwd}")]);
}

/// Not as a missing revision: the repository is refused before.
#[cfg(unix)]
#[test]
fn a_repository_that_git_refuses_is_reported_as_such() {
    use std::os::unix::fs::PermissionsExt;

    let (team, programs) = (committed(), tempfile::tempdir().unwrap());
    let path = std::env::var("PATH").unwrap();
    let script =
        format!("#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 PATH='{path}' exec git \"$@\"\n");
    let git = programs.path().join("git");
    fs::write(&git, script).unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_aside"));
    command.args(["verify", "--review", "HEAD"]).current_dir(team.path());
    let output = command.env("PATH", programs.path()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("detected dubious ownership"), "{error}");
    assert!(!error.contains("found no commit"), "{error}");
}

#[test]
fn a_large_review_fits_into_a_comment() {
    let team = committed();
    let lines = |word: &str| -> String {
        let line = |at: usize| format!("{at}\n{at} {} {word}\n", "x".repeat(200));
        (0..180).map(line).collect()
    };
    team.write("CLAUDE.md", &lines("a"));
    team.commit();
    team.write("CLAUDE.md", &lines("b"));
    let printed = team.review(&[], 0);
    assert!(printed.len() > 50_000 && printed.len() < 65_536, "{}", printed.len());
    assert!(printed.contains(" more: run `aside verify --review BASE`"), "{printed}");
}

/// In the base, a link is where the scenarios' folder should be.
#[cfg(unix)]
#[test]
fn a_link_in_the_base_leads_nowhere() {
    let (team, outside) = (Team::new(), tempfile::tempdir().unwrap());
    fs::remove_dir_all(team.path().join(".aside")).unwrap();
    std::os::unix::fs::symlink(outside.path(), team.path().join(".aside")).unwrap();
    team.commit();
    fs::remove_file(team.path().join(".aside")).unwrap();
    team.write(".aside/scenarios/first/scenario.yaml", SCENARIO);
    let printed = team.review(&[], 0);
    assert!(printed.contains("a link leads out of the revision"), "{printed}");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn line_ends_of_a_checkout_are_a_warning() {
    for scenario in
        [SCENARIO.to_owned(), SCENARIO.replace("turns:", "pin: [instruction_files]\nturns:")]
    {
        let team = Team::new();
        for name in ["first", "second"] {
            team.write(&format!(".aside/scenarios/{name}/scenario.yaml"), &scenario);
        }
        team.check(&["--bless"], 0, &[]);
        let walk = |folder: &str| -> Vec<PathBuf> {
            let entries = fs::read_dir(team.path().join(SCENARIOS).join(folder));
            let paths = entries.into_iter().flatten().map(|it| it.unwrap().path());
            paths.filter(|it| it.extension().is_some_and(|it| it == "txt")).collect()
        };
        for path in ["first", "texts"].into_iter().flat_map(walk) {
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text.replace('\n', "\r\n")).unwrap();
        }
        let output = team.run(&[], None);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{error}");
        let expected =
            "first: .aside/scenarios/first/request-1.txt has line ends of Windows (CRLF)";
        assert_eq!(error.matches("CRLF").count(), 1, "{error}");
        assert!(error.contains(expected), "{error}");
        // A changed text is still one.
        team.write("CLAUDE.md", "# Team\n\nUse spaces.\n@docs/style.md\n");
        team.check(&[], 1, &["- | Use tabs.\n  + | Use spaces.\n"]);
    }
}

#[test]
fn a_renamed_file_is_no_longer_loaded() {
    for pins in ["", "pin: [instruction_files]\n"] {
        let team = Team::new();
        let scenario = SCENARIO.replace("turns:", &format!("{pins}turns:"));
        team.write(".aside/scenarios/first/scenario.yaml", &scenario);
        team.bless();
        let path = |name: &str| team.path().join(name);
        fs::rename(path("docs/style.md"), path("docs/Style.md")).unwrap();
        let expected =
            "docs/style.md is no longer loaded: it is named Style.md now, and letter case counts";
        team.check(&[], 1, &[expected]);
        fs::rename(path("docs/Style.md"), path("docs/style.md")).unwrap();
        team.check(&[], 0, &["0 failed"]);
    }
}

#[test]
fn wrong_paths_of_a_scenario_are_errors_with_an_example() {
    let check = |keys: &str, events: &str, expected: &str| {
        let team = Team::new();
        team.write("packages/web/x.ts", "let x;\n");
        let text = format!("{keys}turns:\n  - - {events}user: x\n");
        team.write(".aside/scenarios/first/scenario.yaml", &text);
        match expected {
            "" => team.check(&["--bless"], 0, &[]),
            expected => team.check(&[], 1, &[expected]),
        }
    };
    let root = "repository: ../../..\n";
    check(&format!("{root}cwd: packages/web\n"), "read: x.ts\n    - ", "");
    check(&format!("{root}cwd: project/packages/web\n"), "", "");
    let wrong = "cwd: \"packages/wbe\" is not in the repository: expected a directory relative to `repository`, such as `cwd: packages/web`";
    check(&format!("{root}cwd: packages/wbe\n"), "", wrong);
    check("repository: ../..x\n", "", "such as `repository: ../../..`");
    // A link out of the repository would make another place the project.
    #[cfg(unix)]
    {
        let elsewhere = tempfile::tempdir().unwrap();
        let team = Team::new();
        std::os::unix::fs::symlink(elsewhere.path(), team.path().join("out")).unwrap();
        let text = format!("{root}cwd: out\nturns:\n  - - user: x\n");
        team.write(".aside/scenarios/first/scenario.yaml", &text);
        team.check(&[], 1, &["cwd: \"out\" is not in the repository"]);
    }
    let read = "read: expected a text file relative to `cwd`, such as `read: src/main.rs`, found \"web/x.ts\"";
    check(&format!("{root}cwd: packages/web\n"), "read: web/x.ts\n    - ", read);
    let agent = "expected one of claude, claude:2.1.276, ";
    check(&format!("{root}instructions: codx\n"), "", agent);
}
