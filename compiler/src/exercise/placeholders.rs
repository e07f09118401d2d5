//! Binds calls without knowing secrets: every variable holds a mark, which is shown as `${NAME}`
//! afterwards.
//!
//! A mark consists of letters and digits, so that each position writes it as it is: whatever
//! encoder a variable goes through, its place in the request can still be distinguished from what
//! the arguments and the plan brought.

use super::bytes;
use crate::language::variables::{TextPart, Variable};

use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{Arguments, BindError, Binder, Limits, PreparedTools, Request, Scratch, Values};
use mcp_bundle::origin::{self, Piece};
use mcp_bundle::plan::{Contents, ToolPlan};
use mcp_bundle::template::Ambient;

/// Bytes of a mark after the prefix.
const INDEX_DIGITS: usize = 5;

#[derive(Debug)]
pub struct StandIns {
    /// What no argument can guess.
    prefix: String,
    names: Vec<String>,
    /// With a mark for each of the bundle's variables.
    prepared: PreparedTools,
    limits: Limits,
    tenant_id: Box<str>,
    principal_sub: Box<str>,
}

/// A request whose variables have no value yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub method: mcp_bundle::wire_enums::Method,
    pub url: Vec<TextPart>,
    /// Names in lower case.
    pub headers: Vec<(String, Vec<TextPart>)>,
    /// Of one with bytes in it, what examples say of it.
    pub body: Option<Vec<TextPart>>,
    /// A body with bytes in it as it is sent.
    pub bytes: Option<Vec<BytePart>>,
}

/// A piece of a body that need not be text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BytePart {
    Literal(Vec<u8>),
    Variable(Variable),
}

impl StandIns {
    pub fn new(contents: &Contents) -> StandIns {
        // Unguessable, so that no argument passes for a variable; it never shows in any output.
        let nonce = getrandom::u64().unwrap_or_default();
        let prefix = format!("mcpcVariable{nonce:016x}");
        let mark = |index: usize| format!("{prefix}{index:0INDEX_DIGITS$}").into_boxed_str();
        let names: Vec<String> = contents.variable_names().map(str::to_owned).collect();
        let marks: Vec<Box<str>> = (0..names.len()).map(mark).collect();
        let limits = Limits::default();
        StandIns {
            prepared: PreparedTools::new(contents, &marks, &limits),
            limits,
            tenant_id: mark(names.len()),
            principal_sub: mark(names.len() + 1),
            names,
            prefix,
        }
    }

    /// Binds arguments exactly as the proxy does.
    pub fn bind(
        &self,
        contents: &Contents,
        matchers: &Matchers,
        plan: &ToolPlan,
        arguments: &str,
        ambient: Ambient,
        scratch: &mut Scratch,
    ) -> Result<Draft, BindError> {
        let values = Values {
            variables: None,
            tenant_id: Some(&self.tenant_id),
            principal_sub: Some(&self.principal_sub),
            ambient,
        };
        let request = self.request(contents, matchers, plan, arguments, &values, scratch)?;
        let view = plan.request().and_then(|http| bytes::view(http, &request));
        let headers = request.headers().map(|(name, value)| (name.to_owned(), self.split(value)));
        Ok(Draft {
            method: request.method,
            url: self.url(contents, plan, &request),
            headers: headers.collect(),
            body: view
                .as_deref()
                .map(|view| self.split(view))
                .or_else(|| request.body().map(|body| self.split(&String::from_utf8_lossy(body)))),
            bytes: request.body().filter(|_| view.is_some()).map(|body| self.split_bytes(body)),
        })
    }

    /// The request that arguments make with these values, whether they are marks or secrets.
    pub fn request(
        &self,
        contents: &Contents,
        matchers: &Matchers,
        plan: &ToolPlan,
        arguments: &str,
        values: &Values<'_>,
        scratch: &mut Scratch,
    ) -> Result<Request, BindError> {
        let name = contents.strings.get(plan.name);
        // Plans are those of the contents.
        let tool = self.prepared.find(name).ok_or_else(|| BindError::unexplained(name))?;
        let (limits, mut request) = (&self.limits, Request::default());
        let mut binder = Binder { contents, matchers, limits, scratch };
        binder.bind(tool, &Arguments::of_text(arguments), values, &mut request)?;
        Ok(request)
    }

    /// The URL, with the variables of the upstream's origin.
    fn url(&self, contents: &Contents, plan: &ToolPlan, request: &Request) -> Vec<TextPart> {
        let upstream = plan.request().and_then(|http| contents.upstreams.get(http.upstream as usize));
        let origin = upstream.and_then(|upstream| upstream.url).map(|url| contents.strings.get(url));
        let origin = origin.unwrap_or_default();
        let pieces = origin::pieces(origin).unwrap_or_default().into_iter();
        let mut parts: Vec<TextPart> = pieces.map(origin_part).collect();
        let url = request.url(contents, plan);
        parts.extend(self.split(url.strip_prefix(origin).unwrap_or(&url)));
        parts
    }

    /// Takes a text apart at the marks in it.
    fn split(&self, text: &str) -> Vec<TextPart> {
        let mut pieces = text.split(self.prefix.as_str());
        let literal = |text: &str| Some(TextPart::Literal(text.to_owned())).filter(|_| !text.is_empty());
        let mut parts: Vec<TextPart> = literal(pieces.next().unwrap_or_default()).into_iter().collect();
        for piece in pieces {
            let (index, rest) = piece.split_at_checked(INDEX_DIGITS).unwrap_or((piece, ""));
            parts.push(TextPart::Variable(self.variable(index.parse().unwrap_or_default())));
            parts.extend(literal(rest));
        }
        parts
    }

    fn split_bytes(&self, mut rest: &[u8]) -> Vec<BytePart> {
        let mut parts = Vec::new();
        while let Some((before, after)) = bytes::split(rest, self.prefix.as_bytes()) {
            let (index, after) = after.split_at_checked(INDEX_DIGITS).unwrap_or((after, b""));
            let index = str::from_utf8(index).ok().and_then(|index| index.parse().ok());
            parts.push(BytePart::Literal(before.to_vec()));
            parts.push(BytePart::Variable(self.variable(index.unwrap_or_default())));
            rest = after;
        }
        parts.push(BytePart::Literal(rest.to_vec()));
        parts.retain(|part| *part != BytePart::Literal(Vec::new()));
        parts
    }

    fn variable(&self, index: usize) -> Variable {
        match self.names.get(index) {
            Some(name) => Variable::Named(name.clone()),
            None if index == self.names.len() => Variable::TenantId,
            None => Variable::PrincipalSub,
        }
    }
}

/// A default is shown with its variable, as a shell writes it too.
fn origin_part(piece: Piece<'_>) -> TextPart {
    match piece {
        Piece::Literal(text) => TextPart::Literal(text.to_owned()),
        Piece::Variable { name, default: None } => TextPart::Variable(Variable::Named(name.to_owned())),
        Piece::Variable { name, default: Some(default) } => {
            TextPart::Variable(Variable::Named(format!("{name}:-{default}")))
        }
    }
}

impl Draft {
    /// All variables that the request needs, each once, in order.
    pub fn variables(&self) -> Vec<&Variable> {
        let headers = self.headers.iter().flat_map(|(_, value)| value);
        let mut found: Vec<&Variable> = Vec::new();
        for part in self.url.iter().chain(headers).chain(self.body.iter().flatten()) {
            if let TextPart::Variable(variable) = part
                && !found.contains(&variable)
            {
                found.push(variable);
            }
        }
        found
    }

    pub fn header(&self, name: &str) -> Option<String> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| shown(value))
    }
}

/// The text with its variables as `${NAME}`.
pub fn shown(parts: &[TextPart]) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            TextPart::Literal(text) => out.push_str(text),
            TextPart::Variable(variable) => out.push_str(&variable.to_string()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    const SPEC: &str = r#"
[upstream.u]
url = "https://api.example.com"
headers = { authorization = "Bearer ${TOKEN}", x-who = "${principal.sub}" }
[[tool]]
name = "t"
description = "Sends everything everywhere."
upstream = "u"
method = "POST"
endpoint = "/{tenant}/{id}"
[[tool.parameters]]
name = "id"
description = "The id"
required = true
position = "path"
[[tool.parameters]]
name = "tenant"
description = "Whose it is"
position = "path"
value = "${tenant.id}"
[[tool.parameters]]
name = "key"
description = "The key"
position = "query"
value = "k ${KEY}"
[[tool.parameters]]
name = "deep"
description = "The key again"
value = { a = ["${KEY}", "x"] }
"#;

    #[test]
    fn variables_are_distinguished_from_arguments_everywhere() {
        let report = check_files(&MemoryFiles::one("spec.toml", SPEC));
        let problems: Vec<_> = report.diagnostics.iter().map(|d| &d.message).collect();
        let contents = report.contents.as_ref().unwrap_or_else(|| panic!("{problems:?}"));
        let stand_ins = StandIns::new(contents);
        let (_, plan) = contents.tool("t").unwrap();
        let arguments = r#"{"id":"${TOKEN}"}"#;
        let matchers = Matchers::new(contents);
        let (ambient, mut scratch) = (Ambient::default(), Scratch::default());
        let draft = stand_ins.bind(contents, &matchers, plan, arguments, ambient, &mut scratch).unwrap();
        assert_eq!(shown(&draft.url), "https://api.example.com/${tenant.id}/%24%7BTOKEN%7D?key=k%20${KEY}");
        assert_eq!(draft.header("Authorization").unwrap(), "Bearer ${TOKEN}");
        assert_eq!(draft.header("x-who").unwrap(), "${principal.sub}");
        assert_eq!(shown(draft.body.as_ref().unwrap()), r#"{"deep":{"a":["${KEY}","x"]}}"#);
        let names: Vec<String> = draft.variables().iter().map(|v| v.to_string()).collect();
        assert_eq!(names, ["${tenant.id}", "${KEY}", "${TOKEN}", "${principal.sub}"]);
    }
}
