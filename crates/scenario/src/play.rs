//! Playing a scenario: open a session, apply each turn's events, prepare and
//! commit each turn's request.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use aside_claudemd::Memory;
use aside_diagnostic::{Diagnostic, Severity};
use aside_messages::one_line;
use aside_session::Prepared;

use crate::authored::Authored;
use crate::case::Case;
use crate::format::ScenarioEvent;
use crate::instruction_file::{InstructionFile, in_project};
use crate::pin::is_code_left_out;
use crate::reported::Reported;
use crate::sourced::{Authors, SourcedBody};
use crate::stage::Stage;
use crate::wire::{Made, converter};
use crate::world::World;

/// The requests that a scenario made.
pub struct Played {
    world: Arc<World>,
    requests: Vec<Made>,
    /// For each request, who wrote the entries so far.
    authors: Vec<Authors>,
    /// For each request, the skills and agents that it may list.
    pub(crate) described: Vec<Vec<DescribedFile>>,
    authored: Authored,
    pub(crate) files: Vec<InstructionFile>,
    /// The instruction files that the session found and left out when it began.
    pub(crate) skipped: BTreeSet<String>,
    /// What the session reported.
    pub(crate) diagnostics: Vec<Reported>,
    /// The diagnostics' codes; for notes, only those that the scenario expects.
    pub codes: BTreeSet<String>,
    /// Why the last turn made no request.
    pub refused: Option<String>,
}

/// A skill or an agent.
#[derive(Clone, Debug)]
pub(crate) struct DescribedFile {
    /// In the project.
    pub(crate) path: String,
    pub(crate) name: String,
    /// Its name and description.
    pub(crate) text: String,
}

impl std::fmt::Debug for Played {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Played").field("requests", &self.requests.len()).finish_non_exhaustive()
    }
}

/// Creates the scenario's directory and makes every request in its session.
///
/// # Errors
///
/// The scenario cannot be played: git fails, or a turn has no user message.
pub async fn play(case: &Case) -> Result<Played> {
    play_in(Arc::new(World::make(case)?), case).await
}

async fn play_in(world: Arc<World>, case: &Case) -> Result<Played> {
    let mut diagnostics = Vec::new();
    let mut stage = Stage::open(case, &world, &mut diagnostics).await?;
    let memory = stage.session.context().memory.iter();
    let of = |memory| move |file| (memory, file);
    let files = memory.flat_map(|it: &Memory| it.files().iter().map(of(it)));
    let files = files.map(|(memory, file)| InstructionFile::new(file, memory, &world));
    let files = files.collect();
    let path = |path: &Path| in_project(&world.normalize_text(&path.to_string_lossy()));
    let memory = stage.session.context().memory.iter();
    let skipped = memory.flat_map(Memory::skipped);
    let skipped = skipped.map(|it| one_line(&path(&it.path)).into_owned());
    let skipped = skipped.collect();
    let describe = |kind: &str, file: &Path, name: &str, description: &str| DescribedFile {
        path: path(file),
        name: one_line(name).into_owned(),
        text: format!("{kind} {name}: {description}"),
    };
    let mut converter = converter(&case.scenario);
    let mut requests = Vec::new();
    let mut authors = Vec::new();
    let mut described = Vec::new();
    let mut listed = BTreeSet::new();
    let mut refused = None;
    for (index, turn) in case.scenario.turns.iter().flatten().enumerate() {
        let turn_name = || format!("turn {}", index + 1);
        for event in turn {
            let reported = stage.play(event).await.with_context(turn_name)?;
            diagnostics.extend(reported);
        }
        diagnostics.extend(stage.session.refresh().await);
        let on_disk = stage.session.on_disk();
        listed.extend(on_disk.skills.iter().map(|it| it.name.clone()));
        let skills = on_disk.skills.iter();
        let skills = skills.map(|it| describe("skill", &it.path, &it.name, &it.description));
        let agents = on_disk.agents.iter();
        let agents = agents.map(|it| describe("agent", &it.path, &it.name, &it.description));
        let of_request = skills.chain(agents).collect();
        let prepared = stage.session.prepare(&stage.conversation);
        let mut reported = Vec::new();
        let made = prepared
            .map_err(anyhow::Error::from)
            .and_then(|prepared| Made::new(prepared, converter.as_mut(), &mut reported));
        let mut made = match made {
            Ok(made) => made,
            Err(error) if index == case.len() => {
                refused = Some(error.to_string());
                break;
            }
            Err(error) => return Err(error).with_context(turn_name),
        };
        diagnostics.extend_from_slice(&made.prepared.diagnostics);
        diagnostics.extend(reported);
        made.prepared.commit(&mut stage.conversation);
        stage.sent = stage.session.time().clone();
        authors.push(Authors::of(stage.conversation.entries()));
        described.push(of_request);
        requests.push(made);
    }
    let authored = Authored::new(&case.scenario, &stage, &listed, &world);
    let mut diagnostics: Vec<_> =
        diagnostics.into_iter().map(|it| (Reported::new(&it, &world), it)).collect();
    let is_expected =
        |(reported, _): &(Reported, _)| case.scenario.diagnostics.iter().any(|it| reported.is(it));
    // The agent does not read them.
    let pins = case.scenario.pin.as_deref();
    let is_left_out =
        |it: &Diagnostic| pins.is_some_and(|pins| is_code_left_out(it.code.as_str(), pins));
    diagnostics.retain(|it| is_expected(it) || !is_left_out(&it.1));
    let counts = |it: &&(Reported, Diagnostic)| it.1.severity != Severity::Note || is_expected(it);
    let counted = diagnostics.iter().filter(counts);
    let codes = counted.map(|(_, it)| it.code.as_str().to_owned()).collect();
    let diagnostics = diagnostics.into_iter().map(|(reported, _)| reported).collect();
    Ok(Played {
        world,
        requests,
        authors,
        described,
        authored,
        files,
        skipped,
        diagnostics,
        codes,
        refused,
    })
}

impl Played {
    /// Plays the case again in the same directory with a new session; if an
    /// event writes files, in a new directory.
    pub(crate) async fn again(&self, case: &Case) -> Result<Self> {
        let mut events = case.scenario.turns.iter().flatten().flatten();
        if events.any(|event| matches!(event, ScenarioEvent::Write(_))) {
            return play(case).await;
        }
        play_in(self.world.clone(), case).await
    }

    /// Returns the requests in the session's own form: typed, and as bytes.
    pub(crate) fn requests(&self) -> impl Iterator<Item = (&Prepared, &[u8])> {
        self.requests.iter().map(|made| (&made.prepared, &*made.own))
    }

    /// Returns each request's bytes as they are sent, with `/scenario` in place
    /// of the real directory.
    #[must_use]
    pub fn bytes(&self) -> Vec<Vec<u8>> {
        self.bodies().into_iter().map(|body| body.bytes).collect()
    }

    /// Returns each request as it is sent, with the source of each byte.
    pub(crate) fn bodies(&self) -> Vec<SourcedBody> {
        let sent = self.requests.iter().zip(&self.authors);
        let bodies = sent.map(|(made, authors)| {
            let (sent, spans) = (made.sent(), made.spans());
            let ranges = self.authored.ranges(sent, &spans, authors);
            let is_kept = |at: usize| {
                ranges.iter().any(|it| it.contains(&at)) || self.authored.lines.has(sent, at)
            };
            let normalized = self.world.normalize(sent, is_kept);
            let body = SourcedBody::new(normalized, spans, authors.clone());
            body.with_model(made.model.clone())
        });
        bodies.collect()
    }
}
