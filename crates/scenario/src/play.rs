use std::sync::Arc;

use anyhow::{Context, Result};
use aside_claudemd::{Memory, MemoryFile};
use aside_messages::Source;
use aside_session::Prepared;

use crate::case::Case;
use crate::format::Event;
use crate::stage::Stage;
use crate::wire::{Made, Sender};
use crate::world::World;

/// The requests that a scenario made.
pub struct Played {
    world: Arc<World>,
    requests: Vec<Made>,
    files: Vec<InstructionFile>,
    /// What the session reported, a line each.
    pub diagnostics: Vec<String>,
    /// Why the last turn made no request.
    pub refused: Option<String>,
}

impl std::fmt::Debug for Played {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Played")
            .field("requests", &self.requests.len())
            .finish_non_exhaustive()
    }
}

/// Makes the scenario's directory and every request of its session.
///
/// # Errors
/// A scenario that cannot be played: a git that fails, a turn without a
/// question.
pub async fn play(case: &Case) -> Result<Played> {
    play_in(Arc::new(World::make(case)?), case).await
}

async fn play_in(world: Arc<World>, case: &Case) -> Result<Played> {
    let mut diagnostics = Vec::new();
    let mut stage = Stage::open(case, &world, &mut diagnostics).await?;
    let memory = stage.session.context().memory.iter();
    let files = memory.flat_map(Memory::files);
    let files = files
        .map(|file| InstructionFile::of(file, &world))
        .collect();
    let mut sender = Sender::of(&case.scenario);
    let mut requests = Vec::new();
    let mut refused = None;
    for (index, turn) in case.scenario.turns.iter().flatten().enumerate() {
        let turn_name = || format!("{}: turn {}", case.name, index + 1);
        for event in turn {
            let told = stage.play(event).await.with_context(turn_name)?;
            diagnostics.extend(told);
        }
        diagnostics.extend(stage.session.refresh().await);
        let prepared = stage.session.prepare(&stage.conversation);
        let mut told = Vec::new();
        let made = prepared
            .map_err(anyhow::Error::from)
            .and_then(|prepared| Made::new(prepared, sender.as_mut(), &mut told));
        let mut made = match made {
            Ok(made) => made,
            Err(error) if index == case.len() => {
                refused = Some(error.to_string());
                break;
            }
            Err(error) => return Err(error).with_context(turn_name),
        };
        diagnostics.extend_from_slice(&made.prepared.diagnostics);
        diagnostics.extend(told);
        made.prepared.commit(&mut stage.conversation);
        requests.push(made);
    }
    let told = diagnostics.iter().map(ToString::to_string);
    let diagnostics = told.map(|it| world.normalize_text(&it)).collect();
    Ok(Played {
        world,
        requests,
        files,
        diagnostics,
        refused,
    })
}

impl Played {
    /// Plays the case once more in the same directory, everything else anew;
    /// where somebody writes there, the directory as well.
    pub(crate) async fn again(&self, case: &Case) -> Result<Self> {
        let mut events = case.scenario.turns.iter().flatten().flatten();
        if events.any(|event| matches!(event, Event::Write(_))) {
            return play(case).await;
        }
        play_in(self.world.clone(), case).await
    }

    /// The requests in the session's own form: typed, and as bytes.
    pub(crate) fn requests(&self) -> impl Iterator<Item = (&Prepared, &[u8])> {
        self.requests
            .iter()
            .map(|made| (&made.prepared, &*made.own))
    }

    /// The bytes of each request, as they are sent, with `/scenario` in the
    /// place of the real directory.
    #[must_use]
    pub fn bytes(&self) -> Vec<Vec<u8>> {
        let sent = self.requests.iter().map(Made::sent);
        sent.map(|bytes| self.world.normalize(bytes)).collect()
    }

    /// Who put the byte at `offset` of [`Played::bytes`] there; on the wire of
    /// OpenAI or Gemini it is the envelope.
    #[must_use]
    pub fn source_at(&self, request: usize, offset: usize) -> Source {
        let made = &self.requests[request];
        made.source_at(self.world.offset_before(made.sent(), offset))
    }

    /// The instruction file in whose text that byte is, as its path stands in
    /// the bytes.
    #[must_use]
    pub fn file_at(&self, request: usize, offset: usize) -> Option<&str> {
        let bytes = self.requests[request].sent();
        let raw = self.world.offset_before(bytes, offset);
        let bytes = std::str::from_utf8(bytes).ok()?;
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
    /// As it stands in JSON.
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
