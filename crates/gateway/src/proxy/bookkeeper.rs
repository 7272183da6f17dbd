//! The ledger on its own thread, so that no connection waits for it.

use std::sync::{Mutex, PoisonError};
use std::thread;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::OnEvent;
use super::finished::Finished;
use super::ledger::Ledger;
use super::observe::Observer;
use super::summary::{Event, Refusal};
use crate::admission::Room;
use crate::buffers::Buffers;

/// Adds exchanges to the ledger, one after the other.
#[derive(Debug)]
pub(crate) struct Bookkeeper {
    /// The thread's queue, and what receives the ledger when the thread ends; `None` after the end.
    thread: Mutex<Option<(UnboundedSender<Job>, oneshot::Receiver<Ledger>)>>,
}

#[derive(Debug)]
pub(crate) enum Job {
    Ended(Box<Ended>),
    Refused(Refusal),
    /// A request without a wire was forwarded.
    Passed,
}

#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) finished: Finished,
    /// Reads the response, if that had begun.
    pub(crate) observer: Option<Observer>,
    /// Its bodies' room.
    pub(crate) room: Option<Room>,
}

impl Bookkeeper {
    /// Starts the thread, which calls `on_event` for each job.
    pub(crate) fn start(
        ledger: Ledger,
        on_event: OnEvent,
        buffers: Buffers,
    ) -> std::io::Result<Self> {
        let (sender, jobs) = unbounded_channel();
        let (done, ledger_at_end) = oneshot::channel();
        thread::Builder::new().name("ledger".to_owned()).spawn(move || {
            let _ = done.send(work(ledger, jobs, &on_event, &buffers));
        })?;
        Ok(Self { thread: Mutex::new(Some((sender, ledger_at_end))) })
    }

    /// Adds a job. After the end, it is dropped.
    pub(crate) fn add(&self, job: Job) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((jobs, _)) = &*thread {
            let _ = jobs.send(job);
        }
    }

    /// Waits until every exchange is in the ledger, and returns it; `None` if
    /// it was returned before.
    pub(crate) async fn end(&self) -> Option<Ledger> {
        let (jobs, ledger) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        drop(jobs);
        ledger.await.ok()
    }
}

/// Works on jobs until the queue is closed, and returns the ledger.
fn work(
    mut ledger: Ledger,
    mut jobs: UnboundedReceiver<Job>,
    on_event: &OnEvent,
    buffers: &Buffers,
) -> Ledger {
    while let Some(job) = jobs.blocking_recv() {
        match job {
            Job::Ended(ended) => {
                let mut finished = ended.finished;
                let mut room = ended.room;
                if let Some(observer) = ended.observer {
                    finished.observed = observer.end(room.as_mut());
                    let is_whole = finished.observed.is_whole;
                    finished.is_complete = is_whole.unwrap_or(finished.is_complete);
                }
                finished.join(buffers);
                on_event(&Event::Request(Box::new(ledger.add(finished))));
                drop(room);
            }
            Job::Passed => ledger.pass(),
            Job::Refused(refusal) => {
                if ledger.refuse(&refusal) {
                    on_event(&Event::Refused(refusal));
                }
            }
        }
    }
    ledger
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use axum::body::Bytes;
    use tokio::sync::Semaphore;

    use super::super::Texts;
    use super::super::observe::Observed;
    use super::super::record::Recorder;
    use super::super::upstream::Wire;
    use super::*;

    fn job(room: Room) -> Job {
        Job::Ended(Box::new(Ended {
            finished: Finished {
                wire: Wire::Messages,
                at: Duration::ZERO,
                path: "/v1/messages".to_owned(),
                body: Bytes::new(),
                placed: Vec::new(),
                original: None,
                is_clean: false,
                agent: None,
                headers: Vec::new(),
                status: Some(200),
                latency: None,
                observed: Observed::default(),
                is_complete: true,
                note: None,
                secrets: Vec::new(),
            },
            observer: None,
            room: Some(room),
        }))
    }

    /// A body has its room until it is recorded.
    #[tokio::test]
    async fn the_room_of_a_request_ends_with_its_record() {
        let recorder = Recorder::new(None, Texts::Kept).expect("no directory");
        let (release, held) = channel::<()>();
        let held = Mutex::new(held);
        let on_event = move |_: &Event| {
            let _ = held.lock().map(|held| held.recv());
        };
        let ledger = Ledger::new(recorder, Vec::new(), None);
        let keeper =
            Bookkeeper::start(ledger, Box::new(on_event), Buffers::default()).expect("a thread");
        let room = Arc::new(Semaphore::new(1));
        let first = room.clone().acquire_owned().await.expect("it is open");
        keeper.add(job(Room::of(first)));
        let wait = Duration::from_millis(50);
        let second = tokio::time::timeout(wait, room.acquire()).await;
        assert!(second.is_err(), "the first body is still kept");
        release.send(()).expect("the thread waits");
        assert!(room.acquire().await.is_ok());
        let ledger = keeper.end().await.expect("the ledger");
        assert_eq!(ledger.summary().requests, 1);
        assert!(keeper.end().await.is_none());
    }
}
