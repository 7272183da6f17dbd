use aside_providers::{Collector, Event, Names, Provider, Stream};

/// Reads the bytes as a whole and in two parts: the events are equal, blocks do
/// not overlap, and nothing panics. The first byte is the position of the cut.
pub fn check(provider: Provider, bytes: &[u8]) {
    let Some((&at, bytes)) = bytes.split_first() else {
        return;
    };
    let whole = read(provider, &[bytes]);
    let (before, after) = bytes.split_at(usize::from(at).min(bytes.len()));
    assert_eq!(whole, read(provider, &[before, after]));

    let mut open = None;
    let mut next = 0;
    let mut collector = Collector::default();
    for event in &whole.0 {
        collector.push(event);
        match event {
            Event::BlockStart { index, .. } => {
                assert_eq!((open, *index), (None, next));
                open = Some(*index);
                next += 1;
            }
            Event::BlockDelta { index, .. } => assert_eq!(open, Some(*index)),
            Event::BlockStop { index } => assert_eq!(open.take(), Some(*index)),
            _ => assert_eq!(open, None),
        }
    }
    let _ = collector.finish();
}

fn read(provider: Provider, pieces: &[&[u8]]) -> (Vec<Event>, Option<String>) {
    let mut stream = Stream::new(provider, Names::default());
    let mut events = Vec::new();
    let pushed = pieces.iter().try_for_each(|piece| stream.push(piece, &mut events));
    let result = pushed.and_then(|()| stream.finish(&mut events));
    (events, result.err().map(|error| error.to_string()))
}
