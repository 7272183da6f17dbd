//! Instruction files that no scenario compares.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use aside_claudemd::{Profile, Unloaded, UnloadedReason};
use aside_text::one_line;

use super::plan::{self, PlannedScenario};

/// An instruction file that a scenario does not load.
pub(super) struct NotLoaded {
    agent: Option<Profile>,
    path: PathBuf,
    reason: String,
    /// Whether the agent does not read the file at all.
    is_other: bool,
    /// Whether another file is read in its place.
    is_shadowed: bool,
}

impl NotLoaded {
    fn new(agent: Option<Profile>, unloaded: Unloaded) -> Self {
        use UnloadedReason::{NotRead, OtherAgent, OtherStart, Shadowed};

        let Unloaded { path, reason, .. } = unloaded;
        Self {
            agent,
            path,
            is_other: matches!(reason, OtherAgent { .. } | NotRead { .. } | OtherStart { .. }),
            is_shadowed: matches!(reason, Shadowed { .. }),
            reason: reason.to_string(),
        }
    }

    /// For a rule that a kept scenario would load if it read a file.
    pub(super) fn without_read(scenario: &PlannedScenario, (rule, read): (&Path, &str)) -> Self {
        let name = &scenario.name;
        Self {
            agent: scenario.agent,
            path: rule.to_owned(),
            reason: format!("scenario {name} reads no file of its paths (add `- read: {read}`)"),
            is_other: false,
            is_shadowed: false,
        }
    }
}

/// Returns the instruction files that no scenario compares, and those that only
/// other agents' scenarios do, each with the reason. `ignored` files have
/// another one.
pub(super) fn omitted(
    root: &Path,
    planned: &[PlannedScenario],
    not_read: Vec<NotLoaded>,
    ignored: &BTreeSet<String>,
    pinned: &[(Profile, String)],
) -> Vec<String> {
    // A link to a pinned file has no text of its own.
    let resolved: HashSet<_> = pinned
        .iter()
        .filter_map(|(agent, file)| Some((*agent, fs::canonicalize(root.join(file)).ok()?)))
        .collect();
    let files = planned.iter().flat_map(|scenario| {
        let files = scenario.memory.unloaded().files.into_iter();
        files.map(|it| NotLoaded::new(scenario.agent, it))
    });
    let mut files: Vec<NotLoaded> = not_read.into_iter().chain(files).collect();
    // The agent that reads a file knows best why it is not loaded.
    files.sort_by_key(|it| it.is_other);
    let mut known: HashSet<_> = ignored.iter().map(|it| (None, it.clone())).collect();
    let mut omitted = Vec::new();
    let mut elsewhere: BTreeMap<String, usize> = BTreeMap::new();
    for NotLoaded { agent, path: full, reason, is_other, is_shadowed } in files {
        let (Ok(file), Some(path)) = (full.strip_prefix(root), plan::named(root, &full)) else {
            continue;
        };
        let target = fs::canonicalize(&full).ok();
        let readers = pinned.iter().filter(|it| it.1 == path).map(|it| it.0);
        let of_target = resolved.iter().filter(|it| Some(&it.1) == target.as_ref()).map(|it| it.0);
        let readers: HashSet<_> = readers.chain(of_target).collect();
        let is_text = !is_other && !is_shadowed;
        if readers.is_empty() {
            if known.insert((None, path.clone())) {
                match plan::other_repository(root, file) {
                    Some(other) => {
                        let other = one_line(&plan::slashed(other)).into_owned();
                        *elsewhere.entry(other).or_default() += 1;
                    }
                    None => omitted.push(format!("{path}: {reason}")),
                }
            }
        } else if is_text
            && !readers.contains(&agent.unwrap_or_default())
            && known.insert((agent, path.clone()))
        {
            let agent = agent.map_or("aside", Profile::as_str);
            omitted.push(format!("{path}: not compared for {agent}: {reason}"));
        }
    }
    omitted.extend(elsewhere.into_iter().map(|(other, files)| {
        let s = if files == 1 { "" } else { "s" };
        format!(
            "{other}: another repository with {files} instruction file{s}: no scenario starts there"
        )
    }));
    omitted
}
