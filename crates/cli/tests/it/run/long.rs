//! A long session against a strict server, with one process per turn.

use super::*;
use server::call;
use steer::Steered;

const TURNS: usize = 30;
/// Which turn to cancel during its last response.
const CANCELLED: usize = 17;

/// Returns true when a message arrives while this turn's tools run.
fn in_between(turn: usize) -> bool {
    turn % 4 == 1
}

/// Returns true when a message arrives during the last response, so that
/// another follows.
fn at_the_end(turn: usize) -> bool {
    turn % 6 == 4
}

#[test]
fn every_request_of_a_long_session_is_valid_and_continues_the_last() {
    let (place, server) = (Place::new(), Server::new());
    let mut bodies: Vec<Vec<u8>> = Vec::new();
    let mut id = None;
    for turn in 0..TURNS {
        let prompt = format!("Turn {turn}");
        let resume = id.iter().flat_map(|id: &String| ["--resume", id]);
        let arguments: Vec<_> = [prompt.as_str()].into_iter().chain(resume).collect();
        let mut run = Steered::start(with_server(&place, &server, &arguments));
        let (body, mut stream) = server.request();
        bodies.push(body);
        if in_between(turn) {
            run.say(&format!("Between {turn}, see @a.md"));
        }
        call(&mut stream, turn);
        drop(stream);
        let (body, mut stream) = server.request();
        bodies.push(body);
        begin(&mut stream, &format!("Over {turn}"));
        let mut expected = Some(0);
        if turn == CANCELLED {
            run.see("Over 17");
            run.say("Late 17");
            run.signal("-INT");
            expected = Some(130);
        } else if at_the_end(turn) {
            run.say(&format!("Late {turn}"));
            end(&mut stream);
            drop(stream);
            let (body, mut stream) = server.request();
            bodies.push(body);
            begin(&mut stream, "Over again");
            end(&mut stream);
        } else {
            end(&mut stream);
        }
        let ran = run.end();
        assert_eq!(ran.code, expected, "{ran:?}");
        assert!(ran.stderr.contains("aside: tool: Read failed"), "{ran:?}");
        id = Some(ran.id());
    }
    let again = (0..TURNS).filter(|turn| at_the_end(*turn)).count();
    assert_eq!((again, bodies.len()), (5, 2 * TURNS + again));
    for pair in bodies.windows(2) {
        assert_continues(&pair[0], &pair[1]);
    }
    let first_with = |phrase: &str| {
        let mut bodies = bodies.iter().map(|body| String::from_utf8_lossy(body));
        bodies.position(|body| body.contains(phrase))
    };
    for turn in 0..TURNS {
        let asked = first_with(&format!("Turn {turn}\"")).unwrap();
        let between = first_with(&format!(":\\nBetween {turn}, see @a.md\\n"));
        assert_eq!(between, in_between(turn).then_some(asked + 1), "{turn}");
        let late = first_with(&format!(":\\nLate {turn}\\n"));
        let is_late = at_the_end(turn) || turn == CANCELLED;
        assert_eq!(late, is_late.then_some(asked + 2), "{turn}");
    }
    let last = String::from_utf8(bodies.pop().unwrap()).unwrap();
    for phrase in ["Turn 0\"", "Over 17\"", "Turn 29\"", "\"is_error\":true"] {
        assert!(last.contains(phrase), "{phrase}: {last}");
    }
}
