//! Enums whose values have names.

use std::fmt;

/// Declares an enum whose values have names: the list `ALL`, `as_str`,
/// `Display`, and `FromStr`, whose error lists the names.
///
/// The enum must be `Copy`. `Display` writes the name, or the text that follows
/// the name after `=>`.
///
/// ```
/// aside_text::names! {
///     /// The level of a finding.
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     pub enum Level {
///         /// Nothing to do.
///         Note = "note",
///         /// Something to repair.
///         Error = "error",
///     }
/// }
///
/// assert_eq!(Level::ALL.map(Level::as_str), ["note", "error"]);
/// assert_eq!("error".parse(), Ok(Level::Error));
/// let unknown = "fatal".parse::<Level>().unwrap_err();
/// assert_eq!(unknown.to_string(), "expected note or error, found \"fatal\"");
///
/// aside_text::names! {
///     /// Who made a model.
///     #[derive(Clone, Copy)]
///     pub enum Vendor {
///         /// xAI.
///         Xai = "xai" => "xAI",
///     }
/// }
///
/// assert_eq!((Vendor::Xai.as_str(), Vendor::Xai.to_string()), ("xai", "xAI".to_owned()));
/// ```
#[macro_export]
macro_rules! names {
    (@shown $text:literal) => { $text };
    (@shown $text:literal $shown:literal) => { $shown };
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$of_value:meta])* $value:ident = $text:literal $(=> $shown:literal)?,)+
        }
    ) => {
        $(#[$attribute])*
        $visibility enum $name {
            $($(#[$of_value])* $value,)+
        }

        impl $name {
            /// All values, in declaration order.
            pub const ALL: [Self; [$(Self::$value),+].len()] = [$(Self::$value),+];

            /// Returns the name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(match self {
                    $(Self::$value => $crate::names!(@shown $text $($shown)?),)+
                })
            }
        }

        /// The name has to match exactly, letter case included.
        impl ::std::str::FromStr for $name {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> Result<Self, $crate::UnknownName> {
                let found = Self::ALL.into_iter().find(|value| value.as_str() == name);
                found.ok_or_else(|| $crate::UnknownName::new(name, &[$($text),+]))
            }
        }
    };
}

/// A text that names no value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    name: String,
    expected: &'static [&'static str],
}

impl UnknownName {
    /// Creates the error for a text and the expected names.
    #[must_use]
    pub fn new(name: &str, expected: &'static [&'static str]) -> Self {
        Self { name: name.to_owned(), expected }
    }

    /// Returns the expected names.
    #[must_use]
    pub fn expected(&self) -> &'static [&'static str] {
        self.expected
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected ")?;
        let last = self.expected.len().saturating_sub(1);
        for (at, name) in self.expected.iter().enumerate() {
            let before = match at {
                0 => "",
                at if at == last => " or ",
                _ => ", ",
            };
            write!(f, "{before}{name}")?;
        }
        write!(f, ", found {:?}", self.name)
    }
}

impl std::error::Error for UnknownName {}
