//! Prints every rule that the request body on stdin breaks.

use std::io::Read;

use aside_messages::Rules;
use aside_messages::wire::Request;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body)?;
    let request = Request::parse(&body)?.value;
    for violation in request.check(&Rules::default()).violations {
        println!("{violation}");
    }
    Ok(())
}
