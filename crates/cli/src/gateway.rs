//! `aside proxy` and `aside serve`, from `aside-gateway`.
//!
//! | command | task | exit code |
//! |---|---|---|
//! | `proxy` | forwards requests, observes the cache | the command's; 1 for a denied finding |
//! | `serve` | responds by a script or a recording | 1 for a refused request or a cache miss |
//! | `serve --suite` | runs an agent through situations | 1 for a finding |
//!
//! Both turn their arguments into server options and run the server in
//! `interrupt::serve` until a signal arrives or, when you pass a command after
//! `proxy --`, until it ends. `serve`, and `proxy` without a command, print the
//! address on stdout as variables to give to the agent, such as
//! `ANTHROPIC_BASE_URL=http://127.0.0.1:4010`; lines about requests go to
//! stderr. `serve --json` prints the report as the second line on stdout, so it
//! prints the variables for other wires on stderr.

mod command;
mod hints;
mod junit;
mod suite;

use std::path::Path;

use anyhow::{Context, anyhow};
use aside_gateway::Access;
use aside_gateway::proxy::{Markers, ProxyError, ProxyOptions, Texts, Upstreams};
use aside_gateway::serve::{Script, ScriptError, ServeOptions, Server, replay};
use aside_gateway::strict::Enforcement;
use aside_host::EnvVars;

use crate::Failure;
use crate::arguments::{Placer, Proxy, Serve};
use crate::count::count;
use crate::input;
use crate::interrupt;
use crate::junit::write;
use crate::logs;
use crate::{output, output_file};

/// Runs the proxy. Without `--upstream`, it takes the upstreams from the
/// variables that agents use to find base URLs, such as `ANTHROPIC_BASE_URL`.
///
/// # Errors
/// A wrong upstream is a usage error. When an address cannot be bound, or a
/// finding is denied, this fails with exit code 1; otherwise, the result is the
/// exit code from the command, if any.
pub(crate) fn proxy(arguments: &Proxy) -> Result<(), Failure> {
    let upstreams = if arguments.upstream.is_empty() {
        let environment = EnvVars::of_process();
        let get = |name: &str| environment.get(name)?.to_str().map(str::to_owned);
        Upstreams::from_variables(get)
    } else {
        Upstreams::from_arguments(arguments.upstream.iter().map(String::as_str))
    };
    let mut options = ProxyOptions::default();
    options.upstreams = upstreams.map_err(|error| Failure::usage(error.into()))?;
    options.listen = arguments.listen;
    options.access = access(arguments.allow_remote);
    arguments.record.as_deref().map_or(Ok(()), output_file::check)?;
    options.record.clone_from(&arguments.record);
    options.max_request_bytes = arguments.max_request.saturating_mul(1 << 20);
    options.deny.clone_from(&arguments.deny);
    if arguments.redact {
        options.texts = Texts::Redacted;
    }
    if arguments.place == Some(Placer::Aside) {
        options.markers = Markers::Aside;
    }
    let form = if arguments.json { command::Form::Json } else { command::Form::Text };
    interrupt::serve(command::run(options, &arguments.command, form))?
}

/// Runs the test server until a signal ends it, then prints its report.
///
/// The report goes to stdout as one JSON line with `--json`, to the `--junit`
/// file, and always as text to stderr, with a line for each refused request and
/// each miss. A script takes precedence over a recording; without either, the
/// server has built-in responses.
///
/// # Errors
/// A script that cannot be read is a usage error. When the address cannot be
/// bound, or the report is not clean, this fails with exit code 1.
pub(crate) fn serve(arguments: &Serve) -> Result<(), Failure> {
    if let Some(names) = &arguments.suite {
        return suite::run(arguments, names);
    }
    let mut options = ServeOptions::default();
    options.listen = arguments.listen;
    options.access = access(arguments.allow_remote);
    options.faults = arguments.fail.clone().unwrap_or_default();
    options.enforcement = if arguments.strict { Enforcement::Strict } else { Enforcement::Off };
    options.script = script(arguments)?;
    let report = interrupt::serve(async {
        let server = Server::bind(options).await.map_err(|error| anyhow!("failed to {error}"))?;
        let address = server.address();
        output::print([format!("ANTHROPIC_BASE_URL=http://{address}\n").as_bytes()])?;
        let others =
            format!("OPENAI_BASE_URL=http://{address}/v1 GOOGLE_GEMINI_BASE_URL=http://{address}");
        output::progress("serve", &others);
        let report = server.run(interrupt::signalled()).await;
        report.context("failed to serve")
    })??;
    if arguments.json {
        output::compact_json(&report)?;
    }
    if let Some(path) = &arguments.junit {
        write(path, &junit::report(&report))?;
    }
    for refusal in &report.refusals {
        let number = refusal.request;
        output::progress("refused", &format!("request {number}: {}", refusal.message));
    }
    for miss in &report.misses {
        output::progress("miss", &miss.to_string());
    }
    for asked in &report.not_found {
        output::progress("not found", asked);
    }
    let requests = count(report.requests, "request", "requests");
    let totals = &report.totals;
    output::progress(
        "report",
        &format!(
            "{requests}, {} refused, {} failed on demand, {} missed the cache; \
             read {} written {} plain {} {}",
            report.refused,
            report.failed_on_demand,
            report.missed,
            totals.cache_read_input_tokens,
            totals.cache_creation_input_tokens,
            totals.input_tokens,
            totals.price()
        ),
    );
    if report.is_clean() {
        return Ok(());
    }
    if report.requests == 0 {
        return Err(anyhow!("no request to an API arrived").into());
    }
    let (refused, missed) = (report.refused, report.missed);
    Err(anyhow!("{requests}: {refused} refused, {missed} missed the cache").into())
}

/// Returns which addresses may be bound: loopback only, unless `--allow-remote`
/// is given.
fn access(is_remote: bool) -> Access {
    if is_remote { Access::Remote } else { Access::Loopback }
}

/// Reads the script or the recordings.
fn script(arguments: &Serve) -> Result<Option<Script>, Failure> {
    let read = |path: &Path, parse: fn(&str, &str) -> Result<Script, ScriptError>| {
        let text = input::text(path, input::MAX_BODY_BYTES).map_err(Failure::usage)?;
        let script = parse(&path.to_string_lossy(), &text).context("failed to read the script");
        script.map_err(Failure::usage)
    };
    if let Some(path) = &arguments.script {
        return read(path, |name, text| Script::parse(name, text)).map(Some);
    }
    let mut recorded: Option<Script> = None;
    for path in logs::list(&arguments.replay)? {
        let next = read(&path, replay)?;
        recorded = Some(match recorded {
            Some(before) => before.followed_by(next),
            None => next,
        });
    }
    if recorded.as_ref().is_some_and(Script::is_empty) {
        let message = "no answer to replay: the records have no responses";
        return Err(Failure::usage(anyhow!(message)));
    }
    Ok(recorded)
}

/// Returns why the proxy did not start: a wrong upstream is a usage error, an
/// address already in use is not.
fn bind_failure(error: ProxyError) -> Failure {
    match error {
        ProxyError::Upstream(_) => Failure::usage(error.into()),
        ProxyError::Bind(error) => anyhow!("failed to {error}").into(),
        _ => error.into(),
    }
}
