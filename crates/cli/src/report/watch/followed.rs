//! Which requests of a session are complete, from readings of its file while
//! it grows.
//!
//! An agent writes a response once per content block, and the file shows no
//! end of a response. The time that passed is an argument.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use aside_inspect::rows::Row;

/// After how long without a change a session's last request counts as complete.
pub(super) const REST: Duration = Duration::from_secs(10);

/// A request in one reading.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    thread: Thread,
    line: String,
}

/// The session and its sub-agent.
type Thread = (Option<String>, Option<String>);

impl Request {
    pub(super) fn new(row: &Row, line: String) -> Self {
        Self { thread: (row.session.clone(), row.subagent.clone()), line }
    }
}

/// The requests in the last reading, and those that were printed.
#[derive(Default)]
pub(super) struct FollowedRows {
    /// Each with how long it has been the same.
    read: HashMap<Place, (String, Duration)>,
    printed: HashMap<Place, String>,
}

/// A thread, and which of its requests: another thread may add one before it.
type Place = (Thread, usize);

impl FollowedRows {
    /// Takes a reading, some time after the one before it, and returns the lines
    /// to print, in order: of the requests that another one of their thread
    /// follows, or that have not changed for [`REST`]. One that changes after
    /// that is printed again.
    pub(super) fn update(&mut self, requests: Vec<Request>, passed: Duration) -> Vec<String> {
        let is_first = self.read.is_empty();
        let mut lengths: HashMap<Thread, usize> = HashMap::new();
        let mut read: Vec<(Place, String, Duration)> = Vec::new();
        for Request { thread, line } in requests {
            let length = lengths.entry(thread.clone()).or_default();
            let place = (thread, *length);
            *length += 1;
            let rest = match self.read.get(&place) {
                Some((before, rest)) if *before == line => *rest + passed,
                _ if is_first => passed,
                _ => Duration::ZERO,
            };
            read.push((place, line, rest));
        }
        let mut lines = Vec::new();
        let mut is_waiting = false;
        for (place, line, rest) in &read {
            let is_complete = place.1 + 1 < lengths[&place.0] || *rest >= REST;
            match self.printed.get_mut(place) {
                Some(before) if before == line || !is_complete => {}
                Some(before) => {
                    lines.push(format!("{line}  (corrected)"));
                    before.clone_from(line);
                }
                None if is_complete && !is_waiting => {
                    lines.push(line.clone());
                    self.printed.insert(place.clone(), line.clone());
                }
                None => is_waiting = true,
            }
        }
        self.read = read.into_iter().map(|(place, line, rest)| (place, (line, rest))).collect();
        lines
    }
}

/// The faults in the last reading, and those that were reported.
#[derive(Default)]
pub(super) struct FollowedFaults {
    /// Each with how long it has been there.
    read: HashMap<String, Duration>,
    reported: HashSet<String>,
}

impl FollowedFaults {
    /// Takes a reading like [`FollowedRows::update`], and returns the faults to
    /// report: each once, after [`REST`]. The last line may be half written.
    pub(super) fn update(&mut self, faults: &[String], passed: Duration) -> Vec<String> {
        let is_first = self.read.is_empty();
        let rest = |fault: &String| {
            let before = self.read.get(fault).copied().or(is_first.then_some(Duration::ZERO));
            (fault.clone(), before.map_or(Duration::ZERO, |it| it + passed))
        };
        self.read = faults.iter().map(rest).collect();
        let is_new = |it: &&String| self.read[*it] >= REST && self.reported.insert((*it).clone());
        faults.iter().filter(is_new).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(500);

    fn requests(all: &[(&str, &str)]) -> Vec<Request> {
        let request = |(thread, line): &(&str, &str)| Request {
            thread: (Some("s".to_owned()), Some((*thread).to_owned())),
            line: (*line).to_owned(),
        };
        all.iter().map(request).collect()
    }

    #[test]
    fn a_request_is_printed_once_it_is_complete() {
        let mut rows = FollowedRows::default();
        let mut check = |all: &[(&str, &str)], passed, expected: &[&str]| {
            assert_eq!(rows.update(requests(all), passed), expected, "{all:?}");
        };
        check(&[], SHORT, &[]);
        // Two blocks of one response, and the request after it.
        check(&[("", "a: 5")], SHORT, &[]);
        check(&[("", "a: 5")], SHORT, &[]);
        check(&[("", "a: 900")], SHORT, &[]);
        check(&[("", "a: 900"), ("", "b: 7")], SHORT, &["a: 900"]);
        // Nothing follows.
        check(&[("", "a: 900"), ("", "b: 7")], REST, &["b: 7"]);
        // It went on after all.
        check(&[("", "a: 900"), ("", "b: 8")], SHORT, &[]);
        let more = [("", "a: 900"), ("", "b: 9"), ("", "c: 1")];
        check(&more, SHORT, &["b: 9  (corrected)"]);
        check(&more, REST, &["c: 1"]);
        check(&more, REST, &[]);
    }

    /// A request of another thread does not end a response; the order stays.
    #[test]
    fn a_sub_agent_waits_for_its_own_requests() {
        let mut rows = FollowedRows::default();
        let mut all = vec![("x", "a: 5"), ("", "b: 7"), ("", "c: 7")];
        assert_eq!(rows.update(requests(&all), SHORT), [""; 0]);
        all[0].1 = "a: 900";
        all.push(("x", "d: 7"));
        assert_eq!(rows.update(requests(&all), SHORT), ["a: 900", "b: 7"]);
    }

    /// The requests that were printed stay as they are.
    #[test]
    fn a_request_may_come_before_those_of_another_thread() {
        let mut rows = FollowedRows::default();
        let mut all = vec![("", "a: 5"), ("x", "b: 7")];
        assert_eq!(rows.update(requests(&all), REST), ["a: 5", "b: 7"]);
        all.insert(1, ("", "c: 7"));
        assert_eq!(rows.update(requests(&all), SHORT), [""; 0]);
        assert_eq!(rows.update(requests(&all), REST), ["c: 7"]);
        all[2].1 = "b: 9";
        assert_eq!(rows.update(requests(&all), REST), [""; 0]);
        assert_eq!(rows.update(requests(&all), REST), ["b: 9  (corrected)"]);
    }

    /// The time since the file was written counts for the first reading.
    #[test]
    fn an_old_session_is_printed_at_once() {
        let mut rows = FollowedRows::default();
        let all = [("", "a: 5"), ("", "b: 7")];
        assert_eq!(rows.update(requests(&all), REST), ["a: 5", "b: 7"]);
        let mut faults = FollowedFaults::default();
        assert_eq!(faults.update(&["torn".to_owned()], REST), ["torn"]);
    }

    #[test]
    fn a_line_that_is_half_written_is_no_fault() {
        let mut faults = FollowedFaults::default();
        let torn = ["line 2: the last line is incomplete".to_owned()];
        assert_eq!(faults.update(&torn, SHORT), [""; 0]);
        assert_eq!(faults.update(&[], SHORT), [""; 0]);
        let broken = ["line 3: not JSON".to_owned()];
        assert_eq!(faults.update(&broken, SHORT), [""; 0]);
        assert_eq!(faults.update(&broken, REST), broken);
        assert_eq!(faults.update(&broken, REST), [""; 0]);
    }
}
