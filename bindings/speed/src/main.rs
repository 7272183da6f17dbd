//! Prints how many milliseconds `check` of a file takes at best, with which the packages are
//! compared.

use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let body = std::fs::read(std::env::args().nth(1).ok_or("usage: aside-speed BODY")?)?;
    let mut best = f64::INFINITY;
    for _ in 0..30 {
        let start = Instant::now();
        aside_bindings_core::call("check", &[&body], b"")?;
        best = best.min(start.elapsed().as_secs_f64() * 1000.0);
    }
    println!("{best}");
    Ok(())
}
