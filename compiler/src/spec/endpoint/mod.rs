//! Endpoints and upstream URLs: an optional origin, a path with `{name}` placeholders, a fixed query.

use mcp_bundle::origin::{self, OriginError};
use std::borrow::Cow;
use std::ops::Range;

pub use mcp_bundle::origin::Origin;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub text: String,
    /// For an absolute URL.
    pub origin: Option<Origin>,
    /// The origin as written, if it has `${NAME}` or `${NAME:-default}` in it.
    pub location: Option<String>,
    pub path: Vec<PathPiece>,
    /// After the `?`, as written.
    pub query: Option<String>,
    pub placeholders: Vec<Placeholder>,
    /// Where the part begins that is a template: the end of the path, and maybe a query. What is before it ends with
    /// a `/`, or with the host.
    pub template: Option<usize>,
    pub problems: Vec<EndpointProblem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathPiece {
    Literal(String),
    /// Index in [`Endpoint::placeholders`].
    Placeholder(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder {
    pub name: String,
    /// In the endpoint's text, with the braces.
    pub range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndpointProblem {
    Placeholder { range: Range<usize>, message: String, help: Option<String> },
    Url { range: Range<usize>, message: String, help: Option<String> },
    UserInfo { range: Range<usize> },
    Scheme { range: Range<usize>, scheme: String },
}

impl Endpoint {
    pub fn is_absolute(&self) -> bool {
        self.location.is_some() || scheme_end(&self.text).is_some()
    }

    /// The host is this machine.
    pub fn is_loopback(&self) -> bool {
        self.origin.as_ref().is_some_and(Origin::is_loopback)
    }
}

/// Takes an endpoint apart. Whatever is wrong with it is in `problems`.
pub fn parse_endpoint(text: &str) -> Endpoint {
    let mut endpoint = Endpoint {
        text: text.to_owned(),
        origin: None,
        location: None,
        path: Vec::new(),
        query: None,
        placeholders: Vec::new(),
        template: None,
        problems: Vec::new(),
    };
    let tag = text.find("{{").unwrap_or(text.len());
    let mut path_start = 0;
    if let Some(end) = location_end(text) {
        path_start = end;
        if tag < path_start {
            endpoint.misplaced_template(tag);
            return endpoint;
        }
        let location = text.get(..end).unwrap_or_default();
        endpoint.location = Some(location.to_owned());
        if !origin::is_possible(location) {
            let help = "write `${NAME}` for all before the path, or `https://${HOST}:${PORT}`; \
                        `${NAME:-default}` has a value for when none is set";
            endpoint.url_problem(0..end, "this can never be a scheme, a host and a port", help);
        }
    } else if let Some(scheme_end) = scheme_end(text) {
        let after = scheme_end + 3;
        let rest = text.get(after..).unwrap_or_default();
        path_start = after + rest.find(['/', '?', '#']).unwrap_or(rest.len());
        if tag < path_start {
            endpoint.misplaced_template(tag);
            return endpoint;
        }
        let authority = text.get(after..path_start).unwrap_or_default();
        match parse_origin(text.get(..scheme_end).unwrap_or_default(), authority, after) {
            Ok(origin) => endpoint.origin = Some(origin),
            Err(problem) => endpoint.problems.push(problem),
        }
    }
    if tag == 0 && !text.is_empty() {
        endpoint.misplaced_template(tag);
        return endpoint;
    }
    let mut rest = text.get(path_start..).unwrap_or_default();
    let before = text.get(path_start..tag).unwrap_or_default();
    if tag < text.len() && !before.contains('#') {
        // A query is a template as a whole, and so is the segment that it follows.
        let path = before.split('?').next().unwrap_or_default();
        let end = path.rfind('/').map_or(0, |slash| slash + 1);
        endpoint.template = Some(path_start + end);
        rest = path.get(..end).unwrap_or_default();
    }
    if let Some(hash) = rest.find('#') {
        endpoint.url_problem(path_start + hash..text.len(), "a fragment is never sent", "remove it");
    }
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    if !endpoint.is_absolute() && !path.starts_with('/') {
        endpoint.template = None;
        let help = "begin it with `/`, or write an absolute URL with `https://`";
        endpoint.url_problem(0..text.len(), "the endpoint must begin with `/`", help);
    }
    endpoint.parse_path(path, path_start);
    if let Some(query) = query {
        endpoint.parse_query(query, path_start + path.len() + 1);
    }
    endpoint
}

/// Where the `://` of an absolute URL is; one in a query belongs to a value.
fn scheme_end(text: &str) -> Option<usize> {
    text.find("://").filter(|end| !text.get(..*end).unwrap_or_default().contains(['/', '?', '#']))
}

/// Where an origin ends that has variables in it; `None` for one without.
fn location_end(text: &str) -> Option<usize> {
    let mut at = scheme_end(text).filter(|end| !text.get(..*end).unwrap_or_default().contains("${"));
    at = at.map(|end| end + 3);
    let (mut at, mut has_variable) = (at.unwrap_or(0), false);
    loop {
        let rest = text.get(at..)?;
        match rest.find(['/', '?', '#', '$']) {
            None => at = text.len(),
            Some(found) => {
                at += found;
                let rest = text.get(at..)?;
                if rest.starts_with("${") {
                    has_variable = true;
                    at += rest.find('}').map_or(rest.len(), |end| end + 1);
                    continue;
                }
                // `${SCHEME}://`
                if rest.starts_with("//") && has_variable && text.get(..at)?.ends_with(':') {
                    at += 2;
                    continue;
                }
                if rest.starts_with('$') {
                    at += 1;
                    continue;
                }
            }
        }
        return has_variable.then_some(at);
    }
}

/// Takes scheme and authority apart; `at` is where the authority begins in the text.
pub fn parse_origin(scheme: &str, authority: &str, at: usize) -> Result<Origin, EndpointProblem> {
    let url = |message: &str, help: &str| EndpointProblem::Url {
        range: at..at + authority.len(),
        message: message.into(),
        help: Some(help.into()),
    };
    if authority.contains(['{', '}', '$']) && matches!(scheme, "http" | "https") && !authority.contains('@') {
        let help = "write the host in full, or `${NAME}` in the `url` of an `[upstream.NAME]`";
        return Err(url("a host cannot have a placeholder", help));
    }
    Origin::of(scheme, authority).map_err(|error| match error {
        OriginError::Scheme => EndpointProblem::Scheme { range: 0..scheme.len(), scheme: scheme.into() },
        OriginError::UserInfo => {
            EndpointProblem::UserInfo { range: at..at + authority.rfind('@').map_or(0, |end| end + 1) }
        }
        OriginError::NotAscii => {
            url("the host is not ASCII", "write an international host in its `xn--` form")
        }
        OriginError::Port => url("this is not a port", "a port is a number from 1 to 65535"),
        OriginError::Host | OriginError::Path | OriginError::TooLong => {
            url("this is not a host", "write `https://host/path` or `https://host:port/path`")
        }
    })
}

impl Endpoint {
    fn url_problem(&mut self, range: Range<usize>, message: &str, help: &str) {
        self.problems.push(EndpointProblem::Url { range, message: message.into(), help: Some(help.into()) });
    }

    fn misplaced_template(&mut self, tag: usize) {
        let rest = self.text.get(tag..).unwrap_or_default();
        let end = tag + rest.find("}}").map_or(rest.len(), |end| end + 2);
        let help = "begin the endpoint with `/`, or with `https://`, the host and a `/`";
        self.url_problem(tag..end, "a template is only allowed in the path and in the query", help);
    }

    fn placeholder_problem(&mut self, range: Range<usize>, message: &str, help: Option<&str>) {
        let help = help.map(str::to_owned);
        self.problems.push(EndpointProblem::Placeholder { range, message: message.into(), help });
    }

    fn parse_path(&mut self, path: &str, at: usize) {
        let mut rest = path;
        let mut offset = at;
        while let Some(brace) = rest.find(['{', '}']) {
            let literal = rest.get(..brace).unwrap_or_default();
            self.literal(literal, offset);
            offset += brace;
            rest = rest.get(brace..).unwrap_or_default();
            let consumed = self.placeholder(rest, literal, offset);
            offset += consumed;
            rest = rest.get(consumed..).unwrap_or_default();
        }
        self.literal(rest, offset);
        self.dot_segments(path, at);
    }

    /// Reads a placeholder at the start of `rest` and returns how much it took.
    fn placeholder(&mut self, rest: &str, before: &str, at: usize) -> usize {
        if rest.starts_with('}') {
            self.placeholder_problem(
                at..at + 1,
                "this `}` closes no placeholder",
                Some("write `{name}`, or `%7D` for a brace"),
            );
            return 1;
        }
        let end = rest.get(1..).and_then(|r| r.find(['{', '}', '/'])).map(|i| i + 1);
        let Some(end) = end.filter(|&end| rest.as_bytes().get(end) == Some(&b'}')) else {
            let end = end.unwrap_or(rest.len());
            self.placeholder_problem(at..at + end, "this `{` is never closed", Some("write `{name}`"));
            return end;
        };
        let name = rest.get(1..end).unwrap_or_default();
        let range = at..at + end + 1;
        if before.ends_with('$') {
            let help = format!(
                "declare a parameter with `value = \"${{{name}}}\"` and `position = \"path\"`, and write `{{{name}}}` here"
            );
            self.placeholder_problem(
                at - 1..at + end + 1,
                "a `${…}` variable is not allowed in an endpoint",
                Some(&help),
            );
        } else if name.is_empty() {
            self.placeholder_problem(range, "a placeholder needs a name", Some("write `{name}`"));
        } else if name.trim() != name || name.contains(|c: char| c.is_whitespace() || "?#%\"'\\".contains(c))
        {
            let help = "a placeholder is exactly the name of a path parameter";
            self.placeholder_problem(range, &format!("`{{{name}}}` is not a placeholder"), Some(help));
        } else {
            self.path.push(PathPiece::Placeholder(self.placeholders.len()));
            self.placeholders.push(Placeholder { name: name.to_owned(), range });
        }
        end + 1
    }

    fn literal(&mut self, literal: &str, at: usize) {
        if literal.is_empty() {
            return;
        }
        self.check_encoding(literal, at, |b| is_pchar(b) || b == b'/');
        self.path.push(PathPiece::Literal(literal.to_owned()));
    }

    fn parse_query(&mut self, query: &str, at: usize) {
        if let Some(brace) = query.find(['{', '}']) {
            let end = query.get(brace..).and_then(|r| r.find('}')).map_or(query.len(), |i| brace + i + 1);
            let help = "declare a parameter with `position = \"query\"` instead";
            self.placeholder_problem(
                at + brace..at + end,
                "a placeholder is not allowed in the query",
                Some(help),
            );
        } else {
            // Some servers split a query at `;` as well.
            self.check_encoding(query, at, |b| b != b';' && (is_pchar(b) || matches!(b, b'/' | b'?')));
            self.check_query_names(query, at);
        }
        self.query = Some(query.to_owned());
    }

    fn check_query_names(&mut self, query: &str, at: usize) {
        let mut offset = at;
        for pair in query.split('&') {
            if pair.starts_with('=') {
                let range = offset..offset + pair.len();
                self.url_problem(range, "a query parameter needs a name", "write `name=value`");
            }
            offset += pair.len() + 1;
        }
    }

    /// Reports the first character that a URL cannot hold unencoded.
    fn check_encoding(&mut self, text: &str, at: usize, allowed: impl Fn(u8) -> bool) {
        let bytes = text.as_bytes();
        for (i, c) in text.char_indices() {
            let fits = match c {
                '%' => bytes.get(i + 1..i + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)),
                c => c.is_ascii() && allowed(c as u8),
            };
            // The `$` of a variable gets a better message with its placeholder.
            if fits || (c == '$' && i + 1 == text.len()) {
                continue;
            }
            let mut encoded = String::new();
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                encoded.push_str(&format!("%{byte:02X}"));
            }
            let message = format!("`{}` is not allowed in a URL", c.escape_debug());
            self.url_problem(at + i..at + i + c.len_utf8(), &message, &format!("write `{encoded}`"));
            return;
        }
    }

    fn dot_segments(&mut self, path: &str, at: usize) {
        let mut offset = at;
        for segment in path.split('/') {
            // Nearly no segment holds a dot in this spelling.
            let plain = match segment.contains('%') {
                true => Cow::Owned(segment.replace("%2e", ".").replace("%2E", ".")),
                false => Cow::Borrowed(segment),
            };
            if matches!(plain.as_ref(), "." | "..") {
                let range = offset..offset + segment.len();
                self.url_problem(
                    range,
                    &format!("`{segment}` is not a path segment"),
                    "write the path without it",
                );
            }
            offset += segment.len() + 1;
        }
    }
}

/// `pchar` of RFC 3986 without `%`.
fn is_pchar(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&b)
}

#[cfg(test)]
mod tests;
