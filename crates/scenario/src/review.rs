//! Reviewing golden snapshots: what differs from the expected files, each
//! distinct change once.
//!
//! When one word of a section changes, so do hundreds of requests, and one of
//! them may have another, unwanted change. So the rarest change comes
//! first, and a request is written when all its changes are accepted.

mod accept;
mod baseline;
mod by_file;
mod checkout;
mod figures;
mod markdown;
mod print;
mod team;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use aside_cache_model::{Body, Cost};
use aside_messages::{Layer, one_line};
use aside_models::{estimate, find};
use serde::Serialize;
use sha2::{Digest, Sha256};

use self::by_file::by_file;
use self::figures::compared;
use crate::case::{Case, TEXTS};
use crate::changes::{Change, changes, text_changes};
use crate::check::{Checked, MadeRequest};
use crate::readable::{Texts, added, sourced_lines, whole};
use crate::sourced::SourcedBody;
use crate::unloaded::{files_of_page, note_unloaded};
pub use accept::{Accepted, Settled};
pub use baseline::{Baseline, RevisionRequests};
pub use checkout::Checkout;
pub use figures::RequestFigures;
pub use team::{RequestReview, TeamReview};

/// How scenarios' files differ from what their sessions send.
#[derive(Debug, Default)]
pub struct Review {
    /// The distinct changes, rarest first.
    pub changes: Vec<DistinctChange>,
    requests: Vec<ChangedRequest>,
    /// Files that follow from the requests: texts, and readable forms whose
    /// requests have not changed.
    files: Vec<OutdatedFile>,
    /// Scenarios with a file that cannot be compared, and why.
    faults: Vec<(String, String)>,
    /// Scenarios with a readable form that has Windows line ends.
    windows_files: Vec<(String, PathBuf)>,
}

/// A change, and the requests that have it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DistinctChange {
    /// Six hexadecimal digits of its hash, by which you accept it.
    pub id: String,
    /// The change as the first of these requests has it.
    #[serde(flatten)]
    pub change: Change,
    /// The requests that have it: `first/request-1`.
    pub requests: Vec<String>,
    /// How many estimated tokens a request gains, or loses.
    pub tokens: i64,
    /// How many cached tokens the first request after the change does not find,
    /// and what they cost, if it is a request's first change.
    pub lost: Option<Lost>,
}

/// Cached tokens that have to be written again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Lost {
    /// How many, estimated.
    pub tokens: u64,
    /// What they cost, in dollars, if the model's price is known.
    pub cost: Option<Cost>,
}

/// Which scenarios are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All scenarios in the directory, so that their common texts are known.
    All,
    /// Some of them.
    Some,
}

/// A request that differs from its files.
#[derive(Debug)]
struct ChangedRequest {
    case: String,
    /// The file that is compared.
    path: PathBuf,
    /// By id, in request order.
    changes: Vec<String>,
    /// The first layer that one of them belongs to, if known.
    layer: Option<Layer>,
    files: Vec<OutdatedFile>,
}

/// A file that is not as it has to be.
#[derive(Debug)]
struct OutdatedFile {
    /// None for a common text.
    case: Option<String>,
    path: PathBuf,
    /// What to write; `None` to remove the file.
    after: Option<Vec<u8>>,
}

impl Review {
    /// Compares what scenarios make with the files in a directory, or in a
    /// revision.
    ///
    /// A file that cannot be read, or is a link, is a fault of its scenario.
    #[must_use]
    pub fn of(directory: &Path, cases: &[Checked], scope: Scope, baseline: &Baseline) -> Self {
        let texts = match scope {
            Scope::All => {
                // Pinned pages name no text: another version of Aside must
                // change none of their files.
                let first = cases
                    .iter()
                    .filter(|it| it.case.has_bytes())
                    .filter_map(|it| Some((it, it.requests.first()?)));
                Texts::find(first.map(|(it, first)| (it.case.name.as_str(), &first.lines[..])))
            }
            Scope::Some => Texts::read(directory).unwrap_or_default(),
        };
        let mut review = Builder::default();
        for checked in cases {
            if let Err(fault) = review.case(checked, &texts, baseline) {
                let name = checked.case.name.clone();
                review.review.faults.push((name, format!("{fault:#}")));
            }
        }
        for (path, _) in baseline.requests() {
            let is_of = |it: &&Checked| path.parent() == Some(&it.case.dir);
            let case = cases.iter().find(is_of);
            if !case.map_or(scope == Scope::Some, |it| it.has_made(path)) {
                review.gone(case_of(path), path, Vec::new());
            }
        }
        match texts.outdated(directory) {
            Err(fault) => {
                let fault = (TEXTS.to_owned(), format!("{fault:#}"));
                review.review.faults.push(fault);
            }
            Ok(outdated) if scope == Scope::All => {
                let file = |(path, after)| OutdatedFile { case: None, path, after };
                review.review.files.extend(outdated.into_iter().map(file));
            }
            Ok(_) => {}
        }
        review.finish()
    }

    /// Compares bodies in two revisions. Where their bytes come from is not
    /// known.
    #[must_use]
    pub fn between(before: &Baseline, after: &Baseline) -> Self {
        let mut review = Builder::default();
        for (path, bytes) in after.requests() {
            let body = SourcedBody::bare(bytes.to_vec());
            let lines = sourced_lines(&body, &[], &[]);
            let known = before.read(path).ok().flatten();
            let found = match &known {
                Some(known) => changes(known, None, (&body, &lines)),
                None => {
                    let place = format!("{} is new", path.display());
                    vec![Change::of_file(&place, Vec::new(), Vec::new())]
                }
            };
            if found.is_empty() {
                continue;
            }
            let lost = || Lost::of(&compared(body.read(known.as_deref()?), body.request())?);
            review.add(case_of(path), path.to_owned(), found, lost, &body, Vec::new());
        }
        for (path, _) in before.requests() {
            if after.read(path).ok().flatten().is_none() {
                review.gone(case_of(path), path, Vec::new());
            }
        }
        review.finish()
    }

    /// Leaves out what differs in other scenarios than these. Files that
    /// follow from all requests together, such as common texts, stay.
    #[must_use]
    pub fn only(mut self, cases: &[String]) -> Self {
        let has = |case: &String| cases.contains(case);
        self.requests.retain(|it| has(&it.case));
        self.faults.retain(|it| it.0 == TEXTS || has(&it.0));
        self.windows_files.retain(|it| has(&it.0));
        self.changes = of_requests(&self.changes, &self.requests);
        self
    }

    /// Returns true if every file is as it has to be.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.files.is_empty() && self.faults.is_empty()
    }

    /// Returns which files of a scenario have line ends that a checkout
    /// changed, a sentence each.
    #[must_use]
    pub fn warnings_of(&self, case: &str) -> Vec<String> {
        let files = self.windows_files.iter().filter(|it| it.0 == case);
        let warning = |(case, path): &(String, PathBuf)| {
            let path = path.display();
            format!(
                "{case}: {path} has line ends of Windows (CRLF), which a checkout wrote: put \
                 `* -text` into a .gitattributes next to the scenarios"
            )
        };
        files.map(warning).collect()
    }

    /// Returns true if a file of a scenario differs and can be written.
    #[must_use]
    pub fn has_case(&self, case: &str) -> bool {
        let is_file = |it: &OutdatedFile| it.case.as_deref() == Some(case);
        let differs = self.requests.iter().any(|it| it.case == case);
        let is_fault = self.faults.iter().any(|it| it.0 == case);
        !is_fault && (differs || self.files.iter().any(is_file))
    }
}

#[derive(Default)]
struct Builder {
    review: Review,
    /// The index of each distinct change, by its key.
    known: HashMap<String, usize>,
}

impl Builder {
    /// Compares a case's requests with its files.
    fn case(&mut self, checked: &Checked, texts: &Texts, baseline: &Baseline) -> Result<()> {
        let mut before: Option<&MadeRequest> = None;
        for (request, number) in checked.requests.iter().zip(1..) {
            let page = match (&request.pinned, before) {
                (Some(pinned), _) => pinned.clone(),
                (None, None) => whole(&request.lines, texts),
                (None, Some(before)) => added(&before.lines, &request.lines, texts),
            };
            self.request(&checked.case, (request, number), page, baseline)?;
            before = Some(request);
        }
        let surplus = baseline.surplus(&checked.case)?;
        for path in &surplus {
            let json = path.with_extension("json");
            // A readable form goes with its request.
            if *path != json && surplus.contains(&json) {
                continue;
            }
            baseline.read(path)?;
            let both = [path.clone(), path.with_extension("txt")];
            let files = both.into_iter().filter(|it| surplus.contains(it));
            let files = files.map(|path| OutdatedFile {
                case: Some(checked.case.name.clone()),
                path,
                after: None,
            });
            self.gone(checked.case.name.clone(), path, files.collect());
        }
        Ok(())
    }

    fn request(
        &mut self,
        case: &Case,
        (request, number): (&MadeRequest, usize),
        page: String,
        baseline: &Baseline,
    ) -> Result<()> {
        let (json, text) = (case.expected_path(number), case.text_path(number));
        let known_page = self.page(case, baseline.read(&text)?, &text);
        let has_page = known_page.as_deref() == Some(&*page);
        let file =
            |path, bytes| OutdatedFile { case: Some(case.name.clone()), path, after: Some(bytes) };
        let page_file = file(text.clone(), page.clone().into_bytes());
        // A revision that was played has every byte, whatever the scenario
        // pins.
        let made = baseline.made(&json);
        let is_played = matches!(baseline, Baseline::Played(_));
        let pinned = request.pinned.as_deref().filter(|_| !is_played);
        let path = match pinned {
            Some(_) => text,
            None => json.clone(),
        };
        let known = match (pinned, made) {
            (Some(_), _) => known_page.clone().map(String::into_bytes),
            (None, Some(made)) => Some(made.body.bytes.clone()),
            (None, None) => baseline.read(&json)?,
        };
        let mut found = match (&known, pinned) {
            (None, _) => {
                let place = format!("{} is missing", path.display());
                let lines = page.lines().map(str::to_owned).collect();
                vec![Change::of_file(&place, Vec::new(), lines)]
            }
            (Some(known), Some(pinned)) => text_changes(&String::from_utf8_lossy(known), pinned),
            (Some(known), None) => {
                let sources = made.map(|it| &it.lines[..]);
                changes(known, sources, (&request.body, &request.lines))
            }
        };
        if let Some(made) = made {
            found = by_file(found, &[&made.described[..], &request.described].concat());
        }
        let files = |it: &MadeRequest| {
            // Skills and agents are on the page only.
            let mut files = files_of_page(it.pinned.as_deref().unwrap_or_default());
            files.extend(it.files().map(str::to_owned));
            files
        };
        let before = match made {
            Some(made) => files(made),
            None => files_of_page(known_page.as_deref().unwrap_or_default()),
        };
        note_unloaded(&mut found, case, &before, &files(request));
        if found.is_empty() {
            // An old revision has its readable forms, which are none of the
            // changes.
            let is_outdated = !has_page && matches!(baseline, Baseline::Files);
            self.review.files.extend(is_outdated.then_some(page_file));
            return Ok(());
        }
        let mut files = vec![page_file];
        if pinned.is_none() {
            files.push(file(json, request.body.bytes.clone()));
        }
        let lost = || {
            let before = match made {
                Some(made) => made.body.request(),
                None => request.body.read(known.as_deref()?),
            };
            Lost::of(&compared(before, request.body.request())?)
        };
        self.add(case.name.clone(), path, found, lost, &request.body, files);
        Ok(())
    }

    /// Returns a readable form without Windows line ends, which a checkout
    /// writes and no form has.
    fn page(&mut self, case: &Case, bytes: Option<Vec<u8>>, path: &Path) -> Option<String> {
        let page = String::from_utf8_lossy(&bytes?).into_owned();
        if !page.contains("\r\n") {
            return Some(page);
        }
        let file = (case.name.clone(), path.to_owned());
        self.review.windows_files.push(file);
        Some(page.replace("\r\n", "\n"))
    }

    /// Adds a request with its changes.
    fn add(
        &mut self,
        case: String,
        path: PathBuf,
        found: Vec<Change>,
        lost: impl Fn() -> Option<Lost>,
        body: &SourcedBody,
        files: Vec<OutdatedFile>,
    ) {
        let (name, layer) = (name_of(&path), found.iter().find_map(|it| it.layer));
        let mut ids = Vec::new();
        for (index, change) in found.into_iter().enumerate() {
            let key = change.key();
            let all = &mut self.review.changes;
            let at = *self.known.entry(key.clone()).or_insert_with(|| {
                all.push(DistinctChange {
                    id: id(&key),
                    tokens: tokens(&change, body),
                    change,
                    requests: Vec::new(),
                    lost: None,
                });
                all.len() - 1
            });
            let distinct = &mut self.review.changes[at];
            if distinct.requests.last() != Some(&name) {
                distinct.requests.push(name.clone());
            }
            if index == 0 && distinct.lost.is_none() {
                distinct.lost = lost();
            }
            ids.push(distinct.id.clone());
        }
        self.review.requests.push(ChangedRequest { case, path, changes: ids, layer, files });
    }

    /// Adds a request that no turn makes.
    fn gone(&mut self, case: String, path: &Path, files: Vec<OutdatedFile>) {
        let place = format!("no turn makes {}", path.display());
        let change = Change::of_file(&place, vec![place.clone()], Vec::new());
        let none = SourcedBody::bare(Vec::new());
        self.add(case, path.to_owned(), vec![change], || None, &none, files);
    }

    fn finish(mut self) -> Review {
        self.review.changes = of_requests(&self.review.changes, &self.review.requests);
        self.review
    }
}

/// Returns the changes that these requests have, rarest first, without the
/// other requests.
fn of_requests(changes: &[DistinctChange], requests: &[ChangedRequest]) -> Vec<DistinctChange> {
    let names: HashSet<String> = requests.iter().map(|it| name_of(&it.path)).collect();
    let mut changes = changes.to_vec();
    for change in &mut changes {
        change.requests.retain(|it| names.contains(it));
    }
    changes.retain(|it| !it.requests.is_empty());
    changes.sort_by(|a, b| {
        let length = a.requests.len().cmp(&b.requests.len());
        length.then_with(|| a.requests.cmp(&b.requests))
    });
    changes
}

/// Returns a file's folder and its name without the extension:
/// `first/request-1`.
fn name_of(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let name = Path::new(folder).join(path.file_stem().unwrap_or_default());
    one_line(&name.to_string_lossy()).into_owned()
}

/// Returns the name of a file's folder.
fn case_of(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name);
    folder.unwrap_or_default().to_string_lossy().into_owned()
}

fn id(key: &str) -> String {
    let digest = Sha256::digest(key);
    digest[..3].iter().map(|byte| format!("{byte:02x}")).collect()
}

impl ChangedRequest {
    /// Returns the file for its bytes while a change is not accepted.
    fn new_file(&self) -> PathBuf {
        self.path.with_extension("new")
    }

    fn bytes(&self) -> Option<&[u8]> {
        let file = self.files.iter().find(|it| it.path == self.path)?;
        file.after.as_deref()
    }
}

/// Returns true if a line is a cache marker, which the model does not see.
fn is_marker(line: &str) -> bool {
    line.starts_with(": \"cache_control\":")
}

/// Estimates how many tokens a change adds to a request.
fn tokens(change: &Change, body: &SourcedBody) -> i64 {
    let request = body.request();
    let model = request.as_ref().and_then(Body::model);
    let tokenizer = find(model.unwrap_or_default()).facts.estimated_tokenizer();
    let count = |lines: &[String]| {
        let texts = lines.iter().filter(|line| !is_marker(line));
        let shown = texts.filter_map(|line| line.strip_prefix(['|', ':']));
        // A line that ends with white space is shown as a string.
        let texts = shown.map(|it| serde_json::from_str(it).unwrap_or_else(|_| it.to_owned()));
        let texts: Vec<String> = texts.collect();
        let tokens = estimate(&texts.join("\n"), tokenizer).tokens();
        i64::try_from(tokens).unwrap_or(i64::MAX)
    };
    count(&change.after) - count(&change.before)
}
