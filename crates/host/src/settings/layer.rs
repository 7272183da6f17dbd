use super::Settings;
use super::keys::Keys;

/// Where settings come from, from low to high precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    User,
    Project,
    Local,
    CommandLine,
    Managed,
}

impl Layer {
    /// Whether a repository that somebody cloned can bring it along.
    fn is_of_project(self) -> bool {
        matches!(self, Self::Project | Self::Local)
    }
}

/// A key in a layer from which it does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfPlace {
    pub(super) key: &'static str,
    /// Where it counts.
    pub(super) counts_in: &'static str,
}

/// What a project must not decide: the variables of a process that holds
/// keys, and which directory the model takes for its own notes.
const NOT_OF_PROJECT: &str = "the user, the administrator and the command line";

impl Settings {
    /// Puts a layer over those that are lower.
    pub(super) fn add(&mut self, layer: Layer, mut keys: Keys) -> Vec<OutOfPlace> {
        let mut out_of_place = Vec::new();
        let mut refuse = |present, key, counts_in| {
            if present {
                out_of_place.push(OutOfPlace { key, counts_in });
            }
        };
        if layer != Layer::Managed {
            let given = keys.claude_md.take().is_some();
            refuse(given, "claudeMd", "the administrator");
        }
        if layer.is_of_project() {
            let given = keys.auto_memory_directory.take().is_some();
            refuse(given, "autoMemoryDirectory", NOT_OF_PROJECT);
            refuse(keys.env.take().is_some(), "env", NOT_OF_PROJECT);
        }
        self.put_over(keys);
        out_of_place
    }

    fn put_over(&mut self, higher: Keys) {
        fn put<T>(place: &mut Option<T>, higher: Option<T>) {
            if higher.is_some() {
                *place = higher;
            }
        }
        self.claude_md_excludes
            .extend(higher.claude_md_excludes.unwrap_or_default());
        put(&mut self.claude_md, higher.claude_md);
        put(
            &mut self.include_git_instructions,
            higher.include_git_instructions,
        );
        put(&mut self.auto_memory_enabled, higher.auto_memory_enabled);
        put(
            &mut self.auto_memory_directory,
            higher.auto_memory_directory,
        );
        put(&mut self.output_style, higher.output_style);
        put(&mut self.language, higher.language);
        let variables = higher.env.unwrap_or_default().into_iter();
        self.env
            .extend(variables.map(|(name, value)| (name, value.0)));
    }
}
