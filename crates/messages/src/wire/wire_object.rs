//! Wire objects, declared by their fields.

/// Declares a struct that is a JSON object: its fields in wire order, each with its key, then
/// [`Extra`], then (`marked`) the `cache_control`. Reading and writing are generated from the same
/// list, so they agree.
///
/// `required` fields are `T` and `optional` ones `Option<T>`. A `nullable` field is a `T` that is
/// left out if it equals its default; null is read as the default.
///
/// `struct Text as "text" [marked]` is read from and written to:
///
/// ```json
/// {"type":"text","text":"Hi","citations":[],"unknown":1,"cache_control":{"type":"ephemeral"}}
/// ```
macro_rules! wire_object {
    (
        $(#[$meta:meta])*
        pub struct $name:ident $(as $tag:literal)? $([$marked:ident])? {
            $($(#[$field_meta:meta])* $mode:ident $key:literal $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: wire_object!(@type $mode $type),)*
            /// The object's other keys.
            pub extra: $crate::wire::Extra,
            $(
                #[doc = concat!("The cache marker, if the block is ", stringify!($marked), ".")]
                pub cache_control: Option<$crate::wire::CacheControl>,
            )?
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.extra.writer(serializer)?
                    $(.required("type", $tag)?)?
                    $(.$mode($key, wire_object!(@write $mode self.$field))?)*
                    // Wherever the marker goes, it is not an unknown key.
                    $(.reserved(wire_object!(@key $marked)))?
                    .extra()?
                    // The last key, so that the encoder can insert it before the closing brace.
                    $(.optional(wire_object!(@key $marked), self.cache_control.as_ref())?)?
                    .end()
            }
        }

        impl $crate::wire::read::Read for $name {
            const EXPECTED: &'static str = "an object";

            fn read(
                value: ::aside_json::Value<'_>,
                at: ::aside_json::Path<'_>,
                reader: &mut $crate::wire::read::Reader,
            ) -> Result<Self, $crate::wire::read::ReadError> {
                let mut object = $crate::wire::object::ObjectReader::new(value, at)?;
                $(let _: (String, &str) = (object.kind(reader)?, $tag);)?
                Ok(Self {
                    $($field: object.$mode($key, reader)?,)*
                    // Kept, a null would double the key when a marker is inserted later.
                    $(cache_control: object.defaulted(wire_object!(@key $marked), reader)?,)?
                    extra: object.rest(),
                })
            }
        }
    };
    (@type optional $type:ty) => { Option<$type> };
    (@type $mode:ident $type:ty) => { $type };
    (@key $marked:ident) => { "cache_control" };
    (@write optional $value:expr) => { $value.as_ref() };
    (@write $mode:ident $value:expr) => { &$value };
}
pub(super) use wire_object;
