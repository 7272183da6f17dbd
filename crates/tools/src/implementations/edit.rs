//! The tools `Edit` and `Write`, which change files in the workspace.

use std::borrow::Cow;

use aside_agent::ToolOutput;
use aside_session::{FileRead, ReadExtent};
use serde::Deserialize;

use crate::definitions::{EDIT, WRITE};
use crate::implementations::described::workspace_tool;
use crate::implementations::effort::Effort;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

workspace_tool! {
    /// Replaces a piece of a text file.
    ///
    /// Input: `file_path`, `old_string`, `new_string`, and `replace_all` if the piece may occur more
    /// than once. The file is replaced as a whole, at once.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use aside_agent::Tool;
    /// use aside_messages::wire::RawJson;
    /// use aside_tools::{Edit, Workspace};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let project = tempfile::tempdir()?;
    /// let file = project.path().join("a.txt");
    /// std::fs::write(&file, "one two")?;
    /// let edit = Edit::new(Arc::new(Workspace::new(project.path(), [""; 0])));
    /// let input = r#"{"file_path":"a.txt","old_string":"two","new_string":"three"}"#;
    /// let output = edit.call(&RawJson::parse(input)?).await;
    /// assert!(!output.is_error);
    /// assert_eq!(std::fs::read_to_string(&file)?, "one three");
    /// # Ok(())
    /// # }
    /// ```
    pub struct Edit(EDIT, edit, changes);
}

workspace_tool! {
    /// Creates a text file, or replaces it.
    ///
    /// Input: `file_path` and `content`. Missing directories are created.
    pub struct Write(WRITE, write, changes);
}

const CRLF: &str = "\r\n";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EditInput {
    file_path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteInput {
    file_path: String,
    content: String,
}

fn edit(workspace: &Workspace, input: &EditInput, _: &Effort) -> Result<ToolOutput, Refusal> {
    let given = input.file_path.as_str();
    let (old, new) = (input.old_string.as_str(), input.new_string.as_str());
    if old.is_empty() || old == new {
        let why = "it is empty, or equal to new_string";
        return Err(Refusal::new("old_string", why));
    }
    let mut count = 0;
    let read = workspace.change(given, ReadExtent::Edit, |text| {
        let missing = || Refusal::new(given, "there is no such file or directory");
        let text = text.ok_or_else(missing)?;
        // Models write \n also where all lines of a file end with \r\n, which they keep.
        let is_crlf =
            text.contains('\n') && text.matches('\n').count() == text.matches(CRLF).count();
        let unified = |text| {
            if is_crlf { Cow::from(str::replace(text, CRLF, "\n")) } else { Cow::from(text) }
        };
        let (text, old, new) = (unified(text), unified(old), unified(new));
        count = text.matches(&*old).count();
        if count == 0 {
            return Err(Refusal::new(given, "old_string is not in the file"));
        }
        if count > 1 && !input.replace_all {
            let why = format!(
                "old_string is in the file {count} times: add the lines around it, or set \
                 replace_all"
            );
            return Err(Refusal::new(given, why));
        }
        let changed = text.replace(&*old, &new);
        Ok(if is_crlf { changed.replace('\n', CRLF) } else { changed })
    })?;
    Ok(changed(read, format!("{given} is changed, at {count} places.")))
}

fn write(workspace: &Workspace, input: &WriteInput, _: &Effort) -> Result<ToolOutput, Refusal> {
    let given = input.file_path.as_str();
    let content = &input.content;
    let read = workspace.change(given, ReadExtent::Whole, |_| Ok(content.clone()))?;
    let lines = content.lines().count();
    Ok(changed(read, format!("{given} is written: {lines} lines.")))
}

/// With the file's record, the change is not announced as another program's.
fn changed(read: FileRead, report: String) -> ToolOutput {
    ToolOutput { read: vec![read], ..ToolOutput::text(report) }
}
