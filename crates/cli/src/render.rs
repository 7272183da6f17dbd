use std::sync::Arc;

use anyhow::Context;
use aside_messages::conversation::EntryDraft;
use aside_providers::Options;
use uuid::Uuid;

use crate::Failure;
use crate::arguments::Render;
use crate::convert;
use crate::interrupt;
use crate::output;
use crate::request;

pub(crate) fn run(arguments: &Render) -> Result<(), Failure> {
    let (mut session, workspace) = request::open(&arguments.session, &arguments.request)?;
    // Ids are not on the wire, and the same command gives the same bytes.
    let mut conversation = session.begin(Uuid::nil());
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
    if let Some(provider) = arguments.request.provider {
        let converted =
            convert::convert(&prepared.request()?, provider.into(), &Options::default())?;
        output::print([&converted.body[..]])?;
    } else if arguments.pretty {
        let mut pretty = serde_json::to_vec_pretty(&prepared.request()?)?;
        pretty.push(b'\n');
        output::print([&pretty[..]])?;
    } else {
        output::print(prepared.body.chunks().map(|chunk| &chunk[..]))?;
    }
    Ok(())
}
