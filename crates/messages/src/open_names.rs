//! Enums of the names that an API documents, and of any other name.

/// Declares an enum whose values have names on the wire, with a variant `Other` for every other
/// name: `as_str`, `From<String>`, and `Serialize` as the name.
#[doc(hidden)]
#[macro_export]
macro_rules! open_names {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$of_value:meta])* $value:ident = $text:literal,)+
            ..
            $(#[$of_other:meta])* $other:ident,
        }
    ) => {
        $(#[$attribute])*
        pub enum $name {
            $($(#[$of_value])* $value,)+
            $(#[$of_other])* $other(String),
        }

        impl $name {
            /// Returns the name on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$value => $text,)+
                    Self::$other(name) => name,
                }
            }
        }

        impl From<String> for $name {
            fn from(name: String) -> Self {
                match name.as_str() {
                    $($text => Self::$value,)+
                    _ => Self::$other(name),
                }
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}
