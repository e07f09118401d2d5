//! `${NAME}` in fixed values.

use std::fmt;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextPart {
    Literal(String),
    Variable(Variable),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Variable {
    /// Looked up at the edge when the bundle is activated.
    Named(String),
    /// `${tenant.id}`
    TenantId,
    /// `${principal.sub}`
    PrincipalSub,
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Named(name) => write!(f, "${{{name}}}"),
            Variable::TenantId => f.write_str("${tenant.id}"),
            Variable::PrincipalSub => f.write_str("${principal.sub}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableProblem {
    pub range: Range<usize>,
    pub message: String,
    pub help: &'static str,
}

/// Splits a text at its variables; `$${` stands for a literal `${`.
pub fn split_variables(text: &str) -> (Vec<TextPart>, Vec<VariableProblem>) {
    let mut parts = Vec::new();
    let mut problems = Vec::new();
    let mut literal = String::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find("${")).map(|i| at + i) {
        let before = text.get(at..found).unwrap_or_default();
        if let Some(before) = before.strip_suffix('$') {
            literal.push_str(before);
            literal.push_str("${");
            at = found + 2;
            continue;
        }
        literal.push_str(before);
        let rest = text.get(found + 2..).unwrap_or_default();
        let Some(length) = rest.find('}') else {
            let help = "write `${NAME}`, or `$${` for a literal `${`";
            let message = "this `${` is never closed".into();
            problems.push(VariableProblem { range: found..text.len(), message, help });
            at = text.len();
            break;
        };
        let end = found + 2 + length + 1;
        match variable(rest.get(..length).unwrap_or_default()) {
            Ok(variable) => {
                if !literal.is_empty() {
                    parts.push(TextPart::Literal(std::mem::take(&mut literal)));
                }
                parts.push(TextPart::Variable(variable));
            }
            Err(message) => {
                let help = "write a name of letters, digits and `_`, or `tenant.id` or `principal.sub`";
                problems.push(VariableProblem { range: found..end, message, help });
            }
        }
        at = end;
    }
    literal.push_str(text.get(at..).unwrap_or_default());
    if !literal.is_empty() {
        parts.push(TextPart::Literal(literal));
    }
    (parts, problems)
}

fn variable(name: &str) -> Result<Variable, String> {
    match name {
        "tenant.id" => return Ok(Variable::TenantId),
        "principal.sub" => return Ok(Variable::PrincipalSub),
        _ => {}
    }
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if plain && name.bytes().next().is_some_and(|b| !b.is_ascii_digit()) {
        return Ok(Variable::Named(name.to_owned()));
    }
    Err(format!("`${{{name}}}` is not a variable"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> TextPart {
        TextPart::Literal(text.into())
    }

    #[test]
    fn variables_are_between_literals() {
        let (parts, problems) = split_variables("Bearer ${TOKEN} ${tenant.id}!");
        assert!(problems.is_empty());
        let token = TextPart::Variable(Variable::Named("TOKEN".into()));
        let tenant = TextPart::Variable(Variable::TenantId);
        assert_eq!(parts, [literal("Bearer "), token, literal(" "), tenant, literal("!")]);
    }

    #[test]
    fn a_doubled_dollar_is_literal() {
        let (parts, problems) = split_variables("cost $${x} $5");
        assert_eq!((parts, problems), (vec![literal("cost ${x} $5")], vec![]));
    }

    #[test]
    fn bad_variables_are_located() {
        let (_, problems) = split_variables("a ${1x} ${tenant.name} ${open");
        let ranges: Vec<_> = problems.into_iter().map(|p| p.range).collect();
        assert_eq!(ranges, [2..7, 8..22, 23..29]);
    }
}
