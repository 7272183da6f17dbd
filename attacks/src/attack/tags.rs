//! Text from outside cannot open or close a reminder: every form of the tag, in
//! every field, on every wire, in both layouts.
//!
//! Each form is planted between marks that name its field, so that one request
//! tries many at once. A form is forged if a tag is still between its marks.
//!
//! The attacker writes any text that is not the user's: a file, a name, a
//! commit, a setting, a result, a tool definition. This is promise 1 in
//! `docs/security.md`, because a model trusts a reminder's text more than a
//! file's.
//!
//! The fields come from `tags.json` in cases that one request can hold: file
//! contents, names, settings, an agent, a session's state, entries, messages,
//! tools, and tool results. When a format has a JSON Schema, its fields come
//! from there, so a field added to the format is attacked without a change
//! here. A field that refuses free text (an id, an enumeration) is tried once
//! and left out; a field whose text reaches no request is listed in the notes.
//!
//! The command renders a request for each case, each group of forms, each wire
//! and each layout; it contacts no provider. In the long form that is several
//! million attempts, in the short one a sample of 20 forms. The search leaves
//! out messages and calls by the model, since they are sent back unchanged.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Extent;
use super::case::Class;
use super::outcome::Outcome;
use super::place::Place;
use super::plants::{Plants, find};
use super::player::Player;
use super::template::Scope;

/// Many fields are truncated, so only a few forms fit into one text.
const FORMS_IN_A_TEXT: usize = 9;

/// They place the same texts differently.
const LAYOUTS: [&str; 2] = ["layered", "classic"];

/// OpenAI has several wires, and its models decide between them: Responses with
/// a developer message (the default), with instructions, and chat completions.
const WIRES_BY_MODEL: [&str; 2] = ["openai --model gpt-5.5", "openai --model gpt-4.1"];

/// Tries every form in every field, and then every cut of a tag. A request that
/// is not made counts as broken: hostile text must not prevent one.
pub(super) fn run(aside: &str, extent: Extent) -> Result<Outcome> {
    let class = Class::read("tags")?;
    let forms = forms(extent)?;
    let wires = wires(aside)?;
    let mut outcome = Outcome::default();
    let mut arrived = BTreeSet::new();
    let mut planted = BTreeSet::new();
    for case in &class.cases {
        let mut accepted = BTreeMap::new();
        for forms in forms.chunks(FORMS_IN_A_TEXT) {
            let plants = Plants { forms: forms.to_vec(), fields: Vec::new(), accepted };
            let scope = Scope::new(&class.values, plants);
            let player = Player::play(aside, &class, case, scope)?;
            let fields = &player.scope.plants.fields;
            let name = |field: &str| format!("{}.{field}", case.name);
            let usable: Vec<_> = fields.iter().filter(|it| !it.is_empty()).collect();
            planted.extend(usable.iter().map(|field| name(field)));
            for (wire, layout) in wires.iter().flat_map(|wire| LAYOUTS.map(|it| (wire, it))) {
                let body = match render(&player.place, &player.arguments, wire, layout) {
                    Ok(body) => body,
                    Err(error) => {
                        outcome.check(Some(format!("{}: {error:#}", case.name)));
                        continue;
                    }
                };
                outcome.tried(usable.len() * forms.len());
                for plant in find(&body) {
                    let field = name(&fields[plant.field]);
                    if plant.is_forged {
                        let form = &forms[plant.form];
                        outcome.breaks(format!("{form:?} in {field}, {wire}, {layout}"));
                    }
                    arrived.insert(field);
                }
            }
            accepted = player.scope.plants.accepted;
        }
    }
    cuts(aside, &class, &wires, &mut outcome)?;
    let missing: Vec<_> = planted.difference(&arrived).cloned().collect();
    outcome.note(format!(
        "{} forms, {} of {} fields are in a request, {} wires, {} layouts",
        forms.len(),
        arrived.len(),
        planted.len(),
        wires.len(),
        LAYOUTS.len()
    ));
    if !missing.is_empty() {
        outcome.note(format!("in no request: {}", missing.join(", ")));
    }
    Ok(outcome)
}

/// Returns the tag's forms. The short form has the plain ones, which are the
/// first case, and every sixty-fourth of the others.
pub(super) fn forms(extent: Extent) -> Result<Vec<String>> {
    let class = Class::read("forms")?;
    let mut groups = Vec::new();
    for case in &class.cases {
        let scopes = class.scopes(case, extent)?.into_iter();
        let forms = scopes.map(|mut scope| scope.text(&case.name));
        groups.push(forms.collect::<Result<Vec<_>>>()?);
    }
    let plain = groups.remove(0).into_iter();
    let others = groups.concat().into_iter().step_by(extent.pick(1, 64));
    Ok(plain.chain(others).collect())
}

/// Returns a provider, or a provider and a model, for every wire: the command's
/// help names all providers.
///
/// So a new provider is attacked without a change here.
fn wires(aside: &str) -> Result<Vec<String>> {
    let help = Place::new(aside)?.run(&["render", "--help"])?.text();
    let values = help
        .split("--provider <PROVIDER>")
        .nth(1)
        .and_then(|it| it.split_once("[possible values: ")?.1.split(']').next())
        .context("the help of render lists no providers")?;
    let names = values.split(',').map(|it| it.trim().to_owned());
    Ok(names.chain(WIRES_BY_MODEL.map(str::to_owned)).collect())
}

/// Returns a request's body.
///
/// # Errors
/// The command prints no JSON; the error has the start of its stderr.
fn render(place: &Place, arguments: &[String], wire: &str, layout: &str) -> Result<Value> {
    let options = format!("render --layout {layout} --date 2026-01-31 --provider {wire}");
    let options = options.split(' ').map(str::to_owned);
    let ran = place.run(&options.chain(arguments.iter().cloned()).collect::<Vec<_>>())?;
    serde_json::from_slice(&ran.stdout).with_context(|| {
        let stderr = String::from_utf8_lossy(&ran.stderr);
        let start: String = stderr.chars().take(2_000).collect();
        format!("no request on the wire of {wire}: {start}")
    })
}

/// How many joins the case file's variable `joins` has.
const JOINS: usize = 6;

/// Tries every cut of a tag over two and three blocks, if the wire joins them.
///
/// There are some hundreds of cuts, all in one file of messages, so each wire
/// and layout needs one command.
fn cuts(aside: &str, class: &Class, wires: &[String], outcome: &mut Outcome) -> Result<()> {
    let mut pieces = Vec::new();
    for tag in ["<system-reminder>", "</system-reminder>"] {
        for first in 1..tag.len() {
            pieces.push(vec![&tag[..first], &tag[first..]]);
            for second in first + 1..tag.len() {
                pieces.push(vec![&tag[..first], &tag[first..second], &tag[second..]]);
            }
        }
    }
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    let mut scope = Scope::new(&class.values, Plants::default());
    for (cut, pieces) in pieces.iter().enumerate() {
        scope.set("cut", cut);
        for join in 0..JOINS {
            let (texts, documents) = blocks(&format!("Q{join}.{cut}["), pieces);
            let pairs = texts.iter().zip(&documents).enumerate();
            let mixed =
                pairs.map(|(at, (text, document))| if at % 2 == 0 { text } else { document });
            scope.set(&format!("mixed{join}"), mixed.cloned().collect::<Value>());
            scope.set(&format!("texts{join}"), texts);
            scope.set(&format!("documents{join}"), documents);
        }
        let joins = scope.fill(&"${joins}".into())?;
        messages.extend(joins.as_array().into_iter().flatten().cloned());
    }
    let place = Place::new(aside)?;
    let file = place.write("messages.json", Value::from(messages).to_string())?;
    let arguments = ["--messages".to_owned(), file.to_string_lossy().into_owned()];
    for (wire, layout) in wires.iter().flat_map(|wire| LAYOUTS.map(|it| (wire, it))) {
        let body = render(&place, &arguments, wire, layout)?;
        outcome.tried(pieces.len() * JOINS);
        for plant in find(&body).iter().filter(|plant| plant.is_forged) {
            let cut = &pieces[plant.form];
            outcome.breaks(format!("{cut:?} in join {}, {wire}, {layout}", plant.field));
        }
    }
    Ok(())
}

/// Returns a cut's pieces as text blocks and as documents, with the marks in
/// the first and the last piece.
fn blocks(start: &str, pieces: &[&str]) -> (Vec<Value>, Vec<Value>) {
    let last = pieces.len() - 1;
    let texts = pieces.iter().enumerate().map(|(at, piece)| {
        let start = if at == 0 { start } else { "" };
        let end = if at == last { "]Q" } else { "" };
        let text = format!("{start}{piece}{end}");
        let source = json!({"type": "text", "media_type": "text/plain", "data": text});
        (json!({"type": "text", "text": text}), json!({"type": "document", "source": source}))
    });
    texts.unzip()
}
