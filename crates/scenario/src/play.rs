//! Playing a scenario: a session is opened, the events of each turn are
//! applied, and the request of each turn is prepared and committed.

use std::sync::Arc;

use anyhow::{Context, Result};
use aside_claudemd::skills::{self, SkillFile};
use aside_claudemd::{Dirs, ImportPolicy, Memory, MemoryFile};
use aside_messages::Source;
use aside_session::Prepared;

use crate::case::Case;
use crate::format::ScenarioEvent;
use crate::pin::Pin;
use crate::readable::{Origin, readable};
use crate::stage::Stage;
use crate::wire::{Made, Sender};
use crate::world::World;

/// The requests of a scenario that was played.
pub struct Played {
    world: Arc<World>,
    requests: Vec<Made>,
    files: Vec<InstructionFile>,
    /// The skills of the working directory, a line each.
    skills: Vec<String>,
    /// The diagnostics of the session, one a line.
    pub diagnostics: Vec<String>,
    /// The reason why the last turn made no request.
    pub refused: Option<String>,
}

impl std::fmt::Debug for Played {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Played")
            .field("requests", &self.requests.len())
            .finish_non_exhaustive()
    }
}

/// Creates the scenario's directory and makes every request of its session.
///
/// # Errors
///
/// The scenario cannot be played: git fails, or a turn has no message of the
/// user.
pub async fn play(case: &Case) -> Result<Played> {
    play_in(Arc::new(World::make(case)?), case).await
}

async fn play_in(world: Arc<World>, case: &Case) -> Result<Played> {
    let mut diagnostics = Vec::new();
    let mut stage = Stage::open(case, &world, &mut diagnostics).await?;
    let memory = stage.session.context().memory.iter();
    let files = memory
        .flat_map(Memory::files)
        .map(|file| InstructionFile::of(file, &world))
        .collect();
    let cwd = world.path(case.scenario.cwd())?;
    let found = skills::discover(&cwd, &Dirs::default(), &ImportPolicy::Deny);
    let skill = |it: &SkillFile| format!("skill {}: {}", it.name, it.description);
    let skills = found.skills.iter().map(skill).collect();
    let mut sender = Sender::of(&case.scenario);
    let mut requests = Vec::new();
    let mut refused = None;
    for (index, turn) in case.scenario.turns.iter().flatten().enumerate() {
        let turn_name = || format!("{}: turn {}", case.name, index + 1);
        for event in turn {
            let reported = stage.play(event).await.with_context(turn_name)?;
            diagnostics.extend(reported);
        }
        diagnostics.extend(stage.session.refresh().await);
        let prepared = stage.session.prepare(&stage.conversation);
        let mut reported = Vec::new();
        let made = prepared
            .map_err(anyhow::Error::from)
            .and_then(|prepared| Made::new(prepared, sender.as_mut(), &mut reported));
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
        requests.push(made);
    }
    let reported = diagnostics.iter().map(ToString::to_string);
    let diagnostics = reported.map(|it| world.normalize_text(&it)).collect();
    Ok(Played {
        world,
        requests,
        files,
        skills,
        diagnostics,
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
        self.requests
            .iter()
            .map(|made| (&made.prepared, &*made.own))
    }

    /// Returns the bytes of each request as they are sent, with `/scenario` in
    /// place of the real directory.
    #[must_use]
    pub fn bytes(&self) -> Vec<Vec<u8>> {
        let sent = self.requests.iter().map(Made::sent);
        sent.map(|bytes| self.world.normalize(bytes)).collect()
    }

    /// Returns the source of the byte at `offset` of [`Played::bytes`]; on the
    /// wires of OpenAI and Gemini it is the envelope.
    #[must_use]
    pub fn source_at(&self, request: usize, offset: usize) -> Source {
        let made = &self.requests[request];
        made.source_at(self.world.offset_before(made.sent(), offset))
    }

    /// Returns the readable form of each request: the whole request, or the
    /// pinned kinds of text.
    #[must_use]
    pub fn texts(&self, case: &Case) -> Vec<String> {
        let pins = case.scenario.pin.as_deref();
        let texts = self.requests.iter().map(|made| {
            let Ok(bytes) = std::str::from_utf8(&made.own) else {
                return String::new();
            };
            let request = made.prepared.body.to_request();
            let origin = |at: usize| Origin {
                source: made.prepared.body.source_at(at).clone(),
                file: self.file_in(bytes, at).map(str::to_owned),
            };
            let text = readable(bytes, &request, pins, &origin);
            let skills = self
                .skills
                .iter()
                .filter(|_| pins.is_some_and(|pins| pins.contains(&Pin::Skills)))
                .map(|skill| format!("{skill}\n"));
            self.world
                .normalize_text(&(skills.collect::<String>() + &text))
        });
        texts.collect()
    }

    /// Returns the real path of a file of the scenario.
    #[must_use]
    pub(crate) fn real_path(&self, case: &Case, path: &str) -> String {
        let tree = case.tree.to_string_lossy();
        self.world.real_path(path, &tree)
    }

    /// Returns the instruction file that contains that byte, by its path in the
    /// bytes.
    pub(crate) fn file_at(&self, request: usize, offset: usize) -> Option<&str> {
        let bytes = self.requests[request].sent();
        let raw = self.world.offset_before(bytes, offset);
        self.file_in(std::str::from_utf8(bytes).ok()?, raw)
    }

    /// Returns the instruction file whose text covers an offset in bytes with real paths.
    fn file_in(&self, bytes: &str, raw: usize) -> Option<&str> {
        let covers = |file: &&InstructionFile| {
            let length = file.text.len();
            let from = bytes.floor_char_boundary(raw.saturating_sub(length));
            let to = bytes.ceil_char_boundary(bytes.len().min(raw + length));
            let mut places = bytes[from..to].match_indices(&file.text);
            places.any(|(at, _)| (from + at..=from + at + length).contains(&raw))
        };
        self.files
            .iter()
            .find(covers)
            .map(|file| file.path.as_str())
    }
}

/// An instruction file of the session.
struct InstructionFile {
    path: String,
    /// The text as encoded in JSON.
    text: String,
}

impl InstructionFile {
    fn of(file: &MemoryFile, world: &World) -> Self {
        let json = serde_json::to_string(&file.text).expect("a string is valid JSON");
        Self {
            path: world.normalize_text(&file.path.to_string_lossy()),
            text: json[1..json.len() - 1].to_owned(),
        }
    }
}
