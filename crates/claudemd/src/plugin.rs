//! Plugins: directories that the user installed, with skills and agents of their own.

use std::path::PathBuf;

/// An installed plugin. Its skills are in `skills`, its agents in `agents`; their names
/// begin with that of the plugin, as in `tools:release`.
///
/// ```
/// use aside_claudemd::{Dirs, Loader, Plugin};
///
/// # let place = tempfile::tempdir()?;
/// # let dir = place.path().join("skills/release");
/// # std::fs::create_dir_all(&dir)?;
/// # let text = "---\nname: release\ndescription: Cuts a release.\n---\nRun the tests.\n";
/// # std::fs::write(dir.join("SKILL.md"), text)?;
/// let plugin = Plugin { name: "tools".to_owned(), path: place.path().to_owned() };
/// let found = Loader::new(Dirs::default()).plugins(vec![plugin]).skills(place.path());
/// assert_eq!(found.skills[0].name, "tools:release");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// The name, without its marketplace.
    pub name: String,
    /// The directory, absolute.
    pub path: PathBuf,
}
