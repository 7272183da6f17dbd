mod before;
mod offered;

use std::sync::Arc;

use anyhow::Context;
use aside_host::Host;
use aside_messages::conversation::EntryDraft;
use aside_messages::encode::Body;
use aside_providers::Options;

use crate::Failure;
use crate::arguments::Render;
use crate::convert;
use crate::interrupt;
use crate::output;
use crate::request;
use crate::run;

pub(crate) fn run(arguments: &Render) -> Result<(), Failure> {
    let body = match arguments.resume {
        Some(id) => run::next_request(arguments, id)?,
        None => body(arguments)?,
    };
    if let Some(provider) = arguments.request.provider {
        let request = body.to_request()?;
        let converted = convert::convert(&request, provider.into(), &Options::default())?;
        output::print([&converted.body[..]])?;
    } else if arguments.pretty {
        let mut pretty = serde_json::to_vec_pretty(&body.to_request()?)?;
        pretty.push(b'\n');
        output::print([&pretty[..]])?;
    } else {
        output::print(body.chunks().map(|chunk| &chunk[..]))?;
    }
    Ok(())
}

/// The next request of a session that begins now.
fn body(arguments: &Render) -> Result<Body, Failure> {
    // What is wrong with the arguments is told before git and files are asked.
    let before = before::read(arguments).map_err(Failure::usage)?;
    let (mut config, faults) =
        request::config(&Host::look(), &arguments.session, &arguments.request)?;
    if let Some(file) = &arguments.tools {
        config.tools = offered::read(file).map_err(Failure::usage)?;
    }
    let (mut session, workspace) = request::start(config, &faults)?;
    let mut conversation = before.begin(&session).map_err(Failure::usage)?;
    if let Some(prompt) = &arguments.prompt {
        conversation.push(EntryDraft::human(prompt.as_str()));
        let mentions = session.resolve_mentions(prompt, Arc::new(workspace));
        let (entries, faults) = interrupt::block_on(mentions)?;
        for fault in faults {
            output::say("warning", &fault.to_string());
        }
        for entry in entries {
            conversation.push(entry);
        }
    }
    let prepared = session
        .prepare(&conversation)
        .context("failed to prepare a request")?;
    for fault in &prepared.diagnostics {
        output::say("warning", &fault.to_string());
    }
    Ok(prepared.body)
}
