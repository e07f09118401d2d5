//! Templates of a tool, compiled.

use crate::spec::{TemplateDialect, TemplateSpec};
use crate::template::{self, Compiled, Dialect, Inferred, TemplateError};
use std::ops::Deref;

#[derive(Debug, Clone)]
pub struct CheckedTemplate {
    spec: TemplateSpec,
    /// Boxed: most templates that a tool could have are not there, and then take no room for one.
    outcome: Box<Result<Compiled, Flaw>>,
}

/// Why a template has no program.
#[derive(Debug, Clone)]
pub enum Flaw {
    /// Both dialects accept it and read it differently. Where that is allowed, it is a Go template.
    Ambiguous(Box<Compiled>),
    Errors {
        dialect: Dialect,
        /// The dialect is not said, and the text does not settle it.
        guessed: bool,
        errors: Vec<TemplateError>,
    },
}

impl CheckedTemplate {
    pub fn new(spec: TemplateSpec) -> CheckedTemplate {
        CheckedTemplate { outcome: Box::new(compile(&spec)), spec }
    }

    /// What the text was compiled to, ready to be linked, or why not.
    pub fn outcome(&self) -> &Result<Compiled, Flaw> {
        &self.outcome
    }

    /// What the text was compiled to, if it is sound.
    pub fn compiled(&self) -> Option<&Compiled> {
        match self.outcome() {
            Ok(compiled) => Some(compiled),
            Err(Flaw::Ambiguous(compiled)) => Some(compiled),
            Err(Flaw::Errors { .. }) => None,
        }
    }

    /// Whether it reads an argument of that name; one that is not sound may well do.
    pub fn reads(&self, name: &str) -> bool {
        self.compiled().is_none_or(|compiled| compiled.reads_whole() || compiled.reads_key(name))
    }
}

impl Deref for CheckedTemplate {
    type Target = TemplateSpec;

    fn deref(&self) -> &TemplateSpec {
        &self.spec
    }
}

fn compile(spec: &TemplateSpec) -> Result<Compiled, Flaw> {
    let source = spec.text();
    let dialect = match spec.dialect {
        TemplateDialect::Go => Dialect::Go,
        TemplateDialect::Handlebars => Dialect::Handlebars,
        // The common case needs no second parser: without a tag, a template is plain text in any dialect.
        TemplateDialect::Unsaid if !source.contains("{{") => Dialect::Go,
        TemplateDialect::Unsaid => return infer(spec, source),
    };
    let failed = |errors| Flaw::Errors { dialect, guessed: false, errors };
    template::compile_for(spec.place, dialect, source).map_err(failed)
}

fn infer(spec: &TemplateSpec, source: &str) -> Result<Compiled, Flaw> {
    let (inferred, compiled) = template::infer_and_compile(source);
    let mut compiled = match (inferred.clone(), compiled) {
        (Inferred::Neither(dialect, errors), _) => {
            return Err(Flaw::Errors { dialect, guessed: true, errors });
        }
        (_, Some(compiled)) => compiled,
        (_, None) => {
            return Err(Flaw::Errors { dialect: Dialect::Go, guessed: true, errors: Vec::new() });
        }
    };
    // What is wrong with a place is so in any dialect.
    let failed = |dialect| move |errors| Flaw::Errors { dialect, guessed: false, errors };
    template::set_destination(&mut compiled, spec.place).map_err(failed(compiled.dialect))?;
    if inferred == Inferred::Ambiguous {
        return Err(Flaw::Ambiguous(Box::new(compiled)));
    }
    Ok(compiled)
}
