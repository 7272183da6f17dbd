//! Links the command at a fixed address on platforms on which that is tested.
//! It then starts in a third of the time, because the loader has no 34,000
//! addresses to adjust and no pages to copy for them. Libraries, heap and stack
//! remain at random addresses; only the code of the program, which contains no
//! unsafe code, loses its random address.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
