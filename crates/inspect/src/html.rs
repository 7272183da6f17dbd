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
    let body = [
        BODY,
        "<script type=\"application/json\" id=\"data\">",
        &data.parts,
        "</script>\n<script type=\"application/json\" id=\"texts\">",
        &data.texts,
        "</script>\n<script>",
        SCRIPT,
        "</script>\n",
    ];
    document("Context of a request", &body.concat())
}

/// Returns a page with this body, which has no script but that of this module. The title
/// is a text.
pub(crate) fn document(title: &str, body: &str) -> String {
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
        "<title>",
        title,
        "</title>\n<style>",
        STYLE,
        "</style>\n</head>\n<body>\n",
        body,
        "</body>\n</html>\n",
    ];
    parts.concat()
}

/// Returns the source expression that allows a text in a policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the luminance of `#rgb` or `#rrggbb`, as WCAG 2 defines it.
    fn luminance(color: &str) -> f64 {
        let digits = color.trim_start_matches('#');
        let step = digits.len() / 3;
        let channel = |index: usize| {
            let text = digits[index * step..(index + 1) * step].repeat(3 - step);
            let value = f64::from(u8::from_str_radix(&text, 16).unwrap()) / 255.0;
            if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
    }

    #[test]
    fn every_text_has_enough_contrast() {
        let themes: Vec<&str> = STYLE.split(":root {").skip(1).collect();
        assert_eq!(themes.len(), 2);
        for theme in themes {
            let color = |name: &str| {
                let (_, rest) = theme.split_once(&format!("--{name}: ")).unwrap();
                luminance(rest.split(';').next().unwrap())
            };
            let check = |text: &str, ground: &str| {
                let (one, other) = (color(text), color(ground));
                let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
                assert!(contrast >= 4.5, "{text} on {ground}: {contrast:.2}");
            };
            for ground in ["ground", "card"] {
                for text in ["ink", "faint", "accent", "read", "written", "plain", "hidden"] {
                    check(text, ground);
                }
            }
            // Only the ink is on the tints of layers.
            for tint in ["tools", "system", "static", "project", "session", "conversation"] {
                check("ink", tint);
            }
            check("card", "plain");
        }
    }
}
