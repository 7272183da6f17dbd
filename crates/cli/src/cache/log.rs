//! Reads a log and passes its entries to a callback, as requests for the cache model.
//!
//! `aside-request-logs` reads the format: a file, stdin or a directory of raw bodies
//! becomes a list of exchanges. This module adds what the model needs: the time of each
//! request, the cache rules of its provider, the usage that was billed, and the number
//! that users see.
//!
//! ```text
//! log file ─ read_with ─> Exchange ─ LogReader::take ─> Item::Request | Item::Unbodied ─> callback
//! ```
//!
//! Failed requests are counted and left out, since a request that the provider refused
//! leaves no cache entry. An entry that cannot be read is a warning, and the rest of the
//! log is used.

use std::collections::HashMap;
use std::fs;
use std::io::{BufReader, Read};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow};
use aside_cache_model::{Body, CacheModel, CacheRules, ResponseParts, Timed, Usage};
use aside_models::Wire;
use aside_request_logs::{
    Exchange, LogError, ReadOptions, RecordedBody, raw_body_exchange, raw_body_index, read_with,
};

use crate::Failure;
use crate::arguments::LogArguments;
use crate::counter::Counter;
use crate::input::{self, Input, MAX_BODY_BYTES};
use crate::{kinds, output};

/// The assumed time between requests in a log without times. It is shorter than every
/// lifetime of a cache entry, so that nothing expires in such a log.
const DEFAULT_EVERY: Duration = Duration::from_secs(30);

/// The number of sessions whose latest body is kept for reading the next one. Once it is
/// reached, all are dropped, which costs time and changes no result.
const MAX_HINTS: usize = 64;

/// The size of a read of a log, in bytes.
const READ_BYTES: usize = 256 << 10;

/// A request of a log, with its body.
pub(crate) struct Logged {
    /// Its number, from 1.
    ///
    /// Requests that failed, or could not be read, have none.
    pub(crate) number: usize,
    /// The line of the log, or the index of the entry in formats without lines, from 1.
    pub(crate) line: usize,
    /// The body with its time, session, usage and response, as the model reads them.
    pub(crate) timed: Timed,
    /// True if positions are those of the bytes that were sent.
    pub(crate) is_exact: bool,
    /// True if only sections can be compared.
    pub(crate) is_sections: bool,
    /// The reason for a cache miss in the response, from providers that report one.
    pub(crate) diagnostics: Option<String>,
    /// The rules of the provider's cache, with the assumptions of `--flip` reversed.
    pub(crate) rules: CacheRules,
}

/// An entry of a transcript: usage without a body.
///
/// It is billed, and no verdict is possible.
pub(crate) struct Unbodied {
    /// Its number, from 1, counted together with the requests that have bodies.
    pub(crate) number: usize,
    /// The line of the log.
    pub(crate) line: usize,
    /// The time of the request, since the moment from which the log counts.
    pub(crate) at: Duration,
    /// The id of the session, if the log has it.
    pub(crate) session: Option<String>,
    /// The id of the model, by which the usage is priced.
    pub(crate) model: Option<String>,
    /// The billed input.
    pub(crate) usage: Usage,
    /// The reason for a cache miss in the response.
    pub(crate) diagnostics: Option<String>,
}

/// An item of a log.
pub(crate) enum Item {
    /// A request whose body is known.
    Request(Box<Logged>),
    /// Usage without a body.
    Unbodied(Unbodied),
}

/// Counts of what was left out or assumed while a log was read; the summary prints them.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Requests that the provider refused.
    pub(crate) failed: usize,
    /// Requests that only count tokens.
    pub(crate) counts: usize,
    /// Lines that could not be read, and bodies that are no requests.
    pub(crate) faults: usize,
    /// The assumed time between requests, if the log has none.
    pub(crate) assumed_times: Option<Duration>,
    /// Requests whose bytes are not those that were sent, because the log serialized them
    /// again.
    pub(crate) reserialized: usize,
    /// Requests of which the log has parts only.
    pub(crate) sections: usize,
}

/// The function that is called for each item, in the order of the log. Its error ends the
/// reading.
pub(crate) type Each<'a> = dyn FnMut(Item) -> Result<(), Failure> + 'a;

/// The caches of the providers in a log, one for each preset of rules: requests under
/// different rules cannot share an entry.
#[derive(Default)]
pub(crate) struct Caches(HashMap<&'static str, CacheModel>);

impl Caches {
    /// Returns the cache of a preset, which is empty at the first call. The first rules
    /// of a name are kept.
    pub(crate) fn of(&mut self, rules: &CacheRules) -> &mut CacheModel {
        let new = || CacheModel::new(rules.clone());
        self.0.entry(rules.name).or_insert_with(new)
    }
}

/// Reads a log to its end: the file, stdin or directory that the arguments name.
///
/// # Errors
/// A log that cannot be opened is a usage error; see [`each_of`] for the others.
pub(super) fn each(arguments: &LogArguments, each: &mut Each<'_>) -> Result<Notes, Failure> {
    if arguments.log.is_dir() {
        return each_of(arguments, None, each);
    }
    let input = Input::open(&arguments.log).map_err(Failure::usage)?;
    each_of(arguments, Some(Box::new(input)), each)
}

/// Reads a log that is open already; without an input, the directory that the arguments
/// name.
///
/// A counter of the requests is shown on a terminal if this takes over a second. Lines
/// are read as they arrive, and nothing but the latest body of a session is kept.
///
/// # Errors
/// Fails with exit code 1 if there are faults and not a single request, and with the
/// error of the callback. A log that is empty, or has only failed requests, is no error.
pub(crate) fn each_of(
    arguments: &LogArguments,
    input: Option<Box<dyn Read>>,
    each: &mut Each<'_>,
) -> Result<Notes, Failure> {
    let mut reader = LogReader {
        arguments,
        each,
        notes: Notes::default(),
        hints: HashMap::new(),
        number: 0,
        last: Duration::ZERO,
        counter: Counter::new("requests"),
    };
    if let Some(input) = input {
        let options = ReadOptions::default().with_format(arguments.format);
        for exchange in read_with(BufReader::with_capacity(READ_BYTES, input), options) {
            reader.take(exchange)?;
        }
    } else {
        reader.directory(&arguments.log)?;
    }
    reader.counter.clear();
    let notes = reader.notes;
    if notes.faults > 0 && reader.number == 0 {
        return Err(anyhow!("{}: no request found", arguments.log.display()).into());
    }
    Ok(notes)
}

/// The state of the reading of one log.
struct LogReader<'a, 'b> {
    /// The format, the rules, the flipped assumptions and the assumed interval.
    arguments: &'a LogArguments,
    /// The callback that gets each item.
    each: &'a mut Each<'b>,
    /// The entries that were left out and the assumptions so far.
    notes: Notes,
    /// The latest body of each session.
    ///
    /// A body usually continues the one before it, and shares its parsed items.
    hints: HashMap<Option<String>, Body>,
    /// The number of the latest item, from 1; 0 at the start.
    number: usize,
    /// The latest time of a request, from which assumed times continue.
    last: Duration,
    /// The counter on the terminal.
    counter: Counter,
}

impl LogReader<'_, '_> {
    /// Reads a directory of raw bodies by its `index.jsonl`. Each line of the index names
    /// the file of a request and, if there was one, of its response; both are read from
    /// the directory itself, whatever path the index has. A file that cannot be read is a
    /// fault of its entry only.
    fn directory(&mut self, directory: &Path) -> Result<(), Failure> {
        let index = directory.join("index.jsonl");
        let mut input = Input::open(&index).map_err(Failure::usage)?;
        let (mut line, mut number) = (Vec::new(), 0);
        while input
            .line(&mut line, MAX_BODY_BYTES)
            .map_err(Failure::usage)?
        {
            number += 1;
            let entry = raw_body_index(line.trim_ascii(), number);
            let exchange = entry.map(|entry| {
                let file = |name: &str| {
                    // A name, and no path: an index leads to no other file.
                    let name = Path::new(name).file_name().unwrap_or_default();
                    input::bytes(&directory.join(name), MAX_BODY_BYTES)
                };
                let request = file(&entry.request_file)?;
                let response = entry
                    .response_file
                    .as_deref()
                    .map(file)
                    .transpose()?
                    .map(|it| String::from_utf8_lossy(&it).into_owned());
                anyhow::Ok(raw_body_exchange(
                    entry,
                    request.into(),
                    response.as_deref(),
                ))
            });
            match exchange {
                Ok(Ok(exchange)) => self.take(Ok(exchange))?,
                Ok(Err(error)) => self.fault(&format!("line {number}: {error:#}")),
                Err(error) => self.take(Err(error))?,
            }
            line.clear();
        }
        Ok(())
    }

    /// Turns an exchange into an item and passes it to the callback.
    ///
    /// 1. An entry that could not be read is a fault; a failed request is counted and
    ///    left out.
    /// 2. A missing time is assumed: `--every` after the latest one, and zero at the
    ///    start.
    /// 3. The body is parsed, with the latest body of the session as a hint. An exchange
    ///    without a body is passed as [`Item::Unbodied`] if it has usage, else dropped.
    /// 4. The rules are those of `--rules`, or of the provider or wire; `--flip` applies
    ///    to either.
    ///
    /// Faults are reported and return `Ok`; the only errors are those of the callback.
    fn take(&mut self, exchange: Result<Exchange, LogError>) -> Result<(), Failure> {
        let mut exchange = match exchange {
            Ok(exchange) => exchange,
            Err(error) => {
                self.fault(&error.to_string());
                return Ok(());
            }
        };
        if exchange.is_failed() {
            self.notes.failed += 1;
            return Ok(());
        }
        if exchange.is_count() {
            self.notes.counts += 1;
            return Ok(());
        }
        let at = match exchange.at {
            Some(at) => at,
            None => {
                let every = self.arguments.every.unwrap_or(DEFAULT_EVERY);
                self.notes.assumed_times = Some(every);
                match self.number {
                    0 => Duration::ZERO,
                    _ => self.last + every,
                }
            }
        };
        self.last = self.last.max(at);
        let is_exact = exchange.request.is_exact();
        let is_sections = matches!(exchange.request, RecordedBody::Sections(_));
        let body = match std::mem::take(&mut exchange.request) {
            RecordedBody::Bytes(body)
            | RecordedBody::Reserialized(body)
            | RecordedBody::Sections(body) => body,
            _ => return self.unbodied(exchange, at),
        };
        let hint = self.hints.get(&exchange.session);
        let request = match Body::parse_after(body, hint) {
            Ok(request) => request,
            Err(error) => {
                self.fault(&format!("line {}: {error}", exchange.line));
                return Ok(());
            }
        };
        let request = match &exchange.model {
            Some(model) => request.with_model(model),
            None => request,
        };
        if self.hints.len() >= MAX_HINTS {
            self.hints.clear();
        }
        self.hints.insert(exchange.session.clone(), request.clone());
        self.notes.reserialized += usize::from(!is_exact && !is_sections);
        self.notes.sections += usize::from(is_sections);
        self.number += 1;
        self.counter.add();
        let rules = match &self.arguments.rules {
            Some(rules) => rules.clone(),
            None => rules_of(&request, exchange.provider.as_deref()),
        };
        let flips = self.arguments.flip.iter();
        let rules = flips.fold(rules, |rules, choice| rules.flipped(*choice));
        let mut timed = Timed::new(request, at);
        // A response that was over so early had begun before.
        let short = exchange.duration.filter(|it| *it < rules.latency);
        timed.latency = exchange.latency.or(short);
        timed.session = exchange.session;
        timed.id = exchange.id;
        timed.previous = exchange.previous;
        timed.workspace = exchange.workspace;
        timed.usage = exchange.usage.map(Usage::without_output);
        timed.answer = Some(ResponseParts::new(
            exchange.answer_tool_ids,
            exchange.answer_text,
        ))
        .filter(|it| *it != ResponseParts::default());
        (self.each)(Item::Request(Box::new(Logged {
            number: self.number,
            line: exchange.line,
            timed,
            is_exact,
            is_sections,
            diagnostics: exchange.diagnostics,
            rules,
        })))
    }

    /// Passes the usage of an exchange without a body; one without usage is dropped and
    /// has no number.
    fn unbodied(&mut self, exchange: Exchange, at: Duration) -> Result<(), Failure> {
        let Some(billed) = exchange.usage else {
            return Ok(());
        };
        self.number += 1;
        (self.each)(Item::Unbodied(Unbodied {
            number: self.number,
            line: exchange.line,
            at,
            session: exchange.session,
            model: exchange.model,
            usage: billed.without_output(),
            diagnostics: exchange.diagnostics,
        }))
    }

    /// Reports that an entry could not be read, after removing the counter from the
    /// terminal.
    fn fault(&mut self, fault: &str) {
        self.notes.faults += 1;
        self.counter.clear();
        let message = format!("{}: {fault}", self.arguments.log.display());
        output::report(&kinds::LOG_ENTRY.diagnostic(message));
    }
}

/// Returns the cache rules for a request: by the provider that a log names, else by the
/// wire of the body.
///
/// | provider contains | wire | rules |
/// |---|---|---|
/// | `bedrock`, `google-cloud`, `vertex` | any | `bedrock` |
/// | anything else | Messages | `anthropic` |
/// | anything else | `generateContent` of Gemini | `gemini` |
/// | anything else | Responses, Chat Completions | `openai` |
pub(crate) fn rules_of(request: &Body, provider: Option<&str>) -> CacheRules {
    let provider = provider.unwrap_or_default();
    if provider.contains("bedrock")
        || provider.contains("google-cloud")
        || provider.contains("vertex")
    {
        return CacheRules::bedrock();
    }
    match request.wire() {
        Wire::Messages => CacheRules::anthropic(),
        Wire::GenerateContent => CacheRules::gemini(),
        _ => CacheRules::openai(),
    }
}

/// Writes a file in addition to the output, such as a JUnit report. An existing file is
/// replaced.
pub(super) fn write_file(file: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(file, text).with_context(|| format!("failed to write {}", file.display()))
}
