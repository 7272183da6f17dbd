//! Parsed files, kept from one pass to the next.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::discover::profile::Header;
use crate::links::given::Given;
use crate::render::contents::Contents;

/// The contents of files by resolved path, as they were read last. A file with the same bytes is not
/// parsed again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parsed(HashMap<PathBuf, (u64, Header, Arc<Contents>)>);

impl Parsed {
    /// Returns a file's contents, which `parse` makes if its bytes or the reading of its header are
    /// not as before.
    pub(crate) fn contents(
        &mut self,
        file: &Given,
        header: Header,
        parse: impl FnOnce() -> Contents,
    ) -> Arc<Contents> {
        match self.0.get(&file.resolved) {
            Some((fingerprint, as_header, contents))
                if *fingerprint == file.fingerprint && *as_header == header =>
            {
                Arc::clone(contents)
            }
            _ => {
                let contents = Arc::new(parse());
                let entry = (file.fingerprint, header, Arc::clone(&contents));
                self.0.insert(file.resolved.clone(), entry);
                contents
            }
        }
    }
}
