use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use aside_mcp::ServerConfig;
use aside_text::{one_line, shell_word};

/// The MCP servers that the user approved for one `.mcp.json`: a file each, named
/// by the hash of the configuration and the directory. To withdraw an approval, delete the file.
#[derive(Debug)]
pub(crate) struct Approvals {
    /// `None` when there is no place for Aside's own files.
    directory: Option<PathBuf>,
    /// The file's directory, where its servers start; escaped if it is not UTF-8.
    place: String,
}

impl Approvals {
    /// Keeps approvals in Aside's own directory, such as `~/.aside`.
    pub(crate) fn new(aside_dir: Option<PathBuf>, place: &Path) -> Self {
        Self {
            directory: aside_dir.map(|dir| dir.join("approved-mcp-servers")),
            place: place.to_str().map_or_else(|| format!("{place:?}"), str::to_owned),
        }
    }

    /// Returns true if the user approved this configuration.
    pub(crate) fn contain(&self, name: &str, config: &ServerConfig) -> bool {
        let file = self.file(name, config);
        file.is_some_and(|file| file.is_file())
    }

    /// Stores an approval, for this user's eyes only.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn store(&self, name: &str, config: &ServerConfig) -> io::Result<()> {
        let Some(file) = self.file(name, config) else {
            return Err(io::Error::other("neither HOME nor ASIDE_DIR is an absolute path"));
        };
        let (mut directories, mut options) = (DirBuilder::new(), OpenOptions::new());
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut directories, 0o700);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        directories.recursive(true).create(file.parent().unwrap_or(&file))?;
        let mut file = options.write(true).create(true).truncate(true).open(file)?;
        // An approval of an earlier version may be readable by everybody.
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        let (name, place) = (shell_word(name), shell_word(&self.place));
        let text = format!("{name} in {place}: {}", config.full_summary());
        file.write_all(format!("{}\n", one_line(&text)).as_bytes())
    }

    fn file(&self, name: &str, config: &ServerConfig) -> Option<PathBuf> {
        let hash = config.fingerprint(&[&self.place, name]);
        Some(self.directory.as_ref()?.join(hash))
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn approvals_are_private() {
        let home = tempfile::tempdir().unwrap();
        let approvals = Approvals::new(Some(home.path().join(".aside")), Path::new("/p"));
        let config: ServerConfig = serde_json::from_str(r#"{"command":"docs"}"#).unwrap();
        approvals.store("docs", &config).unwrap();
        // As an earlier version left it.
        let file = approvals.file("docs", &config).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
        approvals.store("docs", &config).unwrap();
        assert!(approvals.contain("docs", &config));
        assert!(!approvals.contain("other", &config));
        let file = approvals.file("docs", &config).unwrap();
        for (path, expected) in file.ancestors().zip([0o600, 0o700, 0o700]) {
            let mode = path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, expected, "{}", path.display());
        }
    }
    /// A repository chooses the names of its directories.
    #[test]
    fn an_approval_holds_for_one_directory_whatever_its_name() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let home = tempfile::tempdir().unwrap();
        let config: ServerConfig = serde_json::from_str(r#"{"command":"./docs"}"#).unwrap();
        let of = |name: &[u8]| {
            Approvals::new(Some(home.path().to_owned()), Path::new(OsStr::from_bytes(name)))
        };
        let names: [&[u8]; 3] = [b"/p/\xff", b"/p/\xfe", b"/p/a\nlint in /q: npx"];
        for (index, name) in names.into_iter().enumerate() {
            let others = names[index..].iter();
            assert!(!others.map(|it| of(it)).any(|it| it.contain("docs", &config)));
            of(name).store("docs", &config).unwrap();
            let stored = fs::read_to_string(of(name).file("docs", &config).unwrap()).unwrap();
            assert_eq!(stored.lines().count(), 1, "{stored}");
        }
    }
}
