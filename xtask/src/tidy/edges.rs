//! The table of each crate's dependencies and powers.
//!
//! An edge is allowed only if the crate's rule names it, so a new dependency is
//! a decision with a reason in a commit. You only have to name guarded external
//! dependencies: those with many dependencies of their own, with a runtime, or
//! with access to the machine. Every other crate in the workspace's manifest is
//! free to use.
//!
//! A rule with an edge that no crate uses is a fault as well, so that the table
//! describes the architecture as it is.

use super::Package;

/// What a crate may use, in addition to the workspace's unguarded dependencies.
pub(crate) struct Rule {
    /// The folder below `crates`, or below the workspace for a tool.
    pub(crate) name: &'static str,
    /// Other crates in the workspace, by directory.
    internal: &'static [&'static str],
    /// Guarded external dependencies.
    guarded: &'static [&'static str],
    pub(crate) powers: &'static [Power],
}

/// A kind of access to the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Power {
    /// `std::fs`, `tokio::fs`, and path methods that look at the disk.
    Files,
    /// `std::env`: variables, the working directory, arguments.
    Environment,
    /// `std::process` and `tokio::process`.
    Processes,
    /// `SystemTime` and `Instant`.
    Clock,
    /// Sockets that listen. In the product, only the gateway has them.
    Network,
    /// `serde_json::Value` and `RawValue`. Only `messages::wire` and
    /// `body::Body` read incoming bodies.
    Json,
    /// The keys in a vendor's usage: `models` reads them for everyone. The
    /// others write a form of their own, which has the Messages API's keys.
    UsageKeys,
}

use Power::{Clock, Environment, Files, Json, Network, Processes, UsageKeys};

/// A constant function keeps the table to one line per crate.
const fn rule(
    name: &'static str,
    internal: &'static [&'static str],
    guarded: &'static [&'static str],
    powers: &'static [Power],
) -> Rule {
    Rule { name, internal, guarded, powers }
}

/// Every crate below `scenario`.
const ALL: &[&str] = &[
    "agent",
    "attachments",
    "cache-model",
    "cache-split",
    "claudemd",
    "diagnostic",
    "user-files",
    "git-context",
    "host",
    "inspect",
    "messages",
    "models",
    "prompt-sections",
    "providers",
    "reminder",
    "rules",
    "session",
    "text",
    "tools",
];

/// The whole architecture. An edge that is not here is not allowed.
///
/// The columns are: crate, crates in the workspace, guarded dependencies,
/// powers.
#[rustfmt::skip]
pub(crate) const RULES: &[Rule] = &[
    rule("text", &[], &[], &[]),
    rule("diagnostic", &["text"], &[], &[]),
    rule("json", &[], &[], &[]),
    rule("body", &["json", "models", "text"], &[], &[]),
    rule("rules", &["body", "json", "models", "text"], &[], &[]),
    rule("messages", &["body", "diagnostic", "json", "models", "text"], &[], &[Json]),
    rule("user-files", &["text"], &["serde_yaml", "gray_matter", "rustix", "walkdir"], &[Files, Json]),
    rule("attachments", &["messages", "text"], &["schemars", "similar"], &[]),
    rule("reminder", &["diagnostic", "messages", "text", "user-files"], &["schemars"], &[Files, Json]),
    rule("prompt-sections", &["diagnostic", "models", "text"], &["futures-util", "schemars"], &[]),
    rule("cache-split", &["body", "messages", "models", "prompt-sections", "text"], &[], &[Json]),
    rule("cache-model", &["body", "json", "models", "rules", "text"], &[], &[]),
    rule("inspect", &["cache-model", "json", "messages", "models", "prompt-sections", "request-logs", "rules", "text"], &["base64"], &[]),
    rule("claudemd", &["diagnostic", "text", "user-files"], &["walkdir"], &[Files]),
    rule("git-context", &["diagnostic", "text"], &["tokio", "rustix"], &[Files, Environment, Processes, Clock]),
    rule("providers", &["body", "diagnostic", "json", "messages", "models", "rules", "text", "user-files"], &["base64"], &[Json, UsageKeys]),
    rule("models", &["text"], &[], &[UsageKeys]),
    rule("session", &["attachments", "body", "cache-split", "claudemd", "diagnostic", "git-context", "messages", "models", "prompt-sections", "providers", "reminder", "rules", "text", "user-files"], &["schemars", "tokio"], &[Json]),
    rule("agent", &["attachments", "diagnostic", "messages", "models", "providers", "session"], &["futures-util", "tokio"], &[]),
    rule("request-logs", &["body", "models", "text", "user-files"], &[], &[Files, Json]),
    rule("tools", &["agent", "attachments", "messages", "session", "text", "user-files"], &["tokio", "walkdir", "base64", "grep-regex", "grep-searcher", "ignore"], &[Files, Clock, Json]),
    rule("transport", &["agent", "messages", "models", "providers"], &["futures-util", "tokio", "reqwest", "rustls", "aws-sigv4", "tracing"], &[Clock]),
    rule("mcp", &["agent", "diagnostic", "json", "messages", "session", "text"], &["futures-util", "reqwest", "rmcp", "rustix", "rustls", "tokio"], &[Processes, Json]),
    rule("transcript", &["messages", "models", "reminder", "session", "user-files"], &[], &[Files, Processes, Clock]),
    rule("host", &["agent", "cache-split", "claudemd", "diagnostic", "user-files", "git-context", "mcp", "messages", "prompt-sections", "providers", "reminder", "session", "text", "transport"], &["jiff", "rustix"], &[Files, Environment, Processes, Clock, Json]),
    rule("gateway", &["body", "cache-model", "cache-split", "json", "messages", "models", "providers", "rules", "text", "user-files"], &["async-compression", "axum", "futures-util", "hyper", "hyper-util", "reqwest", "rustls", "tokio"], &[Files, Clock, Network, Json, UsageKeys]),
    rule("scenario", ALL, &["tokio", "anyhow", "schemars", "similar", "walkdir", "tempfile"], &[Files, Environment, Processes, Clock, Json, UsageKeys]),
    rule("cli", &["agent", "attachments", "body", "cache-split", "claudemd", "diagnostic", "user-files", "gateway", "host", "json", "mcp", "messages", "models", "prompt-sections", "providers", "reminder", "scenario", "session", "text", "tools", "transcript", "transport", "cache-model", "request-logs", "inspect", "rules"], &["tokio", "anyhow", "clap", "quick-junit", "tempfile"], &[Files, Environment, Processes, Clock, Network, Json, UsageKeys]),
    rule("bindings-core", &["body", "cache-model", "cache-split", "claudemd", "diagnostic", "gateway", "git-context", "inspect", "json", "messages", "models", "prompt-sections", "providers", "request-logs", "rules", "text"], &[], &[Json]),
    rule("xtask", &["scenario"], &["tokio", "anyhow", "base64", "tempfile", "walkdir"], &[Files, Environment, Processes, Clock, Json]),
    rule("attacks", &[], &["anyhow", "rustix", "tempfile", "walkdir"], &[Files, Environment, Processes, Clock, Network, Json]),
    rule("guards", &[], &["anyhow", "tempfile"], &[Files, Environment, Processes]),
];

/// External dependencies that a rule has to name.
///
/// As manifests name them.
const GUARDED: &[&str] = &[
    "anyhow",
    "async-compression",
    "aws-sigv4",
    "axum",
    "base64",
    "clap",
    "futures-util",
    "gray_matter",
    "grep-regex",
    "grep-searcher",
    "hyper",
    "hyper-util",
    "ignore",
    "jiff",
    "quick-junit",
    "reqwest",
    "rmcp",
    "rustix",
    "rustls",
    "schemars",
    "serde_yaml",
    "similar",
    "tempfile",
    "tokio",
    "tracing",
    "walkdir",
];

/// Guarded dependencies that every crate's tests may use.
const FOR_TESTS: &[&str] = &["rustix", "tempfile", "tokio"];

pub(super) fn rule_of(package: &Package) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == package.crate_name())
}

/// Returns a fault for each dependency that no rule allows, and for each
/// package without a rule. Tests may use any crate in the workspace and the
/// dependencies in `FOR_TESTS`.
pub(super) fn check(packages: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for package in packages {
        let Some(rule) = rule_of(package) else {
            faults.push(format!("{}: no rule in the table of edges", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            let is_for_tests = dependency.kind.as_deref() == Some("dev");
            let internal = name.strip_prefix("aside-").or((name == "aside").then_some("cli"));
            let allowed = match internal {
                // Tests may use a crate that the crate itself may not, but only
                // below it: cargo refuses a circle.
                Some(internal) => is_for_tests || rule.internal.contains(&internal),
                None => {
                    !GUARDED.contains(&name)
                        || rule.guarded.contains(&name)
                        || (is_for_tests && FOR_TESTS.contains(&name))
                }
            };
            if !allowed {
                faults.push(format!(
                    "edge: {} may not depend on {name} (the table of edges, rule {})",
                    package.name, rule.name
                ));
            }
        }
    }
    faults
}

/// Reports the edges in the table that no crate uses.
///
/// Dependencies for tests and for build scripts do not count as a use.
pub(super) fn unused(packages: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for rule in RULES {
        let Some(package) = packages.iter().find(|it| it.crate_name() == rule.name) else {
            faults.push(format!("edge: the rule {} has no crate", rule.name));
            continue;
        };
        let dependencies = package.dependencies.iter().filter(|it| it.kind.is_none());
        let used: Vec<_> = dependencies.map(|it| it.name.as_str()).collect();
        let internal = rule.internal.iter().map(|it| format!("aside-{it}"));
        let guarded = rule.guarded.iter().map(|it| (*it).to_owned());
        for edge in internal.chain(guarded).filter(|it| !used.contains(&it.as_str())) {
            faults
                .push(format!("edge: {} does not use {edge}, which its rule allows", package.name));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::super::Dependency;
    use super::*;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependency = |(name, kind): &(&str, Option<&str>)| Dependency {
            name: (*name).to_owned(),
            kind: kind.map(str::to_owned),
        };
        Package {
            name: name.to_owned(),
            manifest_path: String::new(),
            dependencies: dependencies.iter().map(dependency).collect(),
        }
    }

    #[test]
    fn a_forbidden_edge_is_named() {
        for (from, to) in [
            ("aside-messages", "aside-reminder"),
            ("aside-messages", "tokio"),
            ("aside-claudemd", "aside-messages"),
            ("aside-agent", "aside-host"),
            ("aside-reminder", "anyhow"),
            ("aside-claudemd", "serde_yaml"),
            ("xtask", "aside-agent"),
        ] {
            let crate_name = package(from, &[]).crate_name().to_owned();
            assert_eq!(
                check(&[package(from, &[(to, None)])]),
                [format!(
                    "edge: {from} may not depend on {to} (the table of edges, rule {crate_name})"
                )]
            );
        }
    }

    #[test]
    fn an_allowed_edge_passes() {
        let edges = [("aside-messages", None), ("serde", None), ("tempfile", Some("dev"))];
        assert_eq!(check(&[package("aside-reminder", &edges)]), Vec::<String>::new());
    }

    #[test]
    fn an_allowed_edge_that_is_not_used_is_named() {
        let edges = [("aside-messages", None), ("gray_matter", Some("dev"))];
        let faults = unused(&[package("aside-cache-split", &edges)]);
        assert!(faults.contains(
            &"edge: aside-cache-split does not use aside-prompt-sections, which its rule allows"
                .to_owned()
        ));
        assert!(faults.contains(&"edge: the rule cli has no crate".to_owned()));
        let used = "edge: aside-cache-split does not use aside-messages, which its rule allows";
        assert!(!faults.contains(&used.to_owned()));
    }

    #[test]
    fn a_crate_without_a_rule_is_named() {
        assert_eq!(
            check(&[package("aside-new", &[])]),
            ["aside-new: no rule in the table of edges"]
        );
    }
}
