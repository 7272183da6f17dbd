use crate::date::SessionDate;
use crate::name::names;
use crate::outside_text::OutsideText;
use crate::product::Product;
use crate::prompt::SystemPrompt;
use crate::segment::{Lifetime, Segment, StaticBoundary, Zone};

/// Returns simple mode's prompt in one segment: identity, working directory and
/// date.
///
/// There is no boundary. Add nothing before or after it: no identity prefix, no
/// attribution, no system context. The segment has project lifetime although it
/// contains a date, so that no layout moves it out of the system prompt.
pub fn simple_prompt(
    product: &Product,
    working_directory: &OutsideText,
    date: SessionDate,
) -> SystemPrompt {
    let text =
        format!("{}\n\nCWD: {}\nDate: {date}", product.identity, working_directory.one_line(),);
    let segment = Segment::new(names::SIMPLE, Zone::Dynamic, Lifetime::Project, text);
    SystemPrompt::from_segments(vec![segment], StaticBoundary::Absent)
}
