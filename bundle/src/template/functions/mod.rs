//! What programs can call. A function sees its arguments through a [`View`], writes text it makes into a buffer, and
//! never fails silently: what it cannot do is a [`Fault::Value`] that names the function and the reason.
//!
//! In Go's dialect they do what Go's and sprig's functions of the same names do, over JSON's values. They differ where
//! those would answer something wrong rather than nothing: a text that is not a time is not today, and what does not
//! decode is an error.

mod call;
mod cases;
mod choose;
mod collection;
mod compare;
mod digest;
mod encode;
mod escape;
mod exact;
mod float;
mod gjson;
mod helper;
mod layout;
mod list;
mod math;
mod object;
mod pattern;
mod pretty;
mod print;
mod printf;
mod quoted;
mod read_layout;
mod round;
mod spec;
#[cfg(test)]
mod testing;
mod text;
mod time;
mod unique;
mod verb;
mod words;

use super::error::{Fault, Limit};
use super::function::Function;
use super::value::{Value, View};
pub(crate) use call::shortened;
pub(crate) use pattern::Patterns;

use call::FunctionCall;

/// The longest text that one call may compute.
pub(crate) const MAX_TEXT: usize = 256 * 1024;

/// What a function has beside its arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ambient {
    /// Milliseconds since 1970.
    pub now_ms: i64,
    /// Anything that differs from call to call.
    pub seed: u64,
}

/// What a call gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Answer {
    Value(Value),
    /// The buffer holds characters.
    Text,
    /// The buffer holds one JSON value, without space around it.
    Json,
}

/// Calls a function. `patterns` keeps what was compiled for the next call. `buffer` is empty, and keeps what [`Answer::Text`] and [`Answer::Json`] stand for.
/// `calls` counts the calls of this render, so that two `uuidv4` differ.
pub(crate) fn call(
    view: &View<'_>,
    function: Function,
    arguments: &[Value],
    ambient: &Ambient,
    calls: u32,
    patterns: &mut Patterns,
    buffer: &mut String,
) -> Result<Answer, Fault> {
    let call = FunctionCall { view: *view, function, arguments };
    call.check_count()?;
    let answer = match function {
        Function::Eq => truth(compare::eq(&call)?),
        Function::Ne => truth(!compare::eq(&call)?),
        Function::Lt => truth(compare::order(&call)?.is_lt()),
        Function::Le => truth(compare::order(&call)?.is_le()),
        Function::Gt => truth(compare::order(&call)?.is_gt()),
        Function::Ge => truth(compare::order(&call)?.is_ge()),
        Function::Not | Function::Empty | Function::HelperNot => truth(!call.is_true(0)),
        Function::Default => Answer::Value(choose::default(&call)),
        Function::Coalesce => Answer::Value(choose::coalesce(&call)),
        Function::Ternary => Answer::Value(choose::ternary(&call)),
        Function::Len => Answer::Value(collection::len(&call)?),
        Function::Index => Answer::Value(collection::index(&call)?),
        Function::Slice => collection::slice(&call, buffer)?,
        Function::First | Function::Last => Answer::Value(collection::end(&call)?),
        Function::Add | Function::Add1 | Function::Sub | Function::Mul | Function::Div | Function::Mod => {
            math::compute(&call, buffer)?
        }
        Function::Contains | Function::HasPrefix | Function::HasSuffix => truth(text::test(&call)?),
        Function::Join => text::join(&call, buffer)?,
        Function::Split => text::split(&call, buffer)?,
        Function::Lower | Function::Upper => text::change_case(&call, buffer)?,
        Function::Replace => text::replace(&call, buffer)?,
        Function::Trim | Function::TrimPrefix | Function::TrimSuffix => text::trim(&call, buffer)?,
        Function::Quote => text::quote(&call, buffer)?,
        Function::ToString => print::to_string(&call, buffer)?,
        Function::Print => print::print(&call, buffer)?,
        Function::Println => print::println(&call, buffer)?,
        Function::Printf => printf::printf(&call, buffer)?,
        Function::Html => escape::html(&call, buffer)?,
        Function::Js => escape::js(&call, buffer)?,
        Function::UrlQuery => escape::url_query(&call, buffer)?,
        Function::ToJson => encode::to_json(&call, buffer)?,
        Function::B64Enc => encode::to_base64(&call, buffer)?,
        Function::B64Dec => encode::from_base64(&call, buffer)?,
        Function::Now => time::now(&call, ambient, buffer)?,
        Function::Date | Function::DateInZone => time::date(&call, buffer)?,
        Function::Uuidv4 => unique::uuid(ambient, calls, buffer)?,
        Function::GjsonKey => Answer::Value(gjson::key(&call)),
        Function::GjsonEach => gjson::each(&call, buffer)?,
        Function::HelperAnd => truth(arguments.iter().all(|&value| view.is_true(value))),
        Function::HelperOr => truth(arguments.iter().any(|&value| view.is_true(value))),
        Function::HelperEq => truth(helper::equal(&call)?),
        Function::HelperNe => truth(!helper::equal(&call)?),
        Function::HelperGt => truth(helper::order(&call).is_some_and(|order| order.is_gt())),
        Function::HelperGte => truth(helper::order(&call).is_some_and(|order| order.is_ge())),
        Function::HelperLt => truth(helper::order(&call).is_some_and(|order| order.is_lt())),
        Function::HelperLte => truth(helper::order(&call).is_some_and(|order| order.is_le())),
        Function::HelperLen => Answer::Value(helper::len(&call)),
        Function::HelperLookup => Answer::Value(helper::lookup(&call)),
        Function::Round => round::round(&call, buffer)?,
        Function::Floor | Function::Ceil | Function::Int | Function::Float64 => round::one(&call, buffer)?,
        Function::Max | Function::Min => round::extreme(&call, buffer)?,
        Function::Addf | Function::Subf | Function::Mulf | Function::Divf => exact::compute(&call, buffer)?,
        Function::Title => words::title(&call, buffer)?,
        Function::Trunc => words::trunc(&call, buffer)?,
        Function::Substr => words::substr(&call, buffer)?,
        Function::Cat => words::cat(&call, buffer)?,
        Function::NoSpace => words::no_space(&call, buffer)?,
        Function::CamelCase => cases::camel(&call, buffer)?,
        Function::SnakeCase | Function::KebabCase => cases::snake(&call, buffer)?,
        Function::SQuote => words::single_quote(&call, buffer)?,
        Function::Repeat => words::repeat(&call, buffer)?,
        Function::TrimAll => words::trim_all(&call, buffer)?,
        Function::Indent | Function::NIndent => words::indent(&call, buffer)?,
        Function::Until => list::until(&call, buffer)?,
        Function::Seq => list::seq(&call, buffer)?,
        Function::List => list::of(&call, call.arguments.iter().copied(), buffer)?,
        Function::Append | Function::Prepend | Function::Concat => list::joined(&call, buffer)?,
        Function::Uniq => list::uniq(&call, buffer)?,
        Function::SortAlpha => list::sort_alpha(&call, buffer)?,
        Function::Reverse => list::reverse(&call, buffer)?,
        Function::Rest | Function::Initial | Function::Compact => list::part(&call, buffer)?,
        Function::Without => list::without(&call, buffer)?,
        Function::Has => truth(list::has(&call)?),
        Function::Dict => object::dict(&call, buffer)?,
        Function::Get => Answer::Value(object::get(&call)?),
        Function::HasKey => truth(object::has_key(&call)?),
        Function::Keys => object::keys(&call, buffer)?,
        Function::Values => object::values(&call, buffer)?,
        Function::Pick | Function::Omit => object::chosen(&call, buffer)?,
        Function::ToPrettyJson => pretty::to_pretty_json(&call, buffer)?,
        Function::FromJson => encode::from_json(&call, buffer)?,
        Function::KindOf => print::kind_of(&call, buffer)?,
        Function::RegexMatch => truth(pattern::is_match(&call, patterns)?),
        Function::RegexFind => pattern::find(&call, patterns, buffer)?,
        Function::RegexReplaceAll => pattern::replace(&call, patterns, buffer)?,
        Function::Sha1Sum | Function::Sha256Sum => digest::digest(&call, buffer)?,
        Function::ToDate => time::to_date(&call, buffer)?,
        Function::UnixEpoch => Answer::Value(time::unix_epoch(&call)?),
        Function::GjsonReverse => gjson::reverse(&call, buffer)?,
        Function::GjsonKeys => gjson::keys(&call, buffer)?,
        Function::GjsonValues => gjson::values(&call, buffer)?,
        Function::GjsonFlatten => gjson::flatten(&call, buffer)?,
        Function::GjsonPretty => gjson::pretty(&call, buffer)?,
    };
    // Each function stops in time; this is for the one that forgets.
    if buffer.len() > MAX_TEXT {
        return Err(Fault::Limit(Limit::Text));
    }
    Ok(answer)
}

fn truth(truth: bool) -> Answer {
    Answer::Value(Value::Bool(truth))
}

#[cfg(test)]
mod tests {
    use super::testing::{argument, run};
    use super::*;
    use crate::wire_enums::Dialect;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Nor is the answer anything but a value, which `run` checks.
        #[test]
        fn no_call_panics(
            function in prop::sample::select(Function::ALL),
            dialect in prop::sample::select(&[Dialect::Go, Dialect::Handlebars][..]),
            arguments in prop::collection::vec(argument(), 0..4),
        ) {
            let arguments: Vec<&str> = arguments.iter().map(|text| &**text).collect();
            match run(dialect, function, &arguments) {
                Ok(text) => prop_assert!(text.len() <= MAX_TEXT),
                Err(error) => {
                    let is_limit = error == "it computes more text than allowed";
                    prop_assert!(is_limit || error.starts_with('`'), "{error}");
                }
            }
        }
    }
}
