//! `aside skills`: a directory's Agent Skills, and `aside skills check`: faults
//! in their files.
//!
//! `aside-claudemd` finds and reads the files. `skills` prints the skills that
//! a session would announce and exits with 0; its diagnostics go to stderr. For an
//! error or a warning, `skills check PATH` fails with exit code 1.

use aside_claudemd::skills::{self, SkillFile};
use aside_claudemd::{Diagnostic, Severity};
use aside_host::project_dir;
use aside_text::one_line;
use serde::Serialize;

use crate::Failure;
use crate::arguments::{CheckSkills, Skills, SkillsCommand};
use crate::common_args;
use crate::count::fail_on;
use crate::output;

/// The object that `--json` prints, for both commands.
#[derive(Serialize)]
struct Document<'a> {
    /// Valid skills; always empty for `skills check`.
    skills: &'a [SkillFile],
    diagnostics: &'a [Diagnostic],
}

/// Prints a session's skills: name, description and path, one per line.
pub(crate) fn run(arguments: &Skills) -> Result<(), Failure> {
    if let Some(SkillsCommand::Check(arguments)) = &arguments.command {
        return check(arguments);
    }
    let invocation = common_args::check(&arguments.common)?;
    let (config, mut diagnostics) = common_args::without_reminders(&invocation);
    let found = config.memory.skills(&config.cwd);
    diagnostics.extend(found.diagnostics);
    if arguments.json {
        let document = Document { skills: &found.skills, diagnostics: &diagnostics };
        return Ok(output::json(&document)?);
    }
    output::report_all(diagnostics);
    let line = |skill: &SkillFile| {
        let path = skill.path.to_string_lossy();
        let description = one_line(&skill.description);
        let user = if skill.disable_model_invocation { "  (only for the user)" } else { "" };
        let waits = match &skill.paths[..] {
            [] => String::new(),
            paths => format!("  (waits for a path: {})", one_line(&paths.join(" "))),
        };
        format!("{}  {description}  {}{user}{waits}\n", skill.name, one_line(&path))
    };
    let text: String = if found.skills.is_empty() {
        "no skills in .claude/skills, .agents/skills and .aside/skills\n".to_owned()
    } else {
        found.skills.iter().map(line).collect()
    };
    Ok(output::lines(&text)?)
}

/// Reports faults in the skills at a path: a skill, or a directory of skills.
/// Notes fail nothing.
fn check(arguments: &CheckSkills) -> Result<(), Failure> {
    let path =
        std::path::absolute(&arguments.path).map_err(|error| Failure::usage(error.into()))?;
    // A link in place of the path itself may lead elsewhere.
    let project = project_dir(path.parent().unwrap_or(&path));
    let found = skills::check(&path, &project);
    if arguments.json {
        output::json(&Document { skills: &[], diagnostics: &found })?;
    } else {
        output::report_all(found.iter().cloned());
    }
    let faults = found.iter().filter(|it| it.severity > Severity::Note).count();
    if faults == 0 && !arguments.json {
        output::text("no faults\n")?;
    }
    fail_on(faults as u64, "fault", "faults")
}
