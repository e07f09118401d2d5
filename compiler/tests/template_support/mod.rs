//! Generated templates and data, and what becomes of them.

pub mod go;
pub mod go_print;
pub mod go_walk;
pub mod handlebars;

use mcp_bundle::plan::Contents;
use mcp_bundle::template::{
    Ambient, Destination, Fault, Limits, NONE, RenderError, Run, Scratch, Shape, render_text,
};
use mcpc::plan::standalone;
use mcpc::template::{Dialect, compile_for};

/// Why there is no text.
#[derive(Debug, Clone, PartialEq)]
pub enum TemplateFailure {
    Compile(String),
    Render(RenderError),
}

impl TemplateFailure {
    /// How far a program gets depends on what its steps cost.
    pub fn is_limit(&self) -> bool {
        matches!(self, TemplateFailure::Render(RenderError { fault: Fault::Limit(_), .. }))
    }
}

pub fn compile(dialect: Dialect, template: &str) -> Result<Contents, TemplateFailure> {
    let compiled = compile_for(Destination::Text, dialect, template).map_err(|errors| {
        TemplateFailure::Compile(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    })?;
    Ok(standalone(&[compiled]))
}

/// What the only program makes of data.
pub fn run(contents: &Contents, data: &str) -> Result<String, TemplateFailure> {
    let mut out = vec![b'"'];
    // More than generated templates need, unless they loop over a great number.
    let limits = Limits { steps: 100_000, iterations: 20_000, ..Limits::default() };
    let ambient = Ambient::default();
    let program = &contents.templates.programs[0];
    render_text(contents, program, data, &ambient, &limits, &mut Scratch::default(), &mut (), &mut out)
        .map_err(TemplateFailure::Render)?;
    out.push(b'"');
    Ok(serde_json::from_slice(&out).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&out))))
}

pub fn render(dialect: Dialect, template: &str, data: &str) -> Result<String, TemplateFailure> {
    run(&compile(dialect, template)?, data)
}

/// The same programs, which find nothing while the data are scanned.
pub fn without_shapes(mut contents: Contents) -> Contents {
    let tables = &mut contents.templates;
    for step in &mut tables.steps {
        step.field = NONE;
    }
    tables.fields.clear();
    tables.shapes = vec![Shape { fields: Run::default(), items: NONE }];
    for program in &mut tables.programs {
        program.shape = 0;
    }
    contents
}
