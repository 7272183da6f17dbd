use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::config_error::ConfigError;

/// One server in `mcpServers`, as `.mcp.json` and settings spell it. Unknown
/// keys are ignored: other programs have more.
///
/// ```
/// use aside_mcp::{ServerConfig, Endpoint};
///
/// let json = r#"{"command":"npx","args":["-y","@acme/docs"],"env":{"KEY":"${DOCS_KEY:-none}"}}"#;
/// let config: ServerConfig = serde_json::from_str(json)?;
/// assert_eq!(config.summary(), "npx -y @acme/docs (env: KEY=${DOCS_KEY:-none})");
///
/// let config = config.expand(|_| None)?;
/// assert_eq!(config.env["KEY"], "none");
/// assert!(matches!(config.endpoint()?, Endpoint::Stdio { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerConfig {
    /// `stdio`, `http` or a synonym; by default the other keys decide.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The program to start, for a server on stdio.
    pub command: Option<String>,
    /// Arguments for the program.
    pub args: Vec<String>,
    /// Variables for the program, which gets few others. They may be secrets.
    pub env: BTreeMap<String, String>,
    /// The URL to connect to, for a server over HTTP.
    pub url: Option<String>,
    /// Headers to send to that URL. They may be secrets.
    pub headers: BTreeMap<String, String>,
    /// The directory to start the program in, which decides what a relative path names; by default
    /// that of the options.
    #[serde(skip)]
    pub cwd: Option<PathBuf>,
    /// The summary from before [`ServerConfig::expand`], which may insert secrets.
    #[serde(skip)]
    pub unexpanded: Option<String>,
}

/// How to reach a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint<'a> {
    /// A program that speaks MCP on stdin and stdout.
    Stdio {
        /// The program; a plain name is looked up in `PATH`.
        command: &'a str,
    },
    /// A server over streamable HTTP.
    Http {
        /// The URL, `http` or `https`.
        url: &'a str,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    Stdio,
    Http,
}

impl ServerConfig {
    /// Returns how to reach the server.
    ///
    /// # Errors
    ///
    /// The type is not supported, or a required key is missing or empty.
    pub fn endpoint(&self) -> Result<Endpoint<'_>, ConfigError> {
        match self.transport()? {
            Transport::Stdio => {
                let command = present(&self.command).ok_or(ConfigError::Missing("command"))?;
                Ok(Endpoint::Stdio { command })
            }
            Transport::Http => {
                let url = self.url.as_deref().ok_or(ConfigError::Missing("url"))?;
                if url.starts_with("http://") || url.starts_with("https://") {
                    return Ok(Endpoint::Http { url });
                }
                // The rest may have a secret.
                let scheme = url.find("://").map_or("", |at| &url[..at + 3]);
                Err(ConfigError::Address(format!("{scheme}…")))
            }
        }
    }

    /// Decides between the program and the URL, for the connection and for what
    /// the user is shown.
    fn transport(&self) -> Result<Transport, ConfigError> {
        match self.kind.as_deref() {
            Some("stdio") => Ok(Transport::Stdio),
            Some("http" | "streamable-http" | "streamableHttp") => Ok(Transport::Http),
            Some(kind) => Err(ConfigError::Kind(kind.to_owned())),
            None if present(&self.command).is_some() => Ok(Transport::Stdio),
            None if self.url.is_some() => Ok(Transport::Http),
            None => Err(ConfigError::Missing("command or url")),
        }
    }

    /// Replaces `${NAME}` by the variable's value, and `${NAME:-text}` by the
    /// text when the variable is not set, in every value but `type`. This never
    /// changes a program into a URL, or the reverse.
    ///
    /// # Errors
    ///
    /// A variable is not set and has no default, or the command is empty then.
    pub fn expand(
        mut self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let transport = self.transport();
        self.unexpanded = Some(self.summary());
        let texts = self.command.iter_mut().chain(&mut self.args);
        let texts = texts.chain(self.env.values_mut()).chain(&mut self.url);
        for text in texts.chain(self.headers.values_mut()) {
            *text = expanded(text, &variable)?;
        }
        if transport == Ok(Transport::Stdio) && present(&self.command).is_none() {
            return Err(ConfigError::Missing("command"));
        }
        Ok(self)
    }

    /// Returns the command line or the URL, to show what would be started. For variables and
    /// headers it shows names only, unless the value refers to one of the user's variables. These
    /// are shown as they are written, also after [`ServerConfig::expand`].
    #[must_use]
    pub fn summary(&self) -> String {
        if let Some(summary) = &self.unexpanded {
            return summary.clone();
        }
        self.line(|value| value.contains("${"))
    }

    /// Returns the [summary](Self::summary) with the values of variables and headers, which decide
    /// what a program does: `PATH` even which one it is. For a repository's configuration as it is
    /// written, whose values are no secrets.
    #[must_use]
    pub fn full_summary(&self) -> String {
        self.line(|_| true)
    }

    fn line(&self, is_shown: impl Fn(&str) -> bool) -> String {
        let (command, url) = (self.command.iter().chain(&self.args), self.url.iter());
        let words: Vec<Cow<'_, str>> = match self.transport() {
            Ok(Transport::Stdio) => command.map(|word| quoted(word)).collect(),
            Ok(Transport::Http) => url.map(|word| quoted(word)).collect(),
            Err(_) => command.chain(url).map(|word| quoted(word)).collect(),
        };
        let mut text = words.join(" ");
        for (key, values) in [("env", &self.env), ("headers", &self.headers)] {
            let shown = values.iter().map(|(name, value)| {
                let name = quoted(name);
                if is_shown(value) { format!("{name}={}", quoted(value)) } else { name.into() }
            });
            let shown: Vec<String> = shown.collect();
            if !shown.is_empty() {
                text.push_str(&format!(" ({key}: {})", shown.join(", ")));
            }
        }
        text
    }

    /// Hashes the keys that decide what is started, together with a scope, in hexadecimal. An
    /// approval for one configuration does not cover another. The scope has to name the directory
    /// where the program starts: `./server` is another program elsewhere. Call it before
    /// [`ServerConfig::expand`], which may insert secrets.
    #[must_use]
    pub fn fingerprint(&self, scope: &[&str]) -> String {
        let json = serde_json::to_vec(&(scope, self)).expect("texts and maps of texts are JSON");
        let hash = Sha256::digest(&json);
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl std::fmt::Debug for ServerConfig {
    /// Hides the values of variables and headers.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ServerConfig").field(&self.summary()).finish()
    }
}

fn present(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.is_empty())
}

/// Returns a word with quotes if it could pass for several, or for none.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain =
        |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '"' | '\'' | '`');
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into()
    } else {
        format!("{word:?}").into()
    }
}

fn expanded(text: &str, variable: &impl Fn(&str) -> Option<String>) -> Result<String, ConfigError> {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((reference, after)) = after.split_once('}') else {
            break;
        };
        whole.push_str(before);
        let (name, default) = match reference.split_once(":-") {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (reference, None),
        };
        let value = variable(name).or(default);
        whole.push_str(&value.ok_or_else(|| ConfigError::Variable(name.to_owned()))?);
        rest = after;
    }
    Ok(whole + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> ServerConfig {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_endpoint_follows_from_the_keys() {
        let check = |json: &str, expected: &str| {
            let config = read(json);
            let found = match config.endpoint() {
                Ok(Endpoint::Stdio { command }) => format!("stdio {command}"),
                Ok(Endpoint::Http { url }) => format!("http {url}"),
                Err(error) => error.to_string(),
            };
            assert_eq!(found, expected, "{json}");
        };
        check(r#"{"command":"npx"}"#, "stdio npx");
        check(r#"{"type":"stdio","command":"npx","url":"x"}"#, "stdio npx");
        check(r#"{"url":"https://a.example/mcp"}"#, "http https://a.example/mcp");
        check(r#"{"type":"http","url":"http://[::1]:1"}"#, "http http://[::1]:1");
        check(r#"{"command":"","url":"https://a"}"#, "http https://a");
        check(r#"{"url":"file:///etc/passwd"}"#, r#"url "file://…": expected http:// or https://"#);
        check("{}", "command or url is missing");
        check(r#"{"command":""}"#, "command or url is missing");
        check(r#"{"type":"http","command":"npx"}"#, "url is missing");
        check(r#"{"type":"stdio","url":"http://a"}"#, "command is missing");
        check(
            r#"{"type":"sse","url":"http://a"}"#,
            r#"type "sse" is not supported: expected stdio or http"#,
        );
    }

    #[test]
    fn the_summary_shows_the_server_that_is_reached() {
        let check = |json: &str, expected: &str| {
            let config = read(json);
            assert_eq!(config.summary(), expected, "{json}");
            // None is reached if the expanded configuration is not valid.
            let Ok(config) = config.expand(|_| None) else { return };
            let (Endpoint::Stdio { command: reached } | Endpoint::Http { url: reached }) =
                config.endpoint().unwrap();
            assert!(expected.starts_with(reached), "{json}: {reached}");
        };
        let both = r#""command":"npx","args":["-y"],"url":"https://a?k=${KEY:-}""#;
        check(&format!("{{{both}}}"), "npx -y");
        check(&format!(r#"{{"type":"stdio",{both}}}"#), "npx -y");
        check(&format!(r#"{{"type":"http",{both}}}"#), "https://a?k=${KEY:-}");
        check(r#"{"url":"https://a"}"#, "https://a");
        check(r#"{"command":"","url":"https://a"}"#, "https://a");
        // An empty command would make it a URL otherwise.
        check(r#"{"command":"${NO:-}","url":"https://a"}"#, "${NO:-}");
    }

    #[test]
    fn variables_are_expanded_once() {
        let variable = |name: &str| (name == "A").then(|| "${B}".to_owned());
        let check = |text: &str, expected: &str| {
            let found = expanded(text, &variable).unwrap_or_else(|error| error.to_string());
            assert_eq!(found, expected, "{text}");
        };
        check("a ${A} $A ${", "a ${B} $A ${");
        check("${B:-}${C:-x}", "x");
        check("${B}", "the variable B is not set");
    }

    #[test]
    fn the_fingerprint_covers_every_key() {
        let forms = [
            r#"{"command":"a","args":["b"]}"#,
            r#"{"command":"a","args":["b","c"]}"#,
            r#"{"command":"a b"}"#,
            r#"{"command":"a","args":["b"],"env":{"LD_PRELOAD":"x"}}"#,
            r#"{"command":"a","args":["b"],"type":"stdio"}"#,
            r#"{"url":"https://a"}"#,
            r#"{"url":"https://a","headers":{"k":"v"}}"#,
        ];
        let all: std::collections::BTreeSet<String> =
            forms.iter().map(|json| read(json).fingerprint(&["p"])).collect();
        assert_eq!(all.len(), forms.len());
        let reordered = read(r#"{"unknown":1,"args":["b"],"command":"a"}"#);
        assert_eq!(reordered.fingerprint(&["p"]), read(forms[0]).fingerprint(&["p"]));
        assert_ne!(reordered.fingerprint(&["q"]), read(forms[0]).fingerprint(&["p"]));
    }

    #[test]
    fn words_are_quoted_and_values_can_be_shown() {
        let check = |json: &str, summary: &str, full: &str| {
            let config = read(json);
            assert_eq!((&*config.summary(), &*config.full_summary()), (summary, full));
        };
        let plain = r#"{"command":"npx","args":["-y","@acme/docs","--dir=a/b","${A:-b}"]}"#;
        check(plain, "npx -y @acme/docs --dir=a/b ${A:-b}", "npx -y @acme/docs --dir=a/b ${A:-b}");
        let spaces = r#""npx -y @acme/docs""#;
        check(r#"{"command":"npx -y @acme/docs"}"#, spaces, spaces);
        let words = r#"a "" "b \"c" "(env:\u{a0}x)""#;
        check(r#"{"command":"a","args":["","b \"c","(env:\u00a0x)"]}"#, words, words);
        check(
            r#"{"command":"a","env":{"LD_PRELOAD":"./x.so","PATH":"bin","B":"c, D=e","K":"${K}"}}"#,
            "a (env: B, K=${K}, LD_PRELOAD, PATH)",
            r#"a (env: B="c, D=e", K=${K}, LD_PRELOAD=./x.so, PATH=bin)"#,
        );
        check(
            r#"{"url":"https://a","headers":{"X":"Bearer ${K}","Y":"z"}}"#,
            r#"https://a (headers: X="Bearer ${K}", Y)"#,
            r#"https://a (headers: X="Bearer ${K}", Y=z)"#,
        );
    }

    #[test]
    fn values_of_variables_are_not_shown() {
        let config = read(r#"{"url":"https://a","headers":{"Authorization":"secret"}}"#);
        assert_eq!(format!("{config:?}"), r#"ServerConfig("https://a (headers: Authorization)")"#);

        let variable = |name: &str| (name == "KEY").then(|| "secret".to_owned());
        let check = |json: &str, expected: &str| {
            let config = read(json).expand(variable).unwrap();
            assert_eq!(config.summary(), expected);
            assert_eq!(format!("{config:?}"), format!("ServerConfig({expected:?})"));
        };
        check(r#"{"url":"https://a/mcp?k=${KEY}"}"#, "https://a/mcp?k=${KEY}");
        check(r#"{"command":"a","args":["-t","${KEY}"]}"#, "a -t ${KEY}");
        check(r#"{"command":"${A:-a}"}"#, "${A:-a}");
    }
}
