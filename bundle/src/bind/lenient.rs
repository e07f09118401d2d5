//! Tools that also take arguments of another type, where the value can be converted without loss.
//!
//! Only arguments that were refused get here, so well-typed calls pay nothing. The arguments are written again, with the
//! values converted that have a wrong type: then they are bound like any other, and all that follows sees one text.

use super::prepared::{CheckRef, Name, PreparedTool, PreparedTools, Tool};
use super::problem::StopAtFirst;
use super::{Arguments, BindError, Binder, Request, Values};
use crate::json::{self, Kind, Span, Value, decimal};
use crate::plan::{Contents, TypeSet};

/// What a value becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conversion {
    /// The digits of a number, as a string.
    Quote,
    /// The characters of a string, as a number or boolean.
    Unquote,
}

impl Binder<'_> {
    /// Binds refused arguments of a lenient tool once more, converted.
    #[cold]
    pub(super) fn bind_leniently(
        &mut self,
        tool: PreparedTool<'_>,
        arguments: &Arguments<'_>,
        values: &Values<'_>,
        request: &mut Request,
    ) -> Result<(), BindError> {
        let Some(converted) = self.converted(tool, arguments.text) else {
            return Err(self.explain(tool, arguments, values));
        };
        let arguments = Arguments::of_text(&converted);
        request.clear();
        match self.run(tool, &arguments, values, request, StopAtFirst) {
            (Ok(()), _) => Ok(()),
            (Err(_), _) => Err(self.explain(tool, &arguments, values)),
        }
    }

    /// The arguments with values of the right type; `None` if nothing can be converted.
    fn converted(&self, PreparedTool { tools, tool }: PreparedTool<'_>, text: &str) -> Option<String> {
        let mut tape = Vec::new();
        if text.len() > Span::MAX_TEXT {
            return None;
        }
        let kind = json::record(text, self.limits.depth, &mut tape).ok()?.kind;
        let contents = self.contents;
        let mut walk = Walk { contents, tools, text, tape: &tape, next: 0, out: String::new(), copied: 0 };
        if kind == Kind::Object {
            walk.arguments(tool);
        }
        walk.finish()
    }
}

/// Goes through arguments in the order of their text. The depth of arguments bounds the recursion.
struct Walk<'a> {
    contents: &'a Contents,
    tools: &'a PreparedTools,
    text: &'a str,
    tape: &'a [Span],
    /// The next value on the tape.
    next: usize,
    out: String,
    /// What comes before this in the text is already in `out`.
    copied: usize,
}

impl<'a> Walk<'a> {
    fn arguments(&mut self, tool: &Tool) {
        while let Some(key) = self.take() {
            let parameter = self.find(&key, &tool.parameters, |parameter| &parameter.name);
            self.value(parameter.map(|parameter| parameter.check).or(tool.additional));
        }
    }

    fn take(&mut self) -> Option<Span> {
        let span = self.tape.get(self.next).copied()?;
        self.next += 1;
        Some(span)
    }

    /// The next value inside of another one.
    fn take_inside(&mut self, outer: &Span) -> Option<Span> {
        self.tape.get(self.next).filter(|inner| inner.start() < outer.end())?;
        self.take()
    }

    fn value(&mut self, check: Option<CheckRef>) {
        let Some(span) = self.take() else { return };
        let check = check.and_then(|check| self.tools.checks.get(check.index as usize));
        match span.kind {
            Kind::Array => {
                let items = check.and_then(|check| check.array.as_ref()?.items);
                while self.tape.get(self.next).is_some_and(|item| item.start() < span.end()) {
                    self.value(items);
                }
            }
            Kind::Object => {
                let object = check.and_then(|check| check.object.as_ref());
                while let Some(key) = self.take_inside(&span) {
                    let inner = object.and_then(|object| {
                        let property = self.find(&key, &object.properties, |property| &property.name);
                        property.map(|property| property.check).or(object.additional)
                    });
                    self.value(inner);
                }
            }
            _ => {
                if let Some(check) = check {
                    self.scalar(check.types, &span);
                }
            }
        }
    }

    fn scalar(&mut self, types: TypeSet, span: &Span) {
        let (value, mut buffer) = (span.of(self.text), String::new());
        let Some(conversion) = conversion(types, value, &mut buffer) else { return };
        self.out.push_str(self.text.get(self.copied..span.start()).unwrap_or_default());
        self.copied = span.end();
        match conversion {
            Conversion::Quote => self.out.extend(["\"", value.text, "\""]),
            Conversion::Unquote => self.out.push_str(value.unescaped(&mut buffer)),
        }
    }

    /// The one of a sorted list that has this name.
    fn find<'l, T>(&self, key: &Span, list: &'l [T], name: impl Fn(&T) -> &Name) -> Option<&'l T> {
        let mut buffer = String::new();
        let wanted = key.of(self.text).unescaped(&mut buffer).as_bytes();
        let strings = &self.contents.strings;
        let found = list.binary_search_by(|item| strings.bytes(name(item).text).cmp(wanted)).ok()?;
        list.get(found)
    }

    fn finish(mut self) -> Option<String> {
        if self.copied == 0 {
            return None;
        }
        self.out.push_str(self.text.get(self.copied..).unwrap_or_default());
        Some(self.out)
    }
}

/// How a value that has none of these types gets one of them.
fn conversion(types: TypeSet, value: Value<'_>, buffer: &mut String) -> Option<Conversion> {
    match value.kind {
        Kind::Number => {
            let is_fine = types.contains(TypeSet::NUMBER)
                || types.contains(TypeSet::INTEGER) && decimal::is_integer(value.text);
            (!is_fine && types.contains(TypeSet::STRING)).then_some(Conversion::Quote)
        }
        Kind::String if !types.contains(TypeSet::STRING) => {
            let text = value.unescaped(buffer);
            let is_boolean = types.contains(TypeSet::BOOLEAN) && matches!(text, "true" | "false");
            (is_boolean || is_number(types, text)).then_some(Conversion::Unquote)
        }
        _ => None,
    }
}

/// Whether a text is a number as JSON writes it, of one of these types.
fn is_number(types: TypeSet, text: &str) -> bool {
    let is_written_so = || {
        let mut tape = Vec::new();
        let is_trimmed = text.ends_with(|last: char| last.is_ascii_digit());
        is_trimmed
            && json::record(text, 1, &mut tape)
                .is_ok_and(|value| value.text == text && value.kind == Kind::Number)
    };
    types.contains(TypeSet::NUMBER) && is_written_so()
        || types.contains(TypeSet::INTEGER) && is_written_so() && decimal::is_integer(text)
}
