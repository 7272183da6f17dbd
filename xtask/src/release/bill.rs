//! The bill of materials of the command, in the form of CycloneDX 1.6.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use crate::package::{Metadata, dependencies};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bill<'a> {
    bom_format: &'static str,
    spec_version: &'static str,
    version: u32,
    metadata: About<'a>,
    components: Vec<Component<'a>>,
}

#[derive(Serialize)]
struct About<'a> {
    component: Component<'a>,
}

#[derive(Serialize)]
struct Component<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    version: &'a str,
    purl: String,
    licenses: Vec<License<'a>>,
}

#[derive(Serialize)]
struct License<'a> {
    expression: &'a str,
}

impl<'a> Component<'a> {
    fn new(kind: &'static str, name: &'a str, version: &'a str, license: Option<&'a str>) -> Self {
        let licenses = license.map(|expression| License { expression });
        Self {
            kind,
            name,
            version,
            purl: format!("pkg:cargo/{name}@{version}"),
            licenses: licenses.into_iter().collect(),
        }
    }
}

/// Returns the JSON of the command with every crate that it is compiled of.
pub(super) fn of_command(root: &Path, metadata: &Metadata, version: &str) -> Result<String> {
    let needed = dependencies(root, "aside", &[])?;
    let components = needed.iter().filter_map(|named| {
        let (name, version) = named.split_once(" v")?;
        let license = metadata.license(name, version);
        Some(Component::new("library", name, version, license))
    });
    let command = metadata.command()?;
    let license = command.license.as_deref();
    let bill = Bill {
        bom_format: "CycloneDX",
        spec_version: "1.6",
        version: 1,
        metadata: About {
            component: Component::new("application", "aside", version, license),
        },
        components: components.collect(),
    };
    Ok(serde_json::to_string_pretty(&bill)? + "\n")
}
