//! Puts the programs of templates into the tables that all programs of a bundle share.

use crate::template::Compiled;
use mcp_bundle::plan::Contents;
use mcp_bundle::strings::{PoolBuilder, StrId};
use mcp_bundle::template::{Constant, Field, NONE, Op, OpCode, Path, Program, Programs, Run, Shape, Step};
use mcp_bundle::wire_enums::PartKind;
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct Linker {
    programs: Programs,
    /// By dialect, place and text: equal templates share a program.
    known: BTreeMap<(u8, u8, String), u32>,
}

impl Linker {
    /// The number of a compiled template's program. `variable` gives the index of a variable's name.
    pub fn link(
        &mut self,
        pool: &mut PoolBuilder,
        variable: impl Fn(&str) -> u32,
        compiled: &Compiled,
    ) -> u32 {
        let Some(program) = compiled.programs.programs.first() else {
            debug_assert!(false, "a compiled template has one program");
            return NONE;
        };
        let key = (program.dialect.tag(), program.place.tag(), compiled.source.clone());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let strings: Vec<StrId> = compiled.strings.iter().map(|text| pool.intern(text)).collect();
        let variables: Vec<u32> = compiled.variables.iter().map(|name| variable(name)).collect();
        self.append(program, &compiled.programs, &strings, &variables);
        let number = self.programs.programs.len() as u32 - 1;
        self.known.insert(key, number);
        number
    }

    fn append(&mut self, program: &Program, from: &Programs, strings: &[StrId], variables: &[u32]) {
        let all = &mut self.programs;
        let moved = |run: Run, table: usize| Run { start: run.start + table as u32, count: run.count };
        let text = |id: StrId| strings.get(id.0 as usize).copied().unwrap_or_default();
        let (ops, paths, steps, constants) =
            (all.ops.len(), all.paths.len(), all.steps.len(), all.constants.len());
        let (shapes, fields, spots) = (all.shapes.len(), all.fields.len(), all.spots.len());
        let shape = |index: u32| if index == NONE { NONE } else { index + shapes as u32 };

        all.programs.push(Program {
            ops: moved(program.ops, ops),
            shape: shape(program.shape),
            spots: moved(program.spots, spots),
            ..program.clone()
        });
        all.ops.extend(from.ops.iter().map(|op| match op.code {
            OpCode::Literal => Op { a: text(StrId(op.a)).0, ..*op },
            OpCode::Emit | OpCode::Push | OpCode::Fields | OpCode::Branch => {
                Op { a: op.a + paths as u32, ..*op }
            }
            OpCode::Variable if op.a == u32::from(PartKind::Variable.tag()) => {
                Op { b: variables.get(op.b as usize).copied().unwrap_or_default(), ..*op }
            }
            OpCode::Constant => Op { a: op.a + constants as u32, ..*op },
            _ => *op,
        }));
        all.paths.extend(from.paths.iter().map(|path| Path { steps: moved(path.steps, steps), ..*path }));
        all.steps.extend(from.steps.iter().map(|step| Step { key: text(step.key), ..*step }));
        all.constants.extend(from.constants.iter().map(|c| Constant { text: text(c.text), ..*c }));
        all.shapes.extend(
            from.shapes.iter().map(|s| Shape { fields: moved(s.fields, fields), items: shape(s.items) }),
        );
        all.fields.extend(from.fields.iter().map(|f| Field {
            key: text(f.key),
            shape: shape(f.shape),
            ..*f
        }));
        all.spots.extend_from_slice(&from.spots);
    }

    pub fn finish(self) -> Programs {
        self.programs
    }
}

/// Contents with templates and nothing else, to run them by themselves.
pub fn standalone(templates: &[Compiled]) -> Contents {
    let (mut linker, mut pool) = (Linker::default(), PoolBuilder::new());
    pool.intern("");
    for compiled in templates {
        linker.link(&mut pool, |_| 0, compiled);
    }
    Contents { strings: pool.finish(), templates: linker.finish(), ..Contents::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{Dialect, compile_for, listing};
    use mcp_bundle::template::Destination;

    #[test]
    fn programs_are_the_same_after_they_are_linked() {
        let mut linker = Linker::default();
        let mut pool = PoolBuilder::new();
        pool.intern("something else");
        let sources = [
            (Dialect::Go, "{{ range .l }}{{ .n | printf \"%v %v\" 1 }}{{ end }}{{ .t }}"),
            (Dialect::Handlebars, "{{#with a}}{{b}}{{/with}}{{#if (eq n 1)}}x\n{{/if}}"),
            (Dialect::Go, "plain"),
        ];
        let compiled =
            sources.map(|(dialect, source)| compile_for(Destination::Text, dialect, source).unwrap());
        let numbers = [0, 1, 2].map(|at: usize| linker.link(&mut pool, |_| 0, &compiled[at]));
        let pool = pool.finish();
        let linked = linker.finish();
        for (own, number) in compiled.iter().zip(numbers) {
            let (program, before) = (&linked.programs[number as usize], &own.programs.programs[0]);
            let old = |id: u32| own.strings[id as usize].clone();
            let new = |id: u32| pool.get(StrId(id)).to_owned();
            let variable = |kind: u32, id: u32| format!("{kind} {id}");
            assert_eq!(
                listing::listing(&linked, program, &new, &variable),
                listing::listing(&own.programs, before, &old, &variable)
            );
            assert_eq!(
                listing::shape(&linked, program.shape, &new),
                listing::shape(&own.programs, before.shape, &old)
            );
            assert_eq!(program.spots.of(&linked.spots), own.programs.spots);
        }
    }

    #[test]
    fn equal_templates_share_a_program() {
        let mut linker = Linker::default();
        let mut pool = PoolBuilder::new();
        let mut link = |dialect, source| {
            linker.link(&mut pool, |_| 0, &compile_for(Destination::Text, dialect, source).unwrap())
        };
        assert_eq!(link(Dialect::Go, "a\n{{ .a }}"), 0);
        assert_eq!(link(Dialect::Go, "a\r\n{{ .a }}"), 0);
        assert_eq!(link(Dialect::Go, "a"), 1);
        assert_eq!(link(Dialect::Handlebars, "a"), 2);
        assert_eq!(linker.finish().programs.len(), 3);
    }
}
