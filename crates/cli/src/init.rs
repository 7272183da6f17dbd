//! `aside init`: writes a scenario for each agent and package, and a CI
//! workflow, into a repository.
//!
//! It finds agents by their files, and plays the scenarios to find out what
//! they compare and what they do not. Existing files stay, so you can repeat
//! the command; no other file is changed. The root is the directory with `.git`
//! at or above the given one, else the given one.
//!
//! ```text
//! /home/alex/app
//!   found  git repository
//!   found  instruction files of claude:2.1.277
//!   wrote  .aside/scenarios/root/scenario.yaml
//!   pins   CLAUDE.md
//!   omits  docs/claude.md: letter case of the name: expected CLAUDE.md
//!   next   aside verify --bless
//! ```
//!
//! Exit code 1: a file cannot be written. Exit code 2: there is no such
//! directory.

mod omitted;
pub(crate) mod plan;

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdin};
use std::path::Path;

use anyhow::{Context, anyhow};
use aside_claudemd::Profile;
use aside_host::repository_files;
use aside_reminder::ReminderLoader;
use aside_scenario::{Case, Checked, Fault, Reported};
use aside_text::one_line;
use serde::Serialize;

use crate::Failure;
use crate::arguments::Init;
use crate::init::omitted::{NotLoaded, omitted};
use crate::init::plan::PlannedScenario;
use crate::interrupt;
use crate::output;

const REMINDER: &str = include_str!("init/reminder.md");
/// The GitHub Actions workflow.
const GITHUB: &str = include_str!("init/aside-verify.yml");
/// GitLab jobs, for the user to include.
const GITLAB: &str = include_str!("init/gitlab.yml");
/// Keeps git from changing line ends in expected files, and from showing their
/// bytes in diffs.
const ATTRIBUTES: &str = "* -text\n*/request-*.json -diff linguist-generated\n";

/// Where to write scenarios, relative to the root.
const SCENARIOS: &str = ".aside/scenarios";
/// Where to write reminders, relative to the root.
const REMINDERS: &str = ".aside/reminders";

/// The object that `--json` prints.
#[derive(Serialize)]
struct Document {
    /// The repository root; bytes that are not UTF-8 are replaced.
    root: String,
    /// Sentences about the repository, its agents and its CI.
    found: Vec<String>,
    /// Which files were written, relative to the root.
    written: Vec<String>,
    /// Which files existed and were kept.
    kept: Vec<String>,
    /// Which instruction files' texts the scenarios compare, relative to the
    /// root.
    pinned: BTreeSet<String>,
    /// Texts that no scenario compares, each with the reason.
    not_pinned: Vec<String>,
    /// Which commands to run next.
    next: Vec<&'static str>,
}

/// Writes missing files, and prints what it found and did.
///
/// # Errors
/// Fails at the first file that cannot be written; earlier files stay.
pub(crate) fn run(arguments: &Init) -> Result<(), Failure> {
    let given = fs::canonicalize(&arguments.directory)
        .and_then(|it| if it.is_dir() { Ok(it) } else { Err(ErrorKind::NotADirectory.into()) });
    let given = given
        .with_context(|| format!("failed to use {}", arguments.directory.display()))
        .map_err(Failure::usage)?;
    let repository = plan::repository(&given);
    let root = repository.unwrap_or(&given);
    let mut directories = plan::directories(root)?;
    let more = directories.split_off(directories.len().min(plan::MAX_DIRECTORIES));
    let mut agents = agents(arguments, plan::agents(root, &directories)?)?;
    let mut named = HashSet::new();
    agents.retain(|it| named.insert(*it));
    // Only the agent by Aside's own rules reads reminders.
    let is_own = agents.contains(&Profile::Claude) && root.join(REMINDERS).is_dir();
    let is_ours = agents.is_empty() || is_own;
    let planned = plan::scenarios(root, &directories, &agents)?;
    let profiles = if agents.is_empty() { &[Profile::default()] } else { &agents[..] };
    let ignored = plan::files_at_start(root, &directories, profiles)?.ignored;
    let has_files =
        |agent: &Profile| planned.iter().any(|it| it.has_files && it.agent == Some(*agent));
    let (used, without_files): (Vec<Profile>, Vec<Profile>) =
        agents.iter().partition(|it| has_files(it));
    let mut document = Document {
        root: root.display().to_string(),
        found: vec![
            match repository {
                Some(_) => "git repository".to_owned(),
                None => "no git repository; the scenarios run in this directory".to_owned(),
            },
            if used.is_empty() {
                "no instruction file of an agent".to_owned()
            } else {
                format!("instruction files of {}", names(&used))
            },
        ],
        written: Vec::new(),
        kept: Vec::new(),
        pinned: BTreeSet::new(),
        not_pinned: more
            .iter()
            .map(|it| format!("{}: one directory too many for init", it.display()))
            .collect(),
        next: vec!["aside verify --bless", "aside verify"],
    };
    if used.contains(&Profile::Claude) {
        let (own, claude) = (Profile::Claude, Profile::Claude277);
        for file in plan::differing_files(root, &directories)? {
            document.found.push(format!(
                "{file} loads in other sessions by Aside's own rules ({own}) than in Claude Code \
                 ({claude})"
            ));
        }
    }
    let mut files: Vec<(String, String)> = Vec::new();
    for scenario in &planned {
        let path = scenario.path();
        files.push((path, scenario.text(pins(scenario.agent, is_ours))?));
    }
    let reminder = is_ours.then(|| (format!("{REMINDERS}/run-tests.md"), REMINDER));
    // A folder .github without workflows may have instructions only.
    let is_gitlab = root.join(".gitlab-ci.yml").exists();
    let github = if is_gitlab { ".github/workflows" } else { ".github" };
    let (ci, workflow) = if root.join(github).is_dir() {
        let path = ".github/workflows/aside-verify.yml".to_owned();
        ("CI: GitHub Actions", Some((path, GITHUB)))
    } else if is_gitlab {
        let path = ".gitlab/aside-verify.yml".to_owned();
        ("CI: GitLab; include .gitlab/aside-verify.yml in .gitlab-ci.yml", Some((path, GITLAB)))
    } else {
        ("no known CI; run `aside verify` in yours", None)
    };
    document.found.push(ci.to_owned());
    // With no release to install, the workflow builds from source.
    document.next.extend(workflow.as_ref().map(|_| VENDOR));
    let attributes = Some((format!("{SCENARIOS}/.gitattributes"), ATTRIBUTES));
    // Without a scenario there is nothing to run.
    if planned.is_empty() {
        document.next.clear();
    }
    let fixed = [attributes, reminder, workflow].into_iter().flatten();
    let fixed = fixed.filter(|_| !planned.is_empty());
    files.extend(fixed.map(|(path, text)| (path, text.to_owned())));
    for (path, text) in files {
        if write_new(root, Path::new(&path), &text)? {
            document.written.push(path);
        } else {
            document.kept.push(path);
        }
    }
    for agent in without_files {
        let has_scenario = planned.iter().any(|it| it.agent == Some(agent));
        let scenario = if has_scenario { "so its scenario has none" } else { "so no scenario" };
        let line = format!("{agent}: no instruction file of this agent loads, {scenario}");
        document.not_pinned.push(line);
    }
    for agent in agents.iter().filter(|it| !it.unknown().is_empty()) {
        let line = format!("{agent}: not known: {}", agent.unknown().join("; "));
        document.not_pinned.push(line);
    }
    fill_pins(root, &planned, &ignored, &mut document)?;
    if arguments.json {
        output::json(&document)?;
    } else {
        output::text(&lines(&document))?;
    }
    Ok(())
}

/// How to put Aside's source where the workflow expects it.
const VENDOR: &str = "git submodule add URL vendor/aside   (URL: the sources of aside)";

/// Returns which agents to write scenarios for: those in the arguments, or
/// those found. On a terminal, you choose when there are several.
fn agents(arguments: &Init, found: Vec<Profile>) -> Result<Vec<Profile>, Failure> {
    if !arguments.agents.is_empty() {
        return Ok(arguments.agents.clone());
    }
    let is_asked = stdin().is_terminal() && stderr().is_terminal() && !arguments.json;
    if found.len() < 2 || !is_asked {
        return Ok(found);
    }
    let question = format!("{} have files here. Which does your team use? [all]: ", names(&found));
    stderr().write_all(question.as_bytes()).context("failed to ask")?;
    let mut line = String::new();
    let read = stdin().read_line(&mut line);
    read.context("failed to read the answer")?;
    let chosen = line.split([',', ' ', '\n']).filter(|it| !it.is_empty() && *it != "all");
    let chosen: Result<Vec<Profile>, String> = chosen.map(str::parse).collect();
    let chosen = chosen.map_err(|error| Failure::usage(anyhow!(error)))?;
    Ok(if chosen.is_empty() { found } else { chosen })
}

fn names(agents: &[Profile]) -> String {
    let names: Vec<_> = agents.iter().map(|it| it.as_str()).collect();
    names.join(", ")
}

/// Returns which texts a scenario compares: those that its agent reads.
fn pins(agent: Option<Profile>, is_ours: bool) -> &'static str {
    match agent {
        None => "instruction_files, reminders, settings, skills, agents",
        Some(Profile::Claude) if is_ours => {
            "instruction_files, reminders, settings, skills, agents"
        }
        Some(Profile::Claude | Profile::Claude276 | Profile::Claude277) => {
            "instruction_files, settings, skills, agents"
        }
        Some(_) => "instruction_files",
    }
}

/// What the repository's scenarios send.
#[derive(Default)]
struct Sent {
    /// Instruction files, each with the agent whose scenario has it.
    files: Vec<(Profile, String)>,
    /// The ids of reminders.
    reminders: BTreeSet<String>,
    /// The files that describe skills and agents.
    described: BTreeSet<String>,
}

impl Sent {
    fn add(&mut self, played: &Checked) {
        let agent = played.case().scenario.instructions.unwrap_or_default();
        let files = played.instruction_files().into_iter();
        self.files.extend(files.map(|it| (agent, it.to_owned())));
        self.reminders.extend(played.reminders().into_iter().map(str::to_owned));
        self.described.extend(played.described_files().map(str::to_owned));
    }
}

/// Plays the scenarios, also those that you wrote, and notes which texts they compare and
/// which they do not. A new scenario expects what it reports. `ignored` are files that another
/// checkout lacks.
fn fill_pins(
    root: &Path,
    planned: &[PlannedScenario],
    ignored: &BTreeSet<String>,
    document: &mut Document,
) -> Result<(), Failure> {
    let mut sent = Sent::default();
    let mut not_read = Vec::new();
    let directory = root.join(SCENARIOS);
    let play = |name: &str| {
        let case = Case::read(&directory, name);
        interrupt::block_on(async { aside_scenario::check(&case?).await })
    };
    for scenario in planned {
        let path = scenario.path();
        match play(&scenario.name)? {
            Ok(played) => {
                if document.kept.contains(&path) {
                    let files = played.instruction_files();
                    let rules = scenario.rules_without(root, &files);
                    not_read.extend(rules.map(|it| NotLoaded::without_read(scenario, it)));
                }
                sent.add(&played);
                let reports = played.failures.iter().filter_map(|it| match &it.fault {
                    Fault::Diagnostic(message) => Some(message),
                    _ => None,
                });
                let reports: Vec<_> = reports.collect();
                if !reports.is_empty() && document.written.contains(&path) {
                    expect(&root.join(&path), &reports)?;
                    for line in reports.iter().map(|it| format!("reported: {it}")) {
                        // Other scenarios may report it, too.
                        if !document.found.contains(&line) {
                            document.found.push(line);
                        }
                    }
                }
            }
            Err(error) => {
                let name = &scenario.name;
                document.not_pinned.push(format!("scenario {name}: {error:#}"));
            }
        }
    }
    let mut others = aside_scenario::names(&directory).unwrap_or_default();
    others.retain(|name| planned.iter().all(|it| it.name != *name));
    for name in others {
        // `aside verify` reports one that cannot be played.
        if let Ok(played) = play(&name)?
            && plan::is_scenario_of(root, played.case())
        {
            sent.add(&played);
        }
    }
    document.not_pinned.extend(omitted(root, planned, not_read, ignored, &sent.files));
    document.pinned.extend(sent.files.into_iter().map(|(_, file)| file));
    for file in ignored {
        if document.pinned.contains(file) {
            document.found.push(format!(
                "{file}: git ignores it, so scenarios that load it fail in another checkout"
            ));
        } else {
            let line = format!("{file}: git ignores it, another checkout lacks it");
            document.not_pinned.push(line);
        }
    }
    let reads = |it: &&PlannedScenario, kind: &str| pins(it.agent, true).contains(kind);
    let reason = |kind: &str, is_compared: &dyn Fn(&PlannedScenario) -> bool, compared| {
        let mut readers = planned.iter().filter(|it| reads(it, kind)).peekable();
        if readers.peek().is_none() {
            "no agent of these scenarios reads them"
        } else if readers.any(is_compared) {
            compared
        } else {
            "no scenario starts in their directory"
        }
    };
    let definitions = |kind: &str, path: &Path| {
        let owner = path.ancestors().nth(2).unwrap_or(path);
        let is_described = sent.described.iter().any(|it| Path::new(it).starts_with(path));
        let is_compared = |it: &PlannedScenario| is_described || it.directory.starts_with(owner);
        reason(kind, &is_compared, "only names and descriptions are compared")
    };
    let listed = repository_files(root).unwrap_or_default();
    let mut omit = |name: &str, reason: &dyn Fn(&Path) -> &'static str| {
        for owner in plan::owners(root, &listed, name) {
            let path = owner.join(name);
            let (path, reason) = (plan::slashed(&path), reason(&path));
            if !reason.is_empty() {
                document.not_pinned.push(format!("{}: {reason}", one_line(&path)));
            }
        }
    };
    omit(".claude/skills", &|it| definitions("skills", it));
    omit(".claude/agents", &|it| definitions("agents", it));
    omit(".claude/commands", &|_| "no scenario compares them");
    omit(".claude/settings.json", &|it| {
        // A session reads those of the directory that it starts in.
        let is_compared =
            |scenario: &PlannedScenario| scenario.directory.join(".claude/settings.json") == it;
        reason("settings", &is_compared, "")
    });
    omit(".mcp.json", &|_| "no scenario compares the tools of its servers");
    if !planned.iter().any(|it| reads(&it, "reminders")) {
        if root.join(REMINDERS).exists() {
            let line = format!("{REMINDERS}: only aside's own agent reads them");
            document.not_pinned.push(line);
        }
        return Ok(());
    }
    let files = ReminderLoader { project: Some(root.to_owned()), ..ReminderLoader::default() };
    for reminder in files.load().reminders {
        let name = format!("reminder {}", one_line(&reminder.id));
        if sent.reminders.contains(&*reminder.id) {
            document.pinned.insert(name);
        } else {
            document.not_pinned.push(format!("{name}: no scenario makes it fire"));
        }
    }
    Ok(())
}

/// Adds the diagnostics that a scenario reports to those that it expects.
fn expect(scenario: &Path, reports: &[&Reported]) -> anyhow::Result<()> {
    let read = fs::read_to_string(scenario);
    let mut text = read.with_context(|| format!("failed to read {}", scenario.display()))?;
    text.push_str(
        "# What these files lead to. Without a line here, a report is a failure.\ndiagnostics:\n",
    );
    let lines: BTreeSet<String> = reports.iter().map(|it| it.without_position()).collect();
    for line in lines {
        text.push_str(&format!("  - {}\n", serde_json::to_string(&line)?));
    }
    aside_scenario::replace_file(scenario, text.as_bytes())
}

/// Writes a file below the root, unless something has its name; returns true
/// when it was written.
///
/// To keep links in the repository from leading outside, this first resolves
/// the nearest existing directory, which has to be below the root.
fn write_new(root: &Path, path: &Path, text: &str) -> anyhow::Result<bool> {
    let path = &root.join(path);
    let failed = || format!("failed to write {}", path.display());
    let exists = |it: &&Path| it.symlink_metadata().is_ok();
    let parent = path.ancestors().skip(1).find(exists).unwrap_or(root);
    let resolved = parent.canonicalize().with_context(failed)?;
    if !resolved.starts_with(root) {
        let (from, to) = (parent.display(), resolved.display());
        return Err(anyhow!("{from} is outside of the repository: {to}")).with_context(failed);
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(failed)?;
    }
    aside_scenario::create_file(path, text.as_bytes())
}

/// Returns the text output.
fn lines(document: &Document) -> String {
    let mut out = format!("{}\n", one_line(&document.root));
    let all = |list: &[String]| list.to_vec();
    let lists: [(&str, Vec<String>); 6] = [
        ("found", all(&document.found)),
        ("wrote", all(&document.written)),
        ("kept ", all(&document.kept)),
        ("pins ", document.pinned.iter().cloned().collect()),
        ("omits", all(&document.not_pinned)),
        ("next ", document.next.iter().map(|it| (*it).to_owned()).collect()),
    ];
    for (name, list) in lists {
        for line in list {
            out.push_str(&format!("  {name}  {}\n", one_line(&line)));
        }
    }
    out
}
