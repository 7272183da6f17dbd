//! Mutated inputs to all commands, for some seconds.
//!
//! `attacks/cases/fuzz.json` has the kinds of input: where their corpus is, the
//! file that a mutation becomes, and the commands that read it. Whatever the
//! input is, each command ends by itself without a panic, within the time and
//! memory allowed in `cost`; what it prints as JSON is JSON without doubled
//! keys; and a request that it prints is one that `check` accepts, if its input
//! was.
//!
//! Broken inputs are kept below `target/fuzz`. The sequence of mutations
//! follows from `PROPTEST_RNG_SEED`, like the cases of property tests.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use walkdir::WalkDir;

use super::command::Ran;
use super::cost::{FIXED_KIB, MAX_MEMORY_GROWTH};
use super::outcome::Outcome;
use super::place::Place;
use super::{report, root, say};

/// How long to run without `--seconds`.
pub(super) const DEFAULT_SECONDS: u64 = 60;

/// The longest input to mutate: longer ones would be decided by their length.
const MAX_INPUT_BYTES: usize = 64 << 10;

/// How much processor time such an input may take.
const MAX_CPU: Duration = Duration::from_secs(4);

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fuzz {
    #[serde(rename = "about")]
    _about: String,
    /// Texts that mutations insert.
    tokens: Vec<String>,
    kinds: Vec<Kind>,
}

/// A kind of input.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    /// The corpus: directories and files, and how paths in it end.
    below: Vec<String>,
    ends: Vec<String>,
    /// The input's path in the place.
    file: String,
    commands: Vec<Command>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    run: Vec<String>,
    prints: Prints,
}

/// What a command prints.
#[derive(Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Prints {
    Text,
    /// JSON values.
    Json,
    /// A request that is accepted, whatever the input is.
    Request,
    /// A request that is accepted if the input is.
    Converted,
}

/// Mutates inputs until the time is over, on every processor. Returns true if
/// nothing broke.
pub(super) fn run(aside: &str, seconds: u64) -> Result<bool> {
    let path = root().join("attacks/cases/fuzz.json");
    let fuzz: Fuzz = serde_json::from_slice(&fs::read(path)?).context("fuzz.json")?;
    let mut corpora = Vec::new();
    for kind in &fuzz.kinds {
        let corpus = kind.corpus();
        anyhow::ensure!(!corpus.is_empty(), "no corpus for {}", kind.file);
        corpora.push(corpus);
    }
    let seed = std::env::var("PROPTEST_RNG_SEED").ok();
    let seed: u64 = seed.and_then(|it| it.parse().ok()).unwrap_or(1);
    let start = Instant::now();
    let end = start + Duration::from_secs(seconds);
    let work = |worker: u64| {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ worker << 32 | 1);
        let mut outcome = Outcome::default();
        let place = Place::new(aside)?;
        for turn in 0.. {
            if Instant::now() >= end {
                break;
            }
            let at = turn % fuzz.kinds.len();
            let input = mutated(&mut random, &corpora[at], &fuzz.tokens);
            fuzz.kinds[at].try_all(&place, &input, &mut outcome)?;
        }
        Ok::<_, anyhow::Error>(outcome)
    };
    let workers = thread::available_parallelism().map_or(1, usize::from) as u64;
    let outcome = thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = (0..workers).map(|it| scope.spawn(move || work(it))).collect();
        let mut total = Outcome::default();
        for worker in workers {
            total.add(worker.join().map_err(|_| anyhow!("a worker panicked"))??);
        }
        Ok::<_, anyhow::Error>(total)
    })?;
    say(&format!("fuzz: seed {seed}"));
    report("fuzz", &outcome, start);
    Ok(outcome.broken == 0)
}

impl Kind {
    /// Returns the corpus's files, sorted by path.
    fn corpus(&self) -> Vec<Vec<u8>> {
        let below = self.below.iter();
        let walks = below.map(|it| WalkDir::new(root().join(it)).sort_by_file_name());
        let paths = walks.flatten().flatten().map(walkdir::DirEntry::into_path);
        let is_part = |it: &std::path::PathBuf| {
            let path = it.to_string_lossy();
            self.ends.iter().any(|end| path.ends_with(end.as_str()))
        };
        let files = paths.filter(is_part).filter_map(|it| fs::read(it).ok());
        files.filter(|it| it.len() <= MAX_INPUT_BYTES).collect()
    }

    /// Runs every command on an input.
    fn try_all(&self, place: &Place, input: &[u8], outcome: &mut Outcome) -> Result<()> {
        place.write(format!("project/{}", self.file), input)?;
        let mut is_accepted = None;
        for command in &self.commands {
            let ran = place.run(&command.run)?;
            let mut finding = fault(&ran, input.len()).or_else(|| match command.prints {
                Prints::Text => None,
                _ if ran.stdout.is_empty() => None,
                _ => no_json(&ran.stdout),
            });
            let is_request = match command.prints {
                Prints::Request => true,
                Prints::Converted => match is_accepted {
                    Some(known) => known,
                    None => {
                        let check = place.run(&["check", &self.file])?;
                        *is_accepted.insert(check.code == Some(0))
                    }
                },
                _ => false,
            };
            if finding.is_none() && is_request && ran.code == Some(0) {
                place.write("project/printed.json", &ran.stdout)?;
                let check = place.run(&["check", "printed.json"])?;
                finding = (check.code != Some(0)).then(|| format!("refused: {}", check.text()));
            }
            if finding.is_some() {
                let name = Path::new(&self.file).file_name().unwrap_or_default();
                let kept = format!("target/fuzz/{}-{}", outcome.broken, name.to_string_lossy());
                fs::create_dir_all(root().join("target/fuzz"))?;
                fs::write(root().join(kept), input)?;
            }
            outcome.check(finding.map(|it| format!("{:?}: {it}", command.run)));
        }
        fs::remove_file(place.path(format!("project/{}", self.file)))?;
        Ok(())
    }
}

/// Returns a finding if a command did not end well, or took too much.
fn fault(ran: &Ran, length: usize) -> Option<String> {
    let most_kib = MAX_MEMORY_GROWTH * (length as u64 >> 10) + FIXED_KIB;
    let (cpu, peak) = (ran.cost.cpu, ran.cost.peak_kib);
    ran.fault().or_else(|| {
        let is_much = cpu > MAX_CPU || peak > most_kib;
        is_much.then(|| format!("{cpu:?} and {peak} KiB for {length} bytes"))
    })
}

/// Returns a finding if the bytes are no JSON values, or have a doubled key.
fn no_json(bytes: &[u8]) -> Option<String> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<Unique>();
    let error = values.find_map(Result::err)?;
    Some(format!("prints no JSON: {error}"))
}

/// A JSON value without doubled keys.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Unique)
    }
}

macro_rules! scalars {
    ($($method:ident: $type:ty),*) => {
        $(fn $method<E>(self, _: $type) -> Result<Unique, E> {
            Ok(Unique)
        })*
    };
}

impl<'de> Visitor<'de> for Unique {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without doubled keys")
    }

    scalars!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(Self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(Self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            members.next_value::<Self>()?;
            if let Some(key) = keys.replace(key) {
                return Err(A::Error::custom(format!("the key {key:?} twice")));
            }
        }
        Ok(Self)
    }
}

/// Generates numbers (xorshift*).
struct Random(u64);

impl Random {
    /// Returns a number below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        number as usize % end.max(1)
    }
}

/// Returns an input from the corpus with one to eight changes: bytes are
/// removed, repeated, replaced, taken from another input, or a token is
/// inserted.
fn mutated(random: &mut Random, corpus: &[Vec<u8>], tokens: &[String]) -> Vec<u8> {
    let mut input = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(8) {
        let mut start = random.below(input.len());
        let length = 1 << random.below(10);
        let mut end = (start + random.below(length)).min(input.len());
        let kind = random.below(7);
        if kind > 4 {
            // A member's value, so that JSON often stays JSON.
            let after = |at: usize, ends: &[u8]| {
                let found = input[at..].iter().position(|it| ends.contains(it));
                found.map_or(input.len(), |it| at + it)
            };
            start = (after(start, b":") + 1).min(input.len());
            end = after(start, b",}]\n");
        }
        let new = match kind {
            0 => Vec::new(),
            1 => input[start..end].repeat(2 + random.below(3)),
            2 => vec![random.below(256) as u8],
            3 => {
                let other = &corpus[random.below(corpus.len())];
                let from = random.below(other.len());
                other[from..other.len().min(from + length)].to_vec()
            }
            _ => tokens[random.below(tokens.len())].clone().into_bytes(),
        };
        input.splice(start..end, new);
        input.truncate(MAX_INPUT_BYTES);
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_keys_are_found_at_any_depth() {
        assert_eq!(no_json(br#"{"a":[{"b":1},{"b":2.5e3}],"c":null} "x""#), None);
        for fault in [&br#"{"a":[{"b":1,"b":2}]}"#[..], br#"{"a":1,"\u0061":2}"#, b"{", b"\xff"] {
            assert!(no_json(fault).is_some());
        }
    }

    #[test]
    fn mutations_repeat_with_their_seed() {
        let corpus = [b"{\"a\":1}".to_vec(), Vec::new()];
        let tokens = ["</x>".to_owned()];
        let all = |seed| {
            let mut random = Random(seed);
            let inputs = (0..100).map(|_| mutated(&mut random, &corpus, &tokens));
            inputs.collect::<Vec<_>>()
        };
        assert_eq!(all(1), all(1));
        assert_ne!(all(1), all(3));
    }
}
