use super::*;

/// Passes a conversation, and returns each fault with the word that it is about.
///
/// ```text
/// user …, model …, other …   a turn
/// +1, -1                     a call and a result
/// s1, t1                     a call of the server and its result
/// x                          another block
/// ```
struct Run {
    pairing: Pairing<String, String>,
    faults: Vec<String>,
}

impl Run {
    fn new(window: Window, repeats: Repeats) -> Self {
        Self { pairing: Pairing::new(window, repeats), faults: Vec::new() }
    }

    fn pass(&mut self, word: &str) {
        let pairing = &mut self.pairing;
        let key = word.get(1..2).unwrap_or_default().to_owned();
        let at = word.to_owned();
        let (found, unanswered) = match word.as_bytes()[0] {
            b'u' => (None, pairing.turn(Role::User)),
            b'm' => (None, pairing.turn(Role::Assistant)),
            b'o' => (None, pairing.turn(Role::Other)),
            b'+' => (pairing.call(key, at).map(|it| format!("{it:?}")), vec![]),
            b's' => {
                let fault = pairing.server_call(key, at);
                (fault.map(|it| format!("{it:?}")), vec![])
            }
            b'-' => (pairing.result(&key).err().map(|it| format!("{it:?}")), vec![]),
            b't' => {
                let fault = pairing.server_result(&key).err();
                (fault.map(|it| format!("{it:?}")), vec![])
            }
            _ => (pairing.other().map(|it| format!("pending {it}")), vec![]),
        };
        let found = found.map(|fault| format!("{word} {fault}"));
        self.faults.extend(found);
        self.add_unanswered(unanswered);
    }

    fn add_unanswered(&mut self, unanswered: Vec<String>) {
        let unanswered = unanswered.iter();
        self.faults.extend(unanswered.map(|it| format!("{it} unanswered")));
    }

    fn end(mut self) -> Vec<String> {
        let unanswered = self.pairing.close();
        self.add_unanswered(unanswered);
        self.faults
    }
}

fn check(window: Window, repeats: Repeats, words: &str, expected: &[&str]) {
    let mut run = Run::new(window, repeats);
    words.split_whitespace().for_each(|it| run.pass(it));
    assert_eq!(run.end(), expected, "{words:?}");
}

fn next_turn(words: &str, expected: &[&str]) {
    check(Window::NextTurn, Repeats::Same, words, expected);
}

#[test]
fn a_result_is_in_the_next_turn() {
    next_turn("user x model +1 +2 user -2 -1 x", &[]);
    next_turn("model +1 +2 user -2", &["+1 unanswered"]);
    next_turn("model +1", &["+1 unanswered"]);
    next_turn("model +1 model x", &["+1 unanswered"]);
    next_turn("model +1 other x user -1", &["+1 unanswered", "-1 OrphanedResult"]);
    next_turn("model +1 user x user -1", &["+1 unanswered", "-1 OrphanedResult"]);
    next_turn("model +1 -1", &["-1 OrphanedResult", "+1 unanswered"]);
    next_turn("user +1 -1", &["+1 MisplacedCall", "-1 OrphanedResult"]);
}

#[test]
fn a_call_has_one_result() {
    next_turn("model +1 user -1 -1", &["-1 DoubledResult"]);
    next_turn("user -1 -1", &["-1 OrphanedResult", "-1 OrphanedResult"]);
    next_turn("model +1 user -1 model user -1", &["-1 OrphanedDouble"]);
    next_turn(
        "model +1 user model user -1 -1",
        &["+1 unanswered", "-1 OrphanedResult", "-1 OrphanedDouble"],
    );
    // An early result does not answer the call.
    next_turn("user -1 model +1 user -1", &["-1 OrphanedResult"]);
}

#[test]
fn an_id_has_one_call() {
    next_turn("model +1 +1 user -1", &["+1 DoubledCall"]);
    next_turn("model +1 +1", &["+1 DoubledCall", "+1 unanswered"]);
    next_turn("model +1 user -1 model +1 user -1", &["+1 DoubledCall", "-1 DoubledResult"]);
    next_turn("model +1 user -1 model +1 user x", &["+1 DoubledCall", "+1 unanswered"]);
}

#[test]
fn results_come_first() {
    next_turn("model +1 +2 user -1 x -2", &["-2 ResultAfterOther"]);
    next_turn("model +1 user x -1 -1", &["-1 ResultAfterOther", "-1 DoubledResult"]);
    next_turn("model +1 user x -2", &["-2 OrphanedResult", "+1 unanswered"]);
}

#[test]
fn a_pending_server_call_excludes_other_blocks() {
    next_turn("model s1 t1 x user x", &[]);
    next_turn("model x s1 +2 user -2", &[]);
    next_turn("model s1", &[]);
    next_turn("model s1 s2 t1 user x x", &["x pending s2"]);
    next_turn("model s1 +1", &["+1 DoubledCall"]);
    next_turn("model s1 user -1 t1", &["-1 OrphanedResult"]);
    next_turn("model t1", &["t1 OrphanedResult"]);
}

#[test]
fn calls_of_one_name_are_answered_from_the_oldest_of_the_latest_turn() {
    let distinct = |words: &str, answered: &[&str]| {
        let mut run = Run::new(Window::Later, Repeats::Distinct);
        let results = words.split_whitespace().filter_map(|word| {
            let is_result = word.starts_with('-');
            if !is_result {
                run.pass(word);
            }
            is_result.then(|| match run.pairing.result(&word[1..2].to_owned()) {
                Ok(call) => call,
                Err(fault) => format!("{fault:?}"),
            })
        });
        assert_eq!(results.collect::<Vec<_>>(), answered, "{words}");
    };
    distinct("model +1a +1b -1 -1 -1", &["+1a", "+1b", "DoubledResult"]);
    distinct("model +1a +1b user model +1c +1d user -1 -1 -1 -1", &["+1c", "+1d", "+1a", "+1b"]);
    distinct("model +1a model +1b -1 +1c -1 -1", &["+1b", "+1c", "+1a"]);
    distinct("model +1a -1 +1b -1", &["+1a", "+1b"]);
    distinct("-1 model +1a user user -1", &["OrphanedResult", "+1a"]);
}

#[test]
fn names_are_counted_in_the_next_turn() {
    let counts = |words, expected| check(Window::NextTurn, Repeats::Distinct, words, expected);
    counts("model +1 +1 user -1", &["+1 DoubledCall", "+1 unanswered"]);
    counts("model +1 +1 user -1 -1 -1", &["+1 DoubledCall", "-1 DoubledResult"]);
}

#[test]
fn an_output_is_anywhere_after_its_call() {
    let later = |words, expected| check(Window::Later, Repeats::Same, words, expected);
    later("+1 +2 x -2 x -1", &[]);
    later("+1 x +2 -2", &["+1 unanswered"]);
    later("-1 +1", &["-1 OrphanedResult", "+1 unanswered"]);
    later("+1 -1 +1 -1", &["+1 DoubledCall", "-1 DoubledResult"]);
}

#[test]
fn a_continuation_knows_the_calls_that_can_be_answered() {
    let words = "user x model +1 +2 s3 user -2 x -2 -4 model +4 other x user";
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut whole = Run::new(Window::NextTurn, Repeats::Same);
    words.iter().for_each(|it| whole.pass(it));
    for place in 0..words.len() {
        let mut first = Run::new(Window::NextTurn, Repeats::Same);
        words[..place].iter().for_each(|it| first.pass(it));
        let mut second = Run { pairing: first.pairing.continuation(), faults: first.faults };
        words[place..].iter().for_each(|it| second.pass(it));
        assert_eq!(second.faults, whole.faults, "continued after {place} words");
        first.pairing.append(second.pairing);
        for key in ["1", "2", "3", "4"] {
            assert!(first.pairing.has_call(&key.to_owned()), "{key}");
        }
    }
    assert_eq!(
        whole.faults,
        ["x pending s3", "-2 DoubledResult", "-4 OrphanedResult", "+1 unanswered", "+4 unanswered",]
    );
}

/// If each step looked at all open calls, this would take minutes.
#[test]
fn many_calls_are_paired_in_linear_time() {
    const CALLS: usize = 200_000;
    for repeats in [Repeats::Same, Repeats::Distinct] {
        let mut pairing = Pairing::new(Window::NextTurn, repeats);
        pairing.turn(Role::Assistant);
        for at in 0..CALLS {
            pairing.call("f", at);
            pairing.server_call("s", at);
        }
        pairing.turn(Role::User);
        let pending = (0..CALLS).filter_map(|_| pairing.other());
        assert_eq!(pending.count(), 1);
        let answered = (0..CALLS).filter(|_| pairing.result(&"f") != Err(Fault::DoubledResult));
        let expected = match repeats {
            Repeats::Same => 1,
            Repeats::Distinct => CALLS,
        };
        assert_eq!(answered.count(), expected);
        assert_eq!(pairing.close(), [0; 0]);
    }
}
