//! `aside init`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

#[cfg(unix)]
use crate::verify::limited;

/// Runs the command in a repository directory, with the repository as the home.
pub(super) fn aside(root: &Path, directory: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    command.args(arguments).current_dir(root.join(directory));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let command = command.env_clear().env("HOME", root).env("PATH", path);
    command.output().unwrap()
}

#[test]
fn init_writes_missing_files() {
    let team = tempfile::tempdir().unwrap();
    let root = team.path().canonicalize().unwrap();
    for directory in [".git", ".github", "src"] {
        fs::create_dir(root.join(directory)).unwrap();
    }
    fs::write(root.join("CLAUDE.md"), "Use tabs.\n").unwrap();
    let run = |directory: &str, arguments: &[&str]| {
        let output = aside(&root, directory, arguments);
        assert!(output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let printed = run("src", &["init"]);
    assert_eq!(
        printed,
        format!(
            "{}\n  found  git repository\n  found  instruction files of claude:2.1.277\n  \
             found  CI: GitHub Actions\n  \
             wrote  .aside/scenarios/root/scenario.yaml\n  \
             wrote  .aside/scenarios/.gitattributes\n  \
             wrote  .github/workflows/aside-verify.yml\n  pins   CLAUDE.md\n  \
             next   aside verify --bless\n  next   aside verify\n  \
             next   git submodule add URL vendor/aside   (URL: the sources of aside)\n",
            root.display()
        )
    );
    let again: serde_json::Value = serde_json::from_str(&run("", &["init", "--json"])).unwrap();
    assert_eq!(again["written"], serde_json::json!([]));
    assert_eq!(again["kept"].as_array().unwrap().len(), 3);
    // Aside's own agent has a scenario of its own.
    fs::create_dir_all(root.join(".aside/reminders")).unwrap();
    let own = "---\nschedule:\n  kind: condition\n  condition: after_tool:Read\n---\nMine.\n";
    fs::write(root.join(".aside/reminders/run-tests.md"), own).unwrap();
    let again: serde_json::Value = serde_json::from_str(&run("", &["init", "--json"])).unwrap();
    assert_eq!(again["written"], serde_json::json!([".aside/scenarios/claude-root/scenario.yaml"]));
    assert_eq!(again["kept"].as_array().unwrap().len(), 3);
    let kept = fs::read_to_string(root.join(".aside/reminders/run-tests.md")).unwrap();
    assert_eq!(kept, own);
    let omitted = again["not_pinned"].to_string();
    assert!(omitted.contains("reminder run-tests: no scenario makes it fire"), "{omitted}");
    fs::remove_file(root.join(".aside/reminders/run-tests.md")).unwrap();
    run("", &["verify", "--bless"]);
    assert!(run("", &["verify"]).ends_with("2 scenarios, 0 failed\n"));
    let workflow = include_str!("../../../../../docs/aside-verify.yml");
    let written = fs::read_to_string(root.join(".github/workflows/aside-verify.yml")).unwrap();
    assert_eq!(written, workflow);
}

#[test]
fn a_hidden_directory_has_a_scenario_and_that_of_an_agent_has_none() {
    let team = tempfile::tempdir().unwrap();
    for (directory, name) in [
        (".hidden", "CLAUDE.md"),
        (".claude/rules", "a.md"),
        (".aside/scenarios/root/tree", "CLAUDE.md"),
    ] {
        fs::create_dir_all(team.path().join(directory)).unwrap();
        fs::write(team.path().join(directory).join(name), "Use tabs.\n").unwrap();
    }
    let scenarios = written(team.path(), &[]);
    assert_eq!(scenarios, ["root", "hidden"]);
}

/// Runs `init` with `arguments` and returns which scenarios it wrote.
fn written(root: &Path, arguments: &[&str]) -> Vec<String> {
    let output = aside(root, "", &[&["init", "--json"], arguments].concat());
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let files = printed["written"].as_array().unwrap();
    let names = files.iter().filter_map(|it| {
        let name = it.as_str()?.strip_prefix(".aside/scenarios/")?;
        name.strip_suffix("/scenario.yaml").map(str::to_owned)
    });
    names.collect()
}

/// Scenarios with Aside's own rules for `AGENTS.md` stay, and the files with
/// another rule in Claude Code are named.
#[test]
fn other_rules_than_those_of_claude_code_are_reported() {
    let team = tempfile::tempdir().unwrap();
    for directory in [".git", "api"] {
        fs::create_dir(team.path().join(directory)).unwrap();
    }
    fs::write(team.path().join("CLAUDE.md"), "Use tabs.\n").unwrap();
    fs::write(team.path().join("api/AGENTS.md"), "Short lines.\n").unwrap();
    assert_eq!(written(team.path(), &["--agent", "claude"]), ["root", "api"]);
    let output = aside(team.path(), "", &["init", "--json"]);
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["written"], serde_json::json!([]));
    let line = "api/AGENTS.md loads in other sessions by Aside's own rules (claude) than in Claude \
                Code (claude:2.1.277)";
    assert!(printed["found"].as_array().unwrap().iter().any(|it| it == line), "{printed}");
    assert_eq!(written(team.path(), &["--agent", "claude:2.1.277"]), ["claude-root"]);
}

/// A sample reminder is for teams whose agent reads it.
#[test]
fn a_sample_reminder_is_for_our_agent() {
    for (file, is_written) in
        [("AGENTS.md", false), ("GEMINI.md", false), (".rules", false), ("CLAUDE.md", true)]
    {
        let team = tempfile::tempdir().unwrap();
        for directory in [".git", ".aside/reminders"] {
            fs::create_dir_all(team.path().join(directory)).unwrap();
        }
        fs::write(team.path().join(file), "Use tabs.\n").unwrap();
        let printed = aside(team.path(), "", &["init"]).stdout;
        let printed = String::from_utf8(printed).unwrap();
        let sample = ".aside/reminders/run-tests.md";
        assert_eq!(printed.contains(&format!("wrote  {sample}\n")), is_written, "{printed}");
        let omits = "omits  .aside/reminders: only aside's own agent reads them\n";
        assert_eq!(printed.contains(omits), !is_written, "{printed}");
        assert!(printed.contains(&format!("pins   {file}\n")), "{printed}");
    }
}

/// Another checkout lacks them, so they do not keep an `AGENTS.md` from being
/// read.
#[test]
fn files_of_this_machine_do_not_count() {
    let machine = tempfile::tempdir().unwrap();
    let root = machine.path().join("app");
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::write(machine.path().join("CLAUDE.md"), "Mine.\n").unwrap();
    fs::write(root.join("CLAUDE.local.md"), "Mine, too.\n").unwrap();
    fs::write(root.join("AGENTS.md"), "Use tabs.\n").unwrap();
    assert_eq!(written(&root, &["--agent", "claude:2.1.277"]), ["root"]);
    aside(&root, "", &["verify", "--bless"]);
    let page = fs::read_to_string(root.join(".aside/scenarios/root/request-1.txt")).unwrap();
    assert_eq!(page, "AGENTS.md                   | Use tabs.\n");
}

/// Agents without files are treated alike, and no file is reported as found.
#[test]
fn agents_without_files_have_empty_scenarios() {
    let team = tempfile::tempdir().unwrap();
    fs::create_dir(team.path().join(".git")).unwrap();
    let init = ["init", "--agent", "codex", "--agent", "gemini"];
    let output = aside(team.path(), "", &init);
    let printed = String::from_utf8(output.stdout).unwrap();
    for line in [
        "  found  no instruction file of an agent\n",
        "  wrote  .aside/scenarios/codex-root/scenario.yaml\n",
        "  wrote  .aside/scenarios/gemini-root/scenario.yaml\n",
        "  omits  codex: no instruction file of this agent loads, so its scenario has\n    none\n",
        "  omits  gemini: no instruction file of this agent loads, so its scenario has\n    none\n",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    assert_eq!(written(team.path(), &init[1..]), [""; 0]);
    // With files, only the agent that reads them has a scenario.
    fs::remove_dir_all(team.path().join(".aside")).unwrap();
    fs::write(team.path().join("GEMINI.md"), "Use tabs.\n").unwrap();
    let output = aside(team.path(), "", &init);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("  found  instruction files of gemini\n"), "{printed}");
    assert!(printed.contains("  omits  codex: no instruction file of this agent loads, so no"));
    assert!(!printed.contains("codex-root"), "{printed}");
}

/// A link to a pinned file has no text that could be left out, or read by
/// another agent alone.
#[cfg(unix)]
#[test]
fn links_to_pinned_files_are_pinned() {
    use std::os::unix::fs::symlink;

    let team = tempfile::tempdir().unwrap();
    for directory in [".git", "web"] {
        fs::create_dir(team.path().join(directory)).unwrap();
    }
    fs::write(team.path().join("AGENTS.md"), "Use tabs.\n").unwrap();
    symlink("AGENTS.md", team.path().join("CLAUDE.md")).unwrap();
    symlink("../AGENTS.md", team.path().join("web/AGENTS.md")).unwrap();
    symlink("AGENTS.md", team.path().join("web/CLAUDE.md")).unwrap();
    let output = aside(team.path(), "", &["init", "--json"]);
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["pinned"], serde_json::json!(["CLAUDE.md"]));
    assert_eq!(printed["not_pinned"], serde_json::json!([]));
    assert!(!printed["found"].to_string().contains("agents-md"), "{printed}");
}

/// A scenario of one agent does not stand for another one's.
#[test]
fn agents_that_come_later_have_scenarios_of_their_own() {
    let team = tempfile::tempdir().unwrap();
    fs::create_dir(team.path().join(".git")).unwrap();
    fs::create_dir_all(team.path().join("web/.cursor/rules")).unwrap();
    fs::write(team.path().join("CLAUDE.md"), "Use tabs.\n").unwrap();
    let rule = "---\nalwaysApply: true\n---\nUse spaces.\n";
    fs::write(team.path().join("web/.cursor/rules/style.mdc"), rule).unwrap();
    assert_eq!(written(team.path(), &["--agent", "claude"]), ["root"]);
    assert_eq!(written(team.path(), &["--agent", "cursor"]), ["web"]);
    assert_eq!(written(team.path(), &[]), [""; 0]);
    fs::write(team.path().join("AGENTS.md"), "Use tabs.\n").unwrap();
    assert_eq!(written(team.path(), &["--agent", "codex"]), ["codex-root"]);
    aside(team.path(), "", &["verify", "--bless"]);
    let output = aside(team.path(), "", &["verify"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.ends_with("3 scenarios, 0 failed\n"), "{printed}");
}

/// Directories whose names differ in more than letters and digits are told
/// apart, whichever came first.
#[test]
fn directories_with_the_same_name_have_scenarios_of_their_own() {
    let team = tempfile::tempdir().unwrap();
    fs::create_dir(team.path().join(".git")).unwrap();
    let package = |directory: &str| {
        fs::create_dir_all(team.path().join(directory)).unwrap();
        fs::write(team.path().join(directory).join("CLAUDE.md"), directory).unwrap();
        written(team.path(), &[])
    };
    assert_eq!(package("packages/web-app"), ["packages-web-app"]);
    assert_eq!(package("packages/web/app"), ["packages-web-app-2"]);
    assert_eq!(package("pkg/日本"), ["pkg---"]);
    assert_eq!(package("pkg/中国"), ["pkg----2"]);
    assert_eq!(written(team.path(), &[]), [""; 0]);
    aside(team.path(), "", &["verify", "--bless"]);
    let output = aside(team.path(), "", &["verify"]);
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn agents_with_a_directory_of_rules_have_scenarios_at_its_root() {
    let team = tempfile::tempdir().unwrap();
    for directory in [".git", ".roo/rules", ".clinerules"] {
        fs::create_dir_all(team.path().join(directory)).unwrap();
    }
    fs::write(team.path().join(".roo/rules/a.md"), "Use tabs.\n").unwrap();
    fs::write(team.path().join(".clinerules/01.md"), "Use spaces.\n").unwrap();
    let agents = ["--agent", "cline", "--agent", "roo"];
    assert_eq!(written(team.path(), &agents), ["cline-root", "roo-root"]);
    aside(team.path(), "", &["verify", "--bless"]);
    fs::write(team.path().join(".roo/rules/a.md"), "Use both.\n").unwrap();
    assert_eq!(aside(team.path(), "", &["verify"]).status.code(), Some(1));
}

/// A new scenario passes, whatever its files lead to, and a fault that comes
/// later does not.
#[test]
fn new_scenarios_expect_what_they_report() {
    let team = tempfile::tempdir().unwrap();
    for directory in [".git", ".claude"] {
        fs::create_dir(team.path().join(directory)).unwrap();
    }
    fs::write(team.path().join("CLAUDE.md"), "Use tabs. @gone.md\n").unwrap();
    let settings = r#"{"env": {"A": "b"}}"#;
    fs::write(team.path().join(".claude/settings.json"), settings).unwrap();
    let output = aside(team.path(), "", &["init"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.matches("found  reported: warning: ").count(), 2);
    let verify = |arguments: &[&str], end: &str| {
        let output = aside(team.path(), "", &[&["verify"], arguments].concat());
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.ends_with(end), "{printed}");
        printed
    };
    verify(&["--bless"], "1 scenario, 0 failed\n");
    fs::write(team.path().join(".claude/settings.json"), "{").unwrap();
    let printed = verify(&[], "1 scenario, 1 failed\n");
    assert!(printed.contains("add it to `diagnostics`"), "{printed}");
    // The expected files alone are not forgotten.
    let folder = team.path().join(".aside/scenarios/root");
    fs::rename(folder.join("scenario.yaml"), folder.join("scenario.yml")).unwrap();
    let printed = verify(&[], "1 scenario, 1 failed\n");
    assert!(printed.contains("root/scenario.yaml"), "{printed}");
}

/// An empty scenario would be kept by the next call.
#[cfg(unix)]
#[test]
fn init_leaves_no_half_file_when_a_write_fails() {
    let team = tempfile::tempdir().unwrap();
    fs::create_dir(team.path().join(".git")).unwrap();
    fs::write(team.path().join("CLAUDE.md"), "Use tabs.\n").unwrap();
    let scenario = team.path().join(".aside/scenarios/root");
    let output = limited(team.path(), 0, "init");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains(".aside/scenarios/root/scenario.yaml: "), "{error}");
    assert_eq!(fs::read_dir(&scenario).unwrap().count(), 0);
    assert_eq!(written(team.path(), &[]), ["root"]);
    // The scenario is whole if it does not yet have what it reports.
    let imports: String = (0..40).map(|it| format!("@gone/{it}.md\n")).collect();
    fs::write(team.path().join("CLAUDE.md"), imports).unwrap();
    fs::remove_dir_all(&scenario).unwrap();
    let whole = limited(team.path(), 1, "init");
    assert_eq!(whole.status.code(), Some(1), "{whole:?}");
    let text = fs::read_to_string(scenario.join("scenario.yaml")).unwrap();
    assert!(text.ends_with("\n") && !text.contains("diagnostics"), "{text}");
}

/// Another clone is in another directory, and so are the files next to it.
#[cfg(unix)]
#[test]
fn files_outside_have_the_same_names_in_every_clone() {
    let machine = tempfile::tempdir().unwrap();
    let (team, clone) = (machine.path().join("a/team"), machine.path().join("b/c/clone"));
    fs::create_dir_all(team.join(".git")).unwrap();
    fs::create_dir_all(team.join(".claude/rules")).unwrap();
    fs::write(team.join("CLAUDE.md"), "@../out.md\n@../../gone.md\n@~/none.md\n").unwrap();
    std::os::unix::fs::symlink("../../../out.md", team.join(".claude/rules/l.md")).unwrap();
    fs::create_dir_all(clone.parent().unwrap()).unwrap();
    for outside in [&team, &clone] {
        fs::write(outside.parent().unwrap().join("out.md"), "Use tabs.").unwrap();
    }
    assert!(aside(&team, "", &["init"]).status.success());
    assert!(aside(&team, "", &["verify", "--bless"]).status.success());
    let scenario = fs::read_to_string(team.join(".aside/scenarios/root/scenario.yaml")).unwrap();
    assert!(!scenario.contains(machine.path().to_str().unwrap()), "{scenario}");
    assert!(scenario.contains("not approved: /scenario/out.md"), "{scenario}");
    assert!(scenario.contains("import of /scenario/../gone.md"), "{scenario}");
    fs::rename(&team, &clone).unwrap();
    let output = aside(&clone, "", &["verify"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn an_import_of_a_missing_directory_plans_nothing() {
    let team = tempfile::tempdir().unwrap();
    fs::create_dir(team.path().join(".git")).unwrap();
    fs::write(team.path().join("CLAUDE.md"), "Use tabs. @docs/gone.md\n").unwrap();
    let output = aside(team.path(), ".", &["init"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("  wrote  .aside/scenarios/root/scenario.yaml\n"), "{printed}");
    assert!(printed.contains("  omits  docs/gone.md: import names no file\n"), "{printed}");
}

/// A link to another directory is where init would write.
#[cfg(unix)]
#[test]
fn init_writes_nothing_outside_of_the_repository() {
    for link in [
        ".aside",
        ".aside/scenarios",
        ".aside/scenarios/root",
        ".aside/reminders",
        ".github",
        ".github/workflows",
    ] {
        let (team, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(team.path().join(".git")).unwrap();
        let link = team.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(outside.path(), &link).unwrap();
        let output = aside(team.path(), "", &["init"]);
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{printed}");
        let expected = format!("is outside of the repository: {}", outside.path().display());
        assert!(printed.contains(&expected), "{printed}");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
    // A link that stays inside is followed.
    let team = tempfile::tempdir().unwrap();
    for directory in [".git", "agents"] {
        fs::create_dir(team.path().join(directory)).unwrap();
    }
    std::os::unix::fs::symlink("agents", team.path().join(".aside")).unwrap();
    let output = aside(team.path(), "", &["init"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(team.path().join("agents/reminders/run-tests.md").is_file());
}

/// A rule that no read makes load is not tested for its agent, whoever else
/// reads it.
#[test]
fn a_file_is_compared_for_each_agent_that_reads_it() {
    let team = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = team.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    fs::create_dir(team.path().join(".git")).unwrap();
    write("AGENTS.md", "Use tabs.\n");
    write("web/AGENTS.md", "Use spaces.\n");
    write(".clinerules/x.md", "Short lines.\n");
    write(".cursor/rules/py.mdc", "---\nglobs: \"**/*.py\"\n---\nUse types.\n");
    let init = |agents: &[&str]| {
        let named = agents.iter().flat_map(|it| ["--agent", it]);
        let arguments: Vec<_> = ["init", "--json"].into_iter().chain(named).collect();
        let output = aside(team.path(), "", &arguments);
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let omitted = |printed: &serde_json::Value| {
        let lines = printed["not_pinned"].as_array().unwrap().iter();
        let lines = lines.filter_map(|it| it.as_str()).filter(|it| it.contains("py.mdc"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let alone = omitted(&init(&["cursor"]));
    let [line] = &alone[..] else { panic!("{alone:?}") };
    let both = init(&["cursor", "cline"]);
    assert!(both["pinned"].to_string().contains("py.mdc"), "{both}");
    let expected = line.replacen(": ", ": not compared for cursor: ", 1);
    assert_eq!(omitted(&both), [expected]);
    let all = both["not_pinned"].to_string();
    assert!(!all.contains("AGENTS.md") && !all.contains("x.md"), "{all}");
}

#[test]
fn an_agent_that_is_named_twice_counts_once() {
    let team = tempfile::tempdir().unwrap();
    fs::create_dir(team.path().join(".git")).unwrap();
    fs::write(team.path().join("CLAUDE.md"), "Use tabs.\n").unwrap();
    let agents = ["codex", "codex", "claude", "codex"].map(|it| ["--agent", it]);
    let output = aside(team.path(), "", &[&["init", "--json"], agents.as_flattened()].concat());
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut lines: Vec<_> = printed["not_pinned"].as_array().unwrap().iter().collect();
    assert!(printed["not_pinned"].to_string().contains("codex: "), "{printed}");
    let all = lines.len();
    lines.dedup();
    assert_eq!(lines.len(), all, "{printed}");
    assert_eq!(printed["written"].to_string().matches("scenario.yaml").count(), 1, "{printed}");
}

#[test]
fn a_file_is_no_directory_to_write_scenarios_for() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("f"), "").unwrap();
    for (path, fault) in [("f", "not a directory"), ("nowhere", "no such file or directory")] {
        let output = aside(place.path(), "", &["init", path]);
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert!(
            printed.starts_with(&format!("aside: error: failed to use {path}: {fault}")),
            "{printed}"
        );
    }
    assert_eq!(aside(place.path(), "", &["init", "."]).status.code(), Some(0));
}

/// Settings that a scenario compares are not listed, and what is in a submodule
/// is one line.
#[test]
fn only_what_no_scenario_compares_is_omitted() {
    let team = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = team.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for repository in ["", "vendor/lib"] {
        let directory = team.path().join(repository);
        let git = Command::new("git").args(["init", "-q"]).arg(directory).status();
        assert!(git.unwrap().success());
    }
    for directory in ["", "pk/", "tool/"] {
        write(&format!("{directory}.claude/settings.json"), r#"{"language": "Dutch"}"#);
    }
    for directory in ["", "pk/", "vendor/lib/", "vendor/lib/web/"] {
        write(&format!("{directory}CLAUDE.md"), "Use tabs.\n");
    }
    let printed = aside(team.path(), "", &["init", "--json"]).stdout;
    let printed: serde_json::Value = serde_json::from_slice(&printed).unwrap();
    let omitted = [
        "vendor/lib: another repository with 2 instruction files: no scenario starts there",
        "tool/.claude/settings.json: no scenario starts in their directory",
    ];
    assert_eq!(printed["not_pinned"], serde_json::json!(omitted));
}
