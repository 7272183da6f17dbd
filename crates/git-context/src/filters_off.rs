//! Switching off filter drivers (`filter.<name>.clean`, `smudge`, `process`): a
//! repository configures their programs.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Arguments and settings that keep filter drivers from running programs.
///
/// Reading the status would run them: to decide whether a file has changed, git
/// compares the bytes that it would commit. No single switch turns all of them
/// off.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FiltersOff {
    names: BTreeSet<OsString>,
    /// Arguments ahead of the subcommand.
    pub(crate) arguments: Vec<OsString>,
    /// Settings in the environment, which only git 2.31 and later heed. No
    /// other way to set something takes any name.
    pub(crate) settings: Vec<(OsString, &'static str)>,
    pub(crate) ceiling: Option<OsString>,
}

/// A required filter that does nothing would be an error.
const OFF: [(&str, &str); 4] =
    [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];

impl FiltersOff {
    /// Switches off the drivers that this crate read, by options that every git
    /// has. Names are simple: none contains `=`.
    ///
    /// The drivers are complete only if git uses the repository at `root`, so
    /// git may not search further up. Returns `None` when the path of its
    /// parent cannot be passed to git.
    pub(crate) fn of_names(names: &BTreeSet<String>, root: &Path) -> Option<Self> {
        let mut arguments = Vec::new();
        for name in names {
            for (variable, value) in OFF {
                arguments.push("-c".into());
                arguments.push(format!("filter.{name}.{variable}={value}").into());
            }
        }
        // The variable is a list, which cannot quote a colon.
        let above = root.parent().map(Path::as_os_str);
        if above.is_some_and(|above| above.as_encoded_bytes().contains(&b':')) {
            return None;
        }
        Some(Self {
            names: names.iter().map(OsString::from).collect(),
            arguments,
            ceiling: above.map(ToOwned::to_owned),
            settings: Vec::new(),
        })
    }

    /// Switches off the drivers that git listed.
    pub(crate) fn of_listed(names: BTreeSet<OsString>) -> Self {
        let settings =
            names.iter().flat_map(|name| OFF.map(|(variable, value)| (key(name, variable), value)));
        Self { settings: settings.collect(), names, ..Self::default() }
    }

    pub(crate) fn covers(&self, names: &BTreeSet<OsString>) -> bool {
        names.is_subset(&self.names)
    }
}

fn key(name: &OsStr, variable: &str) -> OsString {
    let mut key = OsString::from("filter.");
    key.push(name);
    key.push(".");
    key.push(variable);
    key
}
