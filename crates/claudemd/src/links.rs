//! From one file to another: imports, links, and path names.

pub(crate) mod claude_imports;
pub(crate) mod follow;
pub(crate) mod gemini_imports;
pub(crate) mod given;
pub(crate) mod import_policy;
pub(crate) mod imports;
pub(crate) mod path_value;
pub(crate) mod plain_path;
pub(crate) mod shown_path;
