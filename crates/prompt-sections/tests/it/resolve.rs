//! When sections are computed, and how often.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use aside_prompt_sections::{
    Lifetime, PromptDiagnostic, Registry, Section, StaticBoundary, fixed_section, section,
    static_section, uncached_section,
};
use futures_util::FutureExt;

use crate::{INPUTS, resolve};

/// A computation that counts its runs and waits until it is released.
#[derive(Clone, Default)]
struct Probe {
    runs: Arc<AtomicUsize>,
    open: Arc<AtomicBool>,
}

impl Probe {
    fn open() -> Self {
        let probe = Self::default();
        probe.open.store(true, Ordering::SeqCst);
        probe
    }

    fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }

    async fn run(self) -> Result<Option<String>, aside_prompt_sections::ComputeError> {
        let run = self.runs.fetch_add(1, Ordering::SeqCst) + 1;
        poll_fn(|context| {
            context.waker().wake_by_ref();
            if self.open.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        Ok(Some(format!("run {run}")))
    }

    fn cached(&self, name: &str) -> Section {
        let probe = self.clone();
        section(name, Lifetime::Project, move || probe.clone().run())
    }

    fn uncached(&self, name: &str) -> Section {
        let probe = self.clone();
        uncached_section(name, Lifetime::Project, move || probe.clone().run(), "a test")
    }
}

fn registry(sections: impl IntoIterator<Item = Section>) -> Registry {
    let mut registry = Registry::new(INPUTS);
    for section in sections {
        registry.register(section).expect("names are new");
    }
    registry
}

fn texts(registry: &Registry) -> Vec<String> {
    resolve(registry).prompt(StaticBoundary::Absent).to_strings()
}

#[test]
fn a_section_is_computed_once_until_cleared() {
    let (kept, anew) = (Probe::open(), Probe::open());
    let registry = registry([kept.cached("kept"), anew.uncached("anew")]);
    assert_eq!(texts(&registry), ["run 1", "run 1"]);
    assert_eq!(texts(&registry), ["run 1", "run 2"]);
    registry.clear();
    assert_eq!(texts(&registry), ["run 2", "run 3"]);
    registry.retry("kept").unwrap();
    assert_eq!(texts(&registry), ["run 3", "run 4"]);
}

#[test]
fn an_absent_text_is_kept_too() {
    let runs = Arc::new(AtomicUsize::new(0));
    let count = runs.clone();
    let registry = registry([section("a", Lifetime::Project, move || {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(None) }
    })]);
    assert_eq!(texts(&registry), [""; 0]);
    assert_eq!(texts(&registry), [""; 0]);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[test]
fn two_callers_at_once_compute_once() {
    for make in [Probe::cached, Probe::uncached] {
        let probe = Probe::default();
        let registry = registry([make(&probe, "a")]);
        let (mut first, mut second) = (registry.resolve().boxed(), registry.resolve().boxed());
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        probe.open.store(true, Ordering::SeqCst);
        assert_eq!(first.now_or_never(), second.now_or_never());
        assert_eq!(probe.runs(), 1);
    }
}

#[test]
fn a_computation_outlives_its_first_caller() {
    let probe = Probe::default();
    let registry = registry([probe.cached("a")]);
    let mut first = registry.resolve().boxed();
    let mut second = registry.resolve().boxed();
    assert!((&mut first).now_or_never().is_none());
    assert!((&mut second).now_or_never().is_none());
    drop(first);
    probe.open.store(true, Ordering::SeqCst);
    assert!(second.now_or_never().is_some());
    assert_eq!(probe.runs(), 1);
}

#[test]
fn an_abandoned_computation_is_restarted() {
    let probe = Probe::default();
    let registry = registry([probe.cached("a")]);
    assert!(registry.resolve().now_or_never().is_none());
    probe.open.store(true, Ordering::SeqCst);
    assert_eq!(texts(&registry), ["run 2"]);
}

#[test]
fn clearing_does_not_wait_for_a_running_computation() {
    let probe = Probe::default();
    let registry = registry([probe.cached("a")]);
    let mut before = registry.resolve().boxed();
    assert!((&mut before).now_or_never().is_none());
    registry.clear();
    probe.open.store(true, Ordering::SeqCst);
    assert_eq!(texts(&registry), ["run 2"]);
    let before = before.now_or_never().unwrap().prompt(StaticBoundary::Absent);
    assert_eq!(before.to_strings(), ["run 1"]);
    assert_eq!(texts(&registry), ["run 2"]);
}

#[test]
fn sections_are_computed_concurrently_and_returned_in_order() {
    let (slow, quick) = (Probe::default(), Probe::open());
    let registry = registry([slow.cached("slow"), quick.cached("quick"), fixed_section("a", "A")]);
    let mut resolving = registry.resolve().boxed();
    assert!((&mut resolving).now_or_never().is_none());
    assert_eq!((slow.runs(), quick.runs()), (1, 1));
    slow.open.store(true, Ordering::SeqCst);
    let resolved = resolving.now_or_never().unwrap();
    let names: Vec<_> = resolved.sections().map(|section| section.name.as_str()).collect();
    assert_eq!(names, ["a", "slow", "quick"]);
}

#[test]
fn threads_share_a_computation() {
    let probe = Probe::open();
    let registry = registry([probe.cached("a")]);
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                start.wait();
                let prompt = block_on(registry.resolve()).prompt(StaticBoundary::Absent);
                assert_eq!(prompt.to_strings(), ["run 1"]);
            });
        }
    });
    assert_eq!(probe.runs(), 1);
}

/// Creates a section whose first run fails in the given way and whose second
/// one succeeds.
fn recovering(name: &str, wrong: fn() -> aside_prompt_sections::ComputeError) -> Section {
    let runs = Arc::new(AtomicUsize::new(0));
    section(name, Lifetime::Project, move || {
        let run = runs.fetch_add(1, Ordering::SeqCst);
        async move {
            match run {
                0 => Err(wrong()),
                _ => Ok(Some("recovered".into())),
            }
        }
    })
}

#[test]
fn a_failed_section_is_left_out_and_stays_out() {
    let registry = registry([
        recovering("failing", || "the disk is\nfull".into()),
        Probe::open().cached("fine"),
        recovering("panicking", || panic!("index out of bounds")),
    ]);
    let resolved = resolve(&registry);
    assert_eq!(resolved.prompt(StaticBoundary::Absent).to_strings(), ["run 1"]);
    let reported: Vec<_> = resolved.diagnostics().iter().map(PromptDiagnostic::to_string).collect();
    insta::assert_snapshot!(reported.join("\n"), @r"
    section `failing` is left out: the disk is\nfull
    section `panicking` is left out: it panicked: index out of bounds
    ");

    assert_eq!(resolve(&registry), resolved, "it stays out on the next turn");
    registry.retry("panicking").unwrap();
    assert_eq!(texts(&registry), ["run 1", "recovered"]);
    registry.clear();
    assert_eq!(texts(&registry), ["recovered", "run 2", "recovered"]);
}

#[test]
fn a_panic_before_the_first_await_is_caught_too() {
    let registry = registry([section("a", Lifetime::Project, || {
        let name = String::from("nobody");
        assert!(name.is_empty(), "no {name}");
        async { Ok(None) }
    })]);
    let diagnostics = resolve(&registry).diagnostics();
    assert_eq!(
        diagnostics,
        [PromptDiagnostic::SectionPanicked { section: "a".into(), message: "no nobody".into() }]
    );
}

#[test]
fn a_static_section_that_panics_is_left_out_as_well() {
    let registry = registry([
        static_section("a", |inputs| panic!("no text for {}", inputs.product.name)),
        fixed_section("b", "B"),
    ]);
    assert_eq!(texts(&registry), ["B"]);
    insta::assert_snapshot!(
        resolve(&registry).diagnostics()[0],
        @"section `a` is left out: it panicked: no text for Aside"
    );
}

#[test]
fn an_uncached_section_that_failed_stays_out() {
    let runs = Arc::new(AtomicUsize::new(0));
    let count = runs.clone();
    let compute = move || {
        let run = count.fetch_add(1, Ordering::SeqCst);
        async move {
            match run {
                0 => Err("not ready".into()),
                _ => Ok(Some("ready".into())),
            }
        }
    };
    let registry = registry([uncached_section("a", Lifetime::Session, compute, "a test")]);
    assert_eq!(texts(&registry), [""; 0]);
    assert_eq!(texts(&registry), [""; 0]);
    registry.retry("a").unwrap();
    assert_eq!(texts(&registry), ["ready"]);
}

/// A minimal executor: it parks the thread until it is woken.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        thread::park();
    }
}

#[test]
fn a_time_limit_leaves_out_only_its_section() {
    let mut registry = Registry::new(INPUTS);
    let gives_up = |section: Section| {
        section.around(|computation| async move {
            computation.now_or_never().unwrap_or_else(|| Err("no answer in time".into()))
        })
    };
    let never = section("never", Lifetime::Project, std::future::pending);
    for section in [
        gives_up(fixed_section("fixed", "F")),
        gives_up(never),
        gives_up(Probe::open().cached("quick")),
    ] {
        registry.register(section).unwrap();
    }
    let resolved = resolve(&registry);
    let prompt = resolved.prompt(StaticBoundary::Absent);
    assert_eq!(prompt.to_strings(), ["F", "run 1"]);
    let failed = PromptDiagnostic::SectionFailed {
        section: "never".to_owned(),
        message: "no answer in time".to_owned(),
    };
    assert_eq!(resolved.diagnostics(), [failed]);
}
