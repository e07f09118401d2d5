//! From the bytes of an answer to the text of a result: ours, and with the `handlebars` crate.

use handlebars::{Context, Handlebars};
use mcp_bundle::plan::Contents;
use mcp_bundle::template::{Ambient, Destination, Limits, Scratch, render_text};
use mcpc::plan::standalone;
use mcpc::template::{Dialect, TemplateError, compile_for};
use mcpc_instructions::bodies::Case;

/// A template that the machine runs.
#[derive(Debug)]
pub struct Ours {
    contents: Contents,
    scratch: Scratch,
    limits: Limits,
}

/// A template that is registered with the `handlebars` crate.
#[derive(Debug)]
pub struct Theirs(Handlebars<'static>);

impl Ours {
    pub fn new(dialect: Dialect, template: &str) -> Result<Ours, Vec<TemplateError>> {
        let compiled = compile_for(Destination::Text, dialect, template)?;
        // A listing of 1 MiB of answers may be longer than a result usually is.
        let limits = Limits { output: 16 << 20, ..Limits::default() };
        Ok(Ours { contents: standalone(&[compiled]), scratch: Scratch::default(), limits })
    }

    /// Appends the inside of the result's JSON string; `false` if that fails.
    pub fn render(&mut self, body: &[u8], out: &mut Vec<u8>) -> bool {
        let Ok(text) = std::str::from_utf8(body) else { return false };
        let Some(program) = self.contents.templates.programs.first() else { return false };
        let (ambient, limits) = (Ambient::default(), &self.limits);
        render_text(&self.contents, program, text, &ambient, limits, &mut self.scratch, &mut (), out).is_ok()
    }
}

impl Theirs {
    pub fn new(template: &str) -> Result<Theirs, handlebars::TemplateError> {
        let mut registry = Handlebars::new();
        registry.register_escape_fn(handlebars::no_escape);
        registry.register_template_string("template", template)?;
        Ok(Theirs(registry))
    }

    /// As its documentation has it: a `Value` is handed over.
    pub fn render(&self, body: &[u8], out: &mut Vec<u8>) -> bool {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(body) else { return false };
        let Ok(text) = self.0.render("template", &value) else { return false };
        serde_json::to_writer(out, &text).is_ok()
    }

    /// With its fastest way in, which spares it a copy of the value.
    pub fn render_context(&self, body: &[u8], out: &mut Vec<u8>) -> bool {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(body) else { return false };
        let context = Context::from(value);
        let Ok(text) = self.0.render_with_context("template", &context) else { return false };
        serde_json::to_writer(out, &text).is_ok()
    }
}

/// All that render a case, if they agree on what it gives.
pub fn contenders(case: &Case) -> Option<(Ours, Ours, Theirs)> {
    let mut go = Ours::new(Dialect::Go, case.go).ok()?;
    let mut handlebars = Ours::new(Dialect::Handlebars, case.handlebars).ok()?;
    let theirs = Theirs::new(case.handlebars).ok()?;
    let (mut one, mut two, mut three) = (vec![b'"'], vec![b'"'], Vec::new());
    let body = case.body.as_bytes();
    let rendered =
        go.render(body, &mut one) && handlebars.render(body, &mut two) && theirs.render(body, &mut three);
    one.push(b'"');
    two.push(b'"');
    let text = |bytes: &[u8]| serde_json::from_slice::<String>(bytes).ok();
    (rendered && text(&one) == text(&three) && text(&two) == text(&three)).then_some((go, handlebars, theirs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcpc_instructions::bodies::cases;

    #[test]
    fn all_contenders_write_the_same_text() {
        for case in cases() {
            contenders(&case).expect(case.name);
        }
    }
}
