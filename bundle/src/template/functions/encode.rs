//! JSON and base64.

use super::super::error::Fault;
use super::Answer;
use super::call::{FunctionCall, push, shortened};
use crate::json::{MAX_DEPTH, Scanner};
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, PAD};

/// As forgiving as Go's, which does not look at the bits that are left over.
const DECODER: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

const ENCODER: GeneralPurpose = GeneralPurpose::new(&STANDARD, PAD);

/// The JSON text of a value, of the data as it came.
pub(super) fn to_json(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let value = call.value(0);
    if call.view.weight(value) > super::MAX_TEXT {
        return Err(Fault::Limit(super::Limit::Text));
    }
    call.view.print_as_json(value, out);
    Ok(Answer::Text)
}

/// The value that a JSON text stands for. Sprig gives nothing where it cannot be read; here that is an error.
pub(super) fn from_json(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let text = call.text(0)?;
    let mut scanner = Scanner::of_text(&text, MAX_DEPTH).allow_lone_surrogates();
    let value = scanner
        .value()
        .and_then(|value| scanner.finish().map(|()| value))
        .map_err(|error| call.fault(format_args!("\"{}\" is not JSON: {error}", shortened(&text))))?;
    push(out, value.text)?;
    Ok(Answer::Json)
}

pub(super) fn to_base64(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let text = call.text(0)?;
    if text.len() > super::MAX_TEXT {
        return Err(Fault::Limit(super::Limit::Text));
    }
    push(out, &ENCODER.encode(text.as_bytes()))?;
    Ok(Answer::Text)
}

pub(super) fn from_base64(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let text = call.text(0)?;
    let code: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let bytes = DECODER
        .decode(code)
        .map_err(|_| call.fault(format_args!("\"{}\" is not base64", shortened(&text))))?;
    let decoded = str::from_utf8(&bytes)
        .map_err(|_| call.fault(format_args!("the decoded text of \"{}\" is not UTF-8", shortened(&text))))?;
    push(out, decoded)?;
    Ok(Answer::Text)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_texts, go};
    use crate::template::Function;

    #[test]
    fn values_are_encoded() {
        assert_texts(&[
            (Function::ToJson, &["[\"a\", \"b\"]"], "[\"a\", \"b\"]"),
            (Function::ToJson, &["\"A \\\"q\\\" & /x\""], "\"A \\\"q\\\" & /x\""),
            (Function::ToJson, &["absent"], "null"),
            (Function::ToJson, &["null"], "null"),
            (Function::ToJson, &["2.50"], "2.50"),
            (Function::ToJson, &["true"], "true"),
            (Function::B64Enc, &["\"hello\""], "aGVsbG8="),
            (Function::B64Enc, &["\"A \\\"q\\\" & /x\""], "QSAicSIgJiAveA=="),
            (Function::B64Enc, &["5"], "NQ=="),
            (Function::B64Enc, &["absent"], ""),
            (Function::B64Dec, &["\"aGVs\\r\\nbG8=\\n\""], "hello"),
            (Function::B64Dec, &["\"aGVsbG9=\""], "hello"),
            (Function::B64Dec, &["\"\""], ""),
            (Function::FromJson, &["\" [1, {\\\"a\\\": 2.50}] \""], "[1, {\"a\": 2.50}]"),
            (Function::FromJson, &["5"], "5"),
            (Function::FromJson, &["\"\\\"é\\\"\""], "é"),
        ]);
    }

    #[test]
    fn what_does_not_decode_is_an_error() {
        assert_eq!(go(Function::B64Dec, &["\"a b\""]).unwrap_err(), "`b64dec`: \"a b\" is not base64");
        assert!(go(Function::B64Dec, &["\"aGVsbG8\""]).is_err(), "no padding");
        assert_eq!(
            go(Function::B64Dec, &["\"//8=\""]).unwrap_err(),
            "`b64dec`: the decoded text of \"//8=\" is not UTF-8"
        );
        for text in ["\"\"", "\"{a: 1}\"", "\"1 2\"", "absent"] {
            let error = go(Function::FromJson, &[text]).unwrap_err();
            assert!(error.contains("is not JSON"), "{error}");
        }
        let deep = format!("\"{}\"", "[".repeat(1000));
        assert!(go(Function::FromJson, &[&deep]).is_err());
    }
}
