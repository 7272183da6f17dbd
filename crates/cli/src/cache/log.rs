//! A log as requests for the model.

use std::collections::HashMap;
use std::fs;
use std::io::{BufReader, Read};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow};
use aside_cache_model::{CacheModel, CacheRules, InputTokens, RequestBytes, ResponseParts, Timed};
use aside_models::Wire;
use aside_request_logs::{
    Exchange, LogError, ReadOptions, RecordedBody, raw_body_exchange, raw_body_index, read_with,
};

use crate::Failure;
use crate::arguments::LogArguments;
use crate::counter::Counter;
use crate::input::{self, Input, MAX_BODY_BYTES};
use crate::{kinds, output};

/// The assumed time between requests in a log without times.
const DEFAULT_EVERY: Duration = Duration::from_secs(30);

/// The number of sessions whose latest body is kept for reading the next one.
const MAX_HINTS: usize = 64;

/// The size of a read of a log, in bytes.
const READ_BYTES: usize = 256 << 10;

/// A request of a log.
pub(crate) struct Logged {
    /// Its number, from 1.
    pub(crate) number: usize,
    pub(crate) line: usize,
    pub(crate) timed: Timed,
    /// True if positions are those of the bytes that were sent.
    pub(crate) is_exact: bool,
    /// True if only sections can be compared.
    pub(crate) is_sections: bool,
    pub(crate) diagnostics: Option<String>,
    pub(crate) rules: CacheRules,
}

/// An entry of a transcript: usage without a body.
pub(crate) struct Unbodied {
    pub(crate) number: usize,
    pub(crate) at: Duration,
    pub(crate) session: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) usage: InputTokens,
    pub(crate) diagnostics: Option<String>,
}

/// An item of a log.
pub(crate) enum Item {
    Request(Box<Logged>),
    Unbodied(Unbodied),
}

/// Notes about the reading of a log.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Requests that the provider refused.
    pub(crate) failed: usize,
    /// Lines that could not be read, and bodies that are no requests.
    pub(crate) faults: usize,
    /// The assumed time between requests, if the log has none.
    pub(crate) assumed_times: Option<Duration>,
    pub(crate) reserialized: usize,
    pub(crate) sections: usize,
}

/// The function that is called for each item.
pub(crate) type Each<'a> = dyn FnMut(Item) -> Result<(), Failure> + 'a;

/// The caches of the providers in a log, one for each preset.
#[derive(Default)]
pub(crate) struct Caches(HashMap<&'static str, CacheModel>);

impl Caches {
    pub(crate) fn of(&mut self, rules: &CacheRules) -> &mut CacheModel {
        let new = || CacheModel::new(rules.clone());
        self.0.entry(rules.name).or_insert_with(new)
    }
}

/// Reads a log to its end.
pub(super) fn each(arguments: &LogArguments, each: &mut Each<'_>) -> Result<Notes, Failure> {
    if arguments.log.is_dir() {
        return each_of(arguments, None, each);
    }
    let input = Input::open(&arguments.log).map_err(Failure::usage)?;
    each_of(arguments, Some(Box::new(input)), each)
}

/// Reads a log that is open already; without an input, the directory that the
/// arguments name.
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

struct LogReader<'a, 'b> {
    arguments: &'a LogArguments,
    each: &'a mut Each<'b>,
    notes: Notes,
    /// The latest body of each session.
    hints: HashMap<Option<String>, RequestBytes>,
    number: usize,
    last: Duration,
    counter: Counter,
}

impl LogReader<'_, '_> {
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
        let request = match RequestBytes::parse_after(body, hint) {
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
        timed.usage = exchange.usage.map(|it| usage(&it));
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

    fn unbodied(&mut self, exchange: Exchange, at: Duration) -> Result<(), Failure> {
        let Some(billed) = exchange.usage else {
            return Ok(());
        };
        self.number += 1;
        (self.each)(Item::Unbodied(Unbodied {
            number: self.number,
            at,
            session: exchange.session,
            model: exchange.model,
            usage: usage(&billed),
            diagnostics: exchange.diagnostics,
        }))
    }

    fn fault(&mut self, fault: &str) {
        self.notes.faults += 1;
        self.counter.clear();
        let message = format!("{}: {fault}", self.arguments.log.display());
        output::report(&kinds::LOG_ENTRY.diagnostic(message));
    }
}

fn usage(usage: &aside_request_logs::RecordedUsage) -> InputTokens {
    let mut all = InputTokens::new(usage.read, usage.write_5m, usage.write_1h, usage.uncached);
    all.write_other = usage.write_other;
    all
}

/// Returns the rules for a request: by the provider that a log names, else by
/// the wire.
pub(crate) fn rules_of(request: &RequestBytes, provider: Option<&str>) -> CacheRules {
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

/// Writes a file in addition to the output.
pub(super) fn write_file(file: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(file, text).with_context(|| format!("failed to write {}", file.display()))
}
