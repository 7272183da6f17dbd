use crate::Reason;
use crate::process::Ended;
use crate::visible::brief;

/// The user's name, from the answer to [`Query::UserName`](crate::Query::UserName).
pub(crate) fn user_name(answer: Result<Ended, Reason>) -> Result<Option<String>, Reason> {
    let output = match answer? {
        Ended::Failure { code: Some(1), .. } => return Ok(None),
        ended => ended.whole()?,
    };
    // Ended by a NUL, since the name may hold a newline.
    let Some(name) = output.strip_suffix(&[0]) else {
        return Err(Reason::unexpected(&output));
    };
    let name = brief(name.trim_ascii_end());
    Ok((!name.is_empty()).then_some(name))
}
