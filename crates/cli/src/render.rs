mod before;
mod offered;
mod report;

use std::sync::Arc;

use anyhow::Context;
use aside_host::ProviderSelection;
use aside_messages::conversation::EntryDraft;
use aside_messages::encode::Body;

use crate::Failure;
use crate::arguments::Render;
use crate::convert;
use crate::interrupt;
use crate::kinds;
use crate::models;
use crate::output;
use crate::provider;
use crate::request;
use crate::run;
use crate::session::Invocation;
pub(crate) use report::RequestReport;

pub(crate) fn run(arguments: &Render) -> Result<(), Failure> {
    let here = Invocation::look(&arguments.session)?;
    let selection = provider::select(&here, &arguments.request)?;
    // The body that nobody converts is told of as well.
    provider::check(&selection, &arguments.request)?;
    let (body, report) = match arguments.resume {
        Some(id) => run::next_request(arguments, &here, &selection, id)?,
        None => body(arguments, &here, &selection)?,
    };
    let betas = body.betas();
    if !betas.is_empty() && !arguments.json {
        let message = format!("the request needs anthropic-beta: {}", betas.join(","));
        output::report(&kinds::BETA_NEEDED.diagnostic(message));
    }
    if arguments.json {
        let options = selection.options(arguments.resume.map(|id| id.to_string()));
        let provider = selection.provider();
        let outgoing = aside_providers::outgoing(&body, provider, &options);
        let outgoing = outgoing.with_context(|| provider::refused(provider))?;
        output::report_all(&outgoing.losses);
        let bytes = match selection.chosen() {
            Some(_) => outgoing.segments.concat(),
            None => body.to_vec(),
        };
        let json = report.to_json(&outgoing.headers, bytes)? + "\n";
        output::print([json.as_bytes()])?;
    } else if arguments.pretty {
        let mut pretty = serde_json::to_vec_pretty(&body.to_request())?;
        pretty.push(b'\n');
        output::print([&pretty[..]])?;
    } else if let Some(provider) = selection.chosen() {
        let options = selection.options(arguments.resume.map(|id| id.to_string()));
        let outgoing = aside_providers::outgoing(&body, provider, &options);
        convert::print_outgoing(outgoing, provider)?;
    } else {
        output::print(body.chunks().map(|chunk| &chunk[..]))?;
    }
    Ok(())
}

/// The next request of a session that begins now.
fn body(
    arguments: &Render,
    here: &Invocation,
    selection: &ProviderSelection,
) -> Result<(Body, RequestReport), Failure> {
    // Usage errors are reported before git runs and files are read.
    let before = before::read(arguments, selection.provider()).map_err(Failure::usage)?;
    let (mut config, faults) = request::config(here, &arguments.request, selection)?;
    models::warn(&config, selection);
    if let Some(file) = &arguments.tools {
        config.tools = offered::read(file).map_err(Failure::usage)?;
    }
    let (mut session, workspace) = request::start(config, &faults)?;
    let mut conversation = before.begin(&session).map_err(Failure::usage)?;
    session.adopt(&conversation);
    if let Some(prompt) = &arguments.prompt {
        conversation.push(EntryDraft::human(prompt.as_str()));
        let mentions = session.resolve_mentions(prompt, Arc::new(workspace));
        let (entries, faults) = interrupt::block_on(mentions)?;
        output::report_all(faults);
        for entry in entries {
            conversation.push(entry);
        }
    }
    let prepared = session
        .prepare(&conversation)
        .context("failed to prepare a request")?;
    let report = RequestReport::of(&prepared);
    output::report_all(prepared.diagnostics);
    Ok((prepared.body, report))
}
