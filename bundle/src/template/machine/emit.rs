//! Writing values.

use super::{Machine, Scratch, TEXT, encoding, limit};
use crate::json::Kind;
use crate::plan::program::Encoding;
use crate::template::error::{Fault, Limit};
use crate::template::output::Output;
use crate::template::value::{Source, Value};

impl Machine<'_> {
    /// Writes what most values are: a string or number of the data that was found while they were scanned.
    #[inline(always)]
    pub(super) fn emit_found(
        &mut self,
        path: u32,
        encoding: u32,
        out: &mut impl Output,
    ) -> Result<bool, Box<Fault>> {
        let Some(node) = self.found(path) else { return Ok(false) };
        if encoding != TEXT || node.source != Source::Data {
            return Ok(false);
        }
        // A string is between quotes.
        let quote = usize::from(node.kind == Some(Kind::String));
        if quote == 0 && node.kind != Some(Kind::Number) {
            return Ok(false);
        }
        let range = node.start as usize + quote..(node.end as usize).wrapping_sub(quote);
        let text = self.data.as_bytes().get(range).unwrap_or_default();
        if out.len() + text.len() > self.output_end {
            return Err(limit(Limit::Output));
        }
        out.string(Encoding::Text, text, node.escaped, &mut self.scratch.work)?;
        Ok(true)
    }

    #[inline]
    pub(super) fn emit(&mut self, value: Value, tag: u32, out: &mut impl Output) -> Result<(), Box<Fault>> {
        let Some(encoding) = encoding(tag) else { return Ok(()) };
        if encoding == Encoding::Json {
            return self.emit_json(value, out);
        }
        match value {
            Value::Json(node) => match node.kind {
                Some(Kind::String) => {
                    let Scratch { computed, work, .. } = &mut *self.scratch;
                    let source = if node.source == Source::Data { self.data } else { computed.as_str() };
                    // Without its quotes.
                    let range = node.start as usize + 1..(node.end as usize).wrapping_sub(1);
                    let raw = source.as_bytes().get(range).unwrap_or_default();
                    if out.len().saturating_add(raw.len()) > self.output_end {
                        return Err(limit(Limit::Output));
                    }
                    out.string(encoding, raw, node.escaped, work)?;
                }
                Some(Kind::Number | Kind::Boolean) => {
                    let source =
                        if node.source == Source::Data { self.data } else { self.scratch.computed.as_str() };
                    let range = node.start as usize..node.end as usize;
                    let text = source.as_bytes().get(range).unwrap_or_default();
                    if out.len().saturating_add(text.len()) > self.output_end {
                        return Err(limit(Limit::Output));
                    }
                    out.plain(encoding, text)?;
                }
                _ => return self.emit_printed(value, encoding, out),
            },
            Value::Text(_) | Value::Constant(_) => {
                let view = self.view();
                let mut unused = String::new();
                let text = view.string(value, &mut unused).unwrap_or_default();
                self.check_room(text.len(), out)?;
                out.text(encoding, text)?;
            }
            _ => return self.emit_printed(value, encoding, out),
        }
        self.check_room(0, out)
    }

    pub(super) fn emit_json(&mut self, value: Value, out: &mut impl Output) -> Result<(), Box<Fault>> {
        self.charge_for(value)?;
        let mut work = std::mem::take(&mut self.scratch.work);
        work.clear();
        self.view().print_as_json(value, &mut work);
        let written = self.check_room(work.len(), out).and_then(|()| out.json(&work));
        self.scratch.work = work;
        written.and_then(|()| self.check_room(0, out))
    }

    #[inline(never)]
    pub(super) fn emit_printed(
        &mut self,
        value: Value,
        encoding: Encoding,
        out: &mut impl Output,
    ) -> Result<(), Box<Fault>> {
        self.charge_for(value)?;
        let mut work = std::mem::take(&mut self.scratch.work);
        work.clear();
        self.view().print(value, &mut work);
        let written = self.check_room(work.len(), out).and_then(|()| out.text(encoding, &work));
        self.scratch.work = work;
        written.and_then(|()| self.check_room(0, out))
    }
}
