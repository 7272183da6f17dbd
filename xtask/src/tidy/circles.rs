//! Circles of files: a file that uses another one may not be used by it, over
//! however many steps. Only a module and its children may know each other.
//!
//! A circle of three files has to be understood at once, and none of them can
//! be moved to another crate. The graph has a node for each source file and an
//! edge for each path that a file uses; names that a module re-exports lead to
//! the file that defines them, so `use crate::A` does not hide a circle behind
//! the root. A file's tests do not count.
//!
//! ```text
//! a.rs: use crate::b::B;     b.rs: use crate::a::A;
//! circle: aside-x: these files use each other: a, b
//! ```
//!
//! To repair a fault, move the shared item to a file that both use.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::Package;
use super::paths::{Import, imports};

/// A module's path below its crate: `["wire", "block"]`; empty for the root.
type Module = Vec<String>;

/// A crate's modules, and the paths that each of them uses.
type Sources = BTreeMap<Module, Vec<Import>>;

/// Reports every circle of files in every crate.
pub(super) fn check(packages: &[Package]) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for package in packages {
        let sources = sources(package)?;
        for circle in circles(&sources) {
            let names: Vec<_> = circle.iter().map(|module| module.join("::")).collect();
            faults.push(format!(
                "circle: {}: these files use each other: {}",
                package.name,
                names.join(", ")
            ));
        }
    }
    Ok(faults)
}

/// Reads a package's sources. `lib.rs`, `main.rs` and `mod.rs` are their
/// directory's module; `tests.rs` is left out.
fn sources(package: &Package) -> Result<Sources> {
    let root = package.directory().join("src");
    let mut sources = Sources::new();
    for (path, text) in package.sources()? {
        let relative = path.strip_prefix(&root)?.with_extension("");
        let mut module: Module =
            relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if matches!(module.last().map(String::as_str), Some("lib" | "main" | "mod")) {
            module.pop();
        }
        sources.entry(module).or_default().extend(imports(&text));
    }
    Ok(sources)
}

/// Returns groups of files that use each other, a module and its children
/// aside.
///
/// An edge between a module and its child is in only one of the two searches:
/// the pair alone is no circle, while a third file that closes a circle through
/// both is found.
fn circles(sources: &Sources) -> BTreeSet<Vec<&Module>> {
    let edges: Vec<(&Module, &Module)> = sources
        .iter()
        .flat_map(|(module, imports)| {
            let used = imports.iter().map(|import| resolve(sources, module, import));
            used.map(move |used| (module, used))
        })
        .filter(|(from, to)| from != to)
        .collect();
    // A circle may lead through a module in one of the two directions, towards
    // its children or from them, but not be closed by both.
    let downwards = edges.iter().filter(|(from, to)| !from.starts_with(to));
    let upwards = edges.iter().filter(|(from, to)| !to.starts_with(from));
    let mut circles = components(downwards.copied());
    circles.extend(components(upwards.copied()));
    circles
}

/// Returns the module that defines the imported item, according to the modules;
/// re-exports are followed to their source.
///
/// The path is followed as far as it names modules; the next name is looked up
/// among the `use` items in the module that was reached. A name that is no
/// module and no re-export belongs to the module itself. A path that leads
/// nowhere gives `from`, which makes no edge.
fn resolve<'a>(sources: &'a Sources, from: &'a Module, import: &Import) -> &'a Module {
    let (mut at, mut rest) = walk(sources, from, &import.segments);
    // Every step follows a name; no chain is longer than there are modules.
    for _ in 0..=sources.len() {
        let reexport = rest.first().and_then(|name| {
            let imports = sources.get(&at)?;
            imports.iter().find(|it| it.is_use && it.name() == Some(name))
        });
        let Some(reexport) = reexport.filter(|_| at != *from) else { break };
        // A re-export that names itself ends here.
        let (target, _) = walk(sources, &at, &reexport.segments);
        if target == at {
            break;
        }
        (at, rest) = walk(sources, &target, rest);
    }
    sources.get_key_value(&at).map_or(from, |(module, _)| module)
}

/// Follows a path as far as it names modules, and returns the last one with the
/// rest of the path.
fn walk<'a>(sources: &Sources, from: &Module, path: &'a [String]) -> (Module, &'a [String]) {
    let (mut at, mut rest) = (from.clone(), path);
    while let [segment, next @ ..] = rest {
        match segment.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => drop(at.pop()),
            _ => {
                at.push(segment.clone());
                if !sources.contains_key(&at) {
                    at.pop();
                    break;
                }
            }
        }
        rest = next;
    }
    (at, rest)
}

/// Returns strongly connected components with more than one module.
///
/// The closure is computed for each node: quadratic in the number of files,
/// which is below 200 in every crate.
fn components<'a>(
    edges: impl Iterator<Item = (&'a Module, &'a Module)>,
) -> BTreeSet<Vec<&'a Module>> {
    let mut next: BTreeMap<&Module, BTreeSet<&Module>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().insert(to);
    }
    let reachable = |from| {
        let mut seen: BTreeSet<&Module> = BTreeSet::new();
        let mut open = vec![from];
        while let Some(module) = open.pop() {
            for &to in next.get(module).into_iter().flatten() {
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&Module, BTreeSet<&Module>> =
        next.keys().map(|&module| (module, reachable(module))).collect();
    let is_mutual = |a: &Module, b: &Module| {
        let leads = |from: &Module, to: &Module| reach.get(from).is_some_and(|it| it.contains(to));
        leads(a, b) && leads(b, a)
    };
    reach
        .keys()
        .map(|&module| {
            let mutual = reach[module].iter().filter(|other| is_mutual(module, other));
            mutual.copied().collect::<Vec<_>>()
        })
        .filter(|circle| circle.len() > 1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let modules = files.iter().map(|(name, text)| {
            let module = name.split("::").filter(|it| !it.is_empty());
            (module.map(str::to_owned).collect(), imports(text))
        });
        let sources: Sources = modules.collect();
        let found = circles(&sources);
        let names = |circle: &Vec<&Module>| {
            let names: Vec<_> = circle.iter().map(|module| module.join("::")).collect();
            names.join(" ")
        };
        assert_eq!(found.iter().map(names).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_circle_is_found() {
        check(
            &[
                ("", "mod a; mod b; mod c;"),
                ("a", "use crate::b::B;"),
                ("b", "use crate::c::{self, C};"),
                ("c", "fn f() -> crate::a::A {}"),
            ],
            &["a b c"],
        );
    }

    #[test]
    fn a_circle_over_a_name_of_the_root_is_found() {
        check(
            &[
                ("", "mod a; mod b; pub use a::A;"),
                ("a", "use crate::b::B;"),
                ("b", "use crate::A;"),
            ],
            &["a b"],
        );
    }

    #[test]
    fn a_circle_of_siblings_is_found() {
        check(
            &[
                ("", "mod p;"),
                ("p", "mod a; mod b; use a::A;"),
                ("p::a", "use super::b::B;"),
                ("p::b", "use super::a::A;"),
            ],
            &["p::a p::b"],
        );
    }

    #[test]
    fn a_circle_through_a_module_and_its_child_is_found() {
        check(
            &[
                ("", "mod p; mod x;"),
                ("p", "mod a; use a::A; pub struct P;"),
                ("p::a", "use crate::x::X;"),
                ("x", "use crate::p::P;"),
            ],
            &["p p::a x"],
        );
    }

    #[test]
    fn a_module_and_its_children_know_each_other() {
        check(
            &[
                ("", "mod p; pub use p::P;"),
                ("p", "mod a; mod b; use self::a::A; use b::B;"),
                ("p::a", "use super::{P, b::B};"),
                ("p::b", "use super::P;"),
            ],
            &[],
        );
    }

    #[test]
    fn comments_strings_and_tests_do_not_count() {
        check(
            &[
                ("", "mod a; mod b;"),
                ("a", "use crate::b::B;"),
                (
                    "b",
                    "// crate::a::A\nlet x = \"crate::a::A\";\nmod tests {\n use crate::a::A;\n}",
                ),
            ],
            &[],
        );
    }
}
