//! Request forms that no rule describes: Bedrock's Converse, and other vendors'
//! models on Bedrock and Google Cloud.

use aside_body::wire::Keys;

use super::bodies::is_value;

/// The form's name, to print after "no rule is known for".
pub(super) type OtherForm = &'static str;

const CONVERSE: OtherForm = "the form of Bedrock's Converse";
const BEDROCK_COUNT: OtherForm = "the form of Bedrock's token counts";
const BEDROCK_VENDOR: OtherForm = "the form of another vendor's model on Bedrock";
const GOOGLE_VENDOR: OtherForm = "the form of another vendor's model on Google Cloud";

/// Returns the body's form, judging by its keys.
///
/// ```json
/// {"modelId": "amazon.nova-pro-v1:0", "messages": [], "inferenceConfig": {"maxTokens": 512}}
/// ```
///
/// Returns `None` for anything else, including text that is not JSON.
pub(super) fn of_body(keys: &Keys<'_>) -> Option<OtherForm> {
    (keys.is_converse() && is_value(keys.body())).then_some(CONVERSE)
}

/// Returns the form to expect at a Bedrock or Google Cloud address; `None`
/// unless the address shows another form.
///
/// | path | form |
/// |---|---|
/// | `/model/ID/converse`, `/model/ID/converse-stream` | Converse |
/// | `/model/ID/count-tokens` | a request in base64, or Converse |
/// | `/model/ID/invoke` with the id of another vendor | another vendor's on Bedrock |
/// | `/publishers/NAME/…:rawPredict` of another vendor | another vendor's on Google Cloud |
pub(super) fn of_url(url: &str) -> Option<OtherForm> {
    let path = url.split(['?', '#']).next()?;
    if path.ends_with(":rawPredict") || path.ends_with(":streamRawPredict") {
        let (_, publisher) = path.split_once("/publishers/")?;
        return (!publisher.starts_with("anthropic/")).then_some(GOOGLE_VENDOR);
    }
    let (_, rest) = path.split_once("/model/")?;
    let (model, action) = rest.rsplit_once('/')?;
    // A profile's ARN does not have to name the model's vendor.
    let is_other_vendor = !model.contains("anthropic") && !model.starts_with("arn");
    match action {
        "converse" | "converse-stream" => Some(CONVERSE),
        "count-tokens" => Some(BEDROCK_COUNT),
        "invoke" | "invoke-with-response-stream" if is_other_vendor => Some(BEDROCK_VENDOR),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_the_form() {
        let check = |url: &str, expected| assert_eq!(of_url(url), expected, "{url}");
        let bedrock = "https://bedrock-runtime.us-west-2.amazonaws.com/model";
        let claude = format!("{bedrock}/us.anthropic.claude-sonnet-5");
        check(&format!("{claude}/converse"), Some(CONVERSE));
        check(&format!("{claude}/converse-stream?a=b"), Some(CONVERSE));
        check(&format!("{claude}/invoke"), None);
        check(&format!("{claude}/count-tokens"), Some(BEDROCK_COUNT));
        let profile = "arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fx";
        check(&format!("{bedrock}/{profile}/invoke"), None);
        let nova = format!("{bedrock}/amazon.nova-lite-v1%3A0/invoke-with-response-stream");
        check(&nova, Some(BEDROCK_VENDOR));
        let google = "https://aiplatform.googleapis.com/v1/projects/p/publishers";
        let claude = format!("{google}/anthropic/models/claude-sonnet-5:streamRawPredict");
        check(&claude, None);
        let other = format!("{google}/mistralai/models/codestral:rawPredict");
        check(&other, Some(GOOGLE_VENDOR));
        check("https://api.anthropic.com/v1/messages", None);
    }

    #[test]
    fn keys_name_the_form() {
        let form = |body: &str| of_body(&Keys::read(body.as_bytes()));
        let check = |body: &str, expected| assert_eq!(form(body), expected, "{body}");
        let messages = r#""messages":[{"role":"user","content":[{"text":"Hi"}]}]"#;
        for key in ["inferenceConfig", "toolConfig", "modelId"] {
            check(&format!(r#"{{{messages},"{key}":{{}}}}"#), Some(CONVERSE));
            // An unknown Messages API key, left to its rules to report.
            check(&format!(r#"{{{messages},"model":"m","{key}":{{}}}}"#), None);
        }
        check(&format!("{{{messages}}}"), None);
        check(r#"{"contents":[],"toolConfig":{}}"#, None);
        check("[1]", None);
    }
}
