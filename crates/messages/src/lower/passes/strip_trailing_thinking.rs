use crate::diagnostic::Diagnostic;
use crate::lower::run::Run;
use crate::wire::{ContentBlock, Role};

/// Removes thinking from the end of an answer without tool calls, because the
/// API refuses an answer that ends with it. Depends on the message alone.
pub(crate) fn strip_trailing_thinking(run: &mut Run, diagnostics: &mut Vec<Diagnostic>) {
    let is_call = |content: &ContentBlock| matches!(content, ContentBlock::ToolUse(_));
    if run.role != Role::Assistant || run.blocks.iter().any(|block| is_call(&block.content)) {
        return;
    }
    while let Some(last) = run.blocks.last()
        && matches!(
            last.content,
            ContentBlock::Thinking(_) | ContentBlock::RedactedThinking(_)
        )
    {
        diagnostics.push(Diagnostic::Thinking {
            source: last.source.owner.clone(),
        });
        run.blocks.pop();
    }
}
