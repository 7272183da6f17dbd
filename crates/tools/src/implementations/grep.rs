//! The tool `Grep`: ripgrep's searcher over the files that a walk finds.
//!
//! [`request`] validates a call and builds the matcher, [`collect`] gathers the
//! matches. A call stops as soon as its result is full.

mod collect;
mod request;

use aside_agent::ToolOutput;
use grep_searcher::Searcher;
use std::io;
use std::ops::ControlFlow;

use self::collect::{FileHits, Hits};
use self::request::{Input, Request};
use crate::definitions::GREP;
use crate::implementations::described::workspace_tool;
use crate::implementations::effort::Effort;
use crate::implementations::ignored::Ignored;
use crate::implementations::walk::{self, Found};
use crate::refusal::Refusal;
use crate::workspace::Workspace;

workspace_tool! {
    /// Searches text in files with a regular expression, line by line.
    ///
    /// Input: `pattern`, in the syntax of the crate `regex`; `path` (a file or
    /// directory) and `glob`, which limit the files; `output` (`files`, `lines` or
    /// `count`, by default `files`); `context`, `before` and `after` in lines, at
    /// most 100; `ignore_case`; `multiline`; `limit` (lines or paths, by default
    /// 250, at most 10,000); `ignored`, as for [`Glob`](crate::Glob).
    ///
    /// Result: at most about 64 KB. A matching line is its number, a colon and its
    /// text, a context line its number, a hyphen and its text; both are cut after
    /// 500 characters. Files with a NUL byte count as binary and are left out.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use aside_agent::Tool;
    /// use aside_messages::wire::RawJson;
    /// use aside_tools::{Grep, Workspace};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = tempfile::tempdir()?;
    /// # let cwd = directory.path();
    /// # std::fs::write(cwd.join("a.md"), "one\ntwo\n")?;
    /// let grep = Grep::new(Arc::new(Workspace::new(cwd, [""; 0])));
    /// let output = grep.call(&RawJson::parse(r#"{"pattern":"^t","output":"lines"}"#)?).await;
    /// assert!(serde_json::to_string(&output.content)?.contains(r"a.md\n2:two"));
    /// # Ok(())
    /// # }
    /// ```
    pub struct Grep(GREP, search);
}

/// Searches every file that the call covers, sorted by path. A file that cannot
/// be opened or read is counted, and does not end the search.
fn search(workspace: &Workspace, input: &Input, effort: &Effort) -> Result<ToolOutput, Refusal> {
    let base = workspace.place(input.path.as_deref().unwrap_or("."))?;
    let request = Request::of(input, &base.path)?;
    let mut hits = Hits::new(&request);
    let mut searcher = request.searcher();
    let missed =
        walk::files(workspace, &base, Ignored::at(&base, input.ignored), effort, |found| {
            // A file that the call names is searched, even if the glob excludes
            // it.
            let is_named = found.below.as_os_str().is_empty();
            if is_named || request.covers(&found.below) {
                match in_file(&mut searcher, &request, &hits, &found, effort) {
                    Ok(file) => hits.add(&workspace.shown(&found.place.path), &file),
                    Err(_) => hits.unread += 1,
                }
            }
            if hits.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    Ok(ToolOutput::text(hits.report(missed)))
}

fn in_file(
    searcher: &mut Searcher,
    request: &Request,
    hits: &Hits<'_>,
    found: &Found,
    effort: &Effort,
) -> io::Result<FileHits> {
    let opened = found.place.open().map_err(io::Error::from)?;
    let reader = Patient { reader: opened.file, effort };
    let mut file = hits.of_next_file(effort);
    let searched = searcher.search_reader(&request.matcher, reader, &mut file);
    // Matches found within the time limit are kept.
    if !effort.is_over() {
        searched?;
    }
    Ok(file)
}

/// A reader that ends with the effort.
struct Patient<'a, R> {
    reader: R,
    effort: &'a Effort,
}

impl<R: io::Read> io::Read for Patient<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.effort.is_over() {
            return Err(io::Error::from(io::ErrorKind::TimedOut));
        }
        self.reader.read(buffer)
    }
}
