use anyhow::Context;
use aside_agent::Session;
use aside_host::Host;
use aside_messages::conversation::EntryDraft;
use uuid::Uuid;

use crate::Failure;
use crate::arguments::Render;
use crate::interrupt;
use crate::output;
use crate::session;

pub(crate) fn run(arguments: &Render) -> Result<(), Failure> {
    let host = Host::look();
    let mut faults = Vec::new();
    let mut config = session::config(&arguments.session, &host, &mut faults)?;
    config.layout = arguments.layout.into();
    config.model.clone_from(&arguments.model);
    config.max_tokens = arguments.max_tokens;
    config.date = arguments.date.unwrap_or(host.today);

    let mut session = interrupt::block_on(Session::open(config))?;
    // Ids are not on the wire, and the same command gives the same bytes.
    let mut conversation = session.begin(Uuid::nil());
    if let Some(prompt) = &arguments.prompt {
        conversation.push(EntryDraft::human(prompt.as_str()));
    }
    for fault in faults.iter().chain(session.diagnostics()) {
        output::say("warning", &fault.to_string());
    }
    let prepared = session
        .prepare(&conversation)
        .context("failed to prepare a request")?;
    for fault in &prepared.diagnostics {
        output::say("warning", &fault.to_string());
    }
    if arguments.pretty {
        let mut pretty = serde_json::to_vec_pretty(&prepared.request()?)?;
        pretty.push(b'\n');
        output::print([&pretty[..]])?;
    } else {
        output::print(prepared.body.chunks().map(|chunk| &chunk[..]))?;
    }
    Ok(())
}
