//! The form of the table of agents.

/// Declares the profiles, their list and their facts from the same rows, in the order in which the
/// command line lists them.
///
/// ```text
/// /// What the documentation of the profile says.
/// Variant "name on the command line" "name of the agent" {
///     field: value,
/// }
/// ```
///
/// The fields that are left out are those of [`Facts::new`](super::facts::Facts::new).
macro_rules! profiles {
    ($(
        $(#[$attribute:meta])*
        $profile:ident $name:literal $agent:literal {
            $($field:ident: $value:expr,)*
        }
    )*) => {
        /// The agent whose rules decide which instruction files load.
        ///
        /// The rules are tables, each with a list of open questions about the agent.
        /// They concern discovery, precedence, front matter and imports; the rendering
        /// is always that of this crate.
        ///
        /// ```
        /// use aside_claudemd::Profile;
        ///
        /// let profile: Profile = "codex".parse()?;
        /// assert_eq!(profile.agent(), "Codex");
        /// # Ok::<(), String>(())
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Profile {
            $($(#[$attribute])* $profile,)*
        }

        impl Profile {
            /// All profiles.
            pub const ALL: [Self; [$(Self::$profile),*].len()] = [$(Self::$profile),*];

            /// Returns the facts of the agent.
            pub(crate) fn facts(self) -> &'static Facts {
                match self {
                    $(Self::$profile => {
                        const FACTS: Facts = {
                            let mut facts = Facts::new($name, $agent);
                            $(facts.$field = $value;)*
                            facts
                        };
                        &FACTS
                    })*
                }
            }
        }
    };
}

/// Writes a list of searches: `PLACE PICK ["name", "DIR/**/*END"] with HEADER; …`.
macro_rules! steps {
    ($($place:ident $pick:ident $names:tt $(with $header:ident)?;)*) => {
        &[$(Step::new(Place::$place, &$names, Pick::$pick) $(.with_header(Header::$header))?),*]
    };
}

pub(super) use {profiles, steps};
