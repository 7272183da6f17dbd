use crate::date::SessionDate;
use crate::name::names;
use crate::outside_text::OutsideText;
use crate::product::Product;
use crate::prompt::SystemPrompt;
use crate::segment::{Boundary, Lifetime, Segment, Zone};

/// The prompt of simple mode: who the model is, where it works and since when, in one segment.
///
/// There is no boundary, and nothing else belongs before or behind it: no identity prefix, no
/// attribution, no system context. The segment counts as project-lifetime although it holds a date,
/// so that no layout moves it out of the system prompt.
pub fn simple_prompt(
    product: &Product,
    working_directory: &OutsideText,
    date: SessionDate,
) -> SystemPrompt {
    let text = format!(
        "{}\n\nCWD: {}\nDate: {date}",
        product.identity,
        working_directory.one_line(),
    );
    let segment = Segment::new(names::SIMPLE, Zone::Dynamic, Lifetime::Project, text);
    SystemPrompt::from_segments(vec![segment], Boundary::Absent)
}
