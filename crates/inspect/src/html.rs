//! A page for a browser: one file that loads nothing.
//!
//! Nothing from a body is markup or script. Texts and names are in two JSON
//! blocks where `<`, `>` and `&` are escaped, and the script puts them into the
//! page as text only. The Content-Security-Policy allows this one script and
//! this one style by their hashes, and nothing else.

mod data;
mod rows;

use aside_cache_model::Body;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::report::Report;
use crate::timeline::Step;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// The markup, the same for all requests.
const BODY: &str = include_str!("html/page.html");

/// How to write a page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PageOptions {
    /// Whether to put the parts' texts into the page.
    pub has_texts: bool,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self { has_texts: true }
    }
}

impl PageOptions {
    /// Sets whether the page has the parts' texts.
    #[must_use]
    pub fn with_texts(mut self, has_texts: bool) -> Self {
        self.has_texts = has_texts;
        self
    }
}

impl Report {
    /// Writes a report as a page. `request` is the report's request; its texts
    /// are in the page unless the options leave them out.
    ///
    /// ```
    /// use aside_cache_model::Body;
    /// use aside_inspect::PageOptions;
    ///
    /// let body = br#"{"model":"claude-opus-5-5","messages":[{"role":"user","content":"<script>alert(1)</script>"}]}"#;
    /// let request = Body::parse(body)?;
    /// let page = aside_inspect::report(&request, None, None).to_html(&request, &PageOptions::default());
    /// assert!(page.starts_with("<!doctype html>"));
    /// assert!(!page.contains("<script>alert"));
    /// # Ok::<(), aside_cache_model::ParseError>(())
    /// ```
    #[must_use]
    pub fn to_html(&self, request: &Body, options: &PageOptions) -> String {
        page(self, request, &[], options)
    }
}

/// Writes a page with one request's report, and the timeline of the log that it
/// is from.
///
/// The page has all parts of the report's request; for the log's other requests
/// it has figures and the first difference. If the options leave out texts,
/// remove those in the steps too, with [`Step::without_text`].
#[must_use]
pub fn page(report: &Report, request: &Body, steps: &[Step], options: &PageOptions) -> String {
    let data = data::of(report, request, steps, options);
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    let parts = [
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"",
        &policy,
        "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<meta name=\"color-scheme\" content=\"light dark\">\n",
        "<title>Context of a request</title>\n<style>",
        STYLE,
        "</style>\n</head>\n<body>\n",
        BODY,
        "<script type=\"application/json\" id=\"data\">",
        &data.parts,
        "</script>\n<script type=\"application/json\" id=\"texts\">",
        &data.texts,
        "</script>\n<script>",
        SCRIPT,
        "</script>\n</body>\n</html>\n",
    ];
    parts.concat()
}

/// Returns the source expression that allows a text in a policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}
