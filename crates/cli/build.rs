//! Links the command at a fixed address where that is known to work: it starts
//! with a third of the work, since the loader has no 34,000 addresses to adjust
//! and no pages to copy for them. Libraries, heap and stack are still at random
//! addresses; what is given up is that of the code of a program that has no
//! unsafe code of its own.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
