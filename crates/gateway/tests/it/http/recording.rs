//! Records are written next to the connections.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::*;

/// On one thread, as in the command: a record that takes long holds up no
/// request, and the summary waits for it.
#[tokio::test]
async fn a_slow_record_delays_no_request() {
    const REQUESTS: u64 = 20;
    let server = serve(|_| {}).await;
    let upstream = format!("messages=http://{}", server.address);
    let mut options = ProxyOptions::default();
    options.upstreams = Upstreams::from_arguments([&*upstream]).unwrap();
    let (release, held) = channel::<()>();
    let held = Mutex::new(held);
    let is_late = Arc::new(Mutex::new(false));
    let late = is_late.clone();
    let on_event = move |event: &Event| {
        if matches!(event, Event::Request(line) if line.number == 1) {
            let released = held.lock().unwrap().recv_timeout(Duration::from_secs(20));
            *late.lock().unwrap() = released == Err(RecvTimeoutError::Timeout);
        }
    };
    let proxy = Proxy::bind(options, Box::new(on_event)).await.unwrap();
    let url = format!("http://{}/v1/messages", proxy.address());
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(async {
        let stopped = async {
            let _ = stopped.await;
        };
        proxy.run(stopped).await.unwrap()
    });
    for _ in 0..REQUESTS {
        let request = client().post(&url).header("anthropic-version", "2023-06-01");
        let response = request.body(HI).send().await.unwrap();
        assert_eq!(response.status(), 200);
        response.bytes().await.unwrap();
    }
    release.send(()).unwrap();
    stop.send(()).unwrap();
    assert_eq!(running.await.unwrap().requests, REQUESTS);
    assert!(!*is_late.lock().unwrap(), "the requests waited for a record");
    server.stop().await;
}
