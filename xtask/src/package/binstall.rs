//! The metadata by which `cargo binstall` finds the archives.
//!
//! `cargo binstall aside` downloads an archive instead of compiling. It derives
//! the address from templates in `[package.metadata.binstall]`; when a template
//! no longer fits the names in `Contents::archive`, only users would notice.

use serde_json::Value;

/// Returns a fault if `cargo binstall` would look for other archives than those
/// that are built.
///
/// Expands the templates with an example version and target, and compares them
/// with the archive's name and the program's path in it.
pub(super) fn fault(name: &str, metadata: &Value) -> Option<String> {
    let template = |key: &str| metadata["binstall"][key].as_str().unwrap_or_default();
    let expand = |template: &str| {
        template
            .replace("{ name }", name)
            .replace("{ version }", "1.2.3")
            .replace("{ target }", "TARGET")
            .replace("{ bin }", "aside")
            .replace("{ binary-ext }", "")
            .replace("{ archive-suffix }", ".tar.gz")
    };
    let found = [expand(template("pkg-url")), expand(template("bin-dir"))];
    let expected =
        ["{ repo }/releases/download/v1.2.3/aside-1.2.3-TARGET.tar.gz", "aside-1.2.3-TARGET/aside"];
    (found != expected).then(|| format!("[package.metadata.binstall] leads to {found:?}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn other_archives_than_those_that_are_built_are_found() {
        assert!(fault("aside", &Value::Null).is_some());
        let metadata = json!({"binstall": {
            "pkg-url": "{ repo }/releases/download/v{ version }/{ name }-{ version }-{ target }{ archive-suffix }",
            "bin-dir": "{ name }-{ version }-{ target }/{ bin }{ binary-ext }",
        }});
        assert_eq!(fault("aside", &metadata), None);
    }
}
