//! The text of `tenants.toml` → [`TenantFile`], or every problem in it.

use super::api_key::KeyDigest;
use super::glob::Glob;
use super::keys::{KEY, LANGUAGE, PLACES, RATE, TENANT, TOP};
use crate::limits::{CallerLimits, Rate, bucket};
use mcp_bundle::wire_enums::WhenAway;
use mcp_diagnostics::toml_tree::{TomlTable, TomlValue, Value};
use mcp_diagnostics::{Diagnostic, Fields, FileId, Problems, Reading, Sources, Span, Spanned};
use std::collections::BTreeMap;

/// What a file of tenants says. Whether its names are those of a bundle is checked when one is activated.
#[derive(Debug, Clone, Default)]
pub struct TenantFile {
    /// Sorted by name.
    pub tenants: Vec<TenantEntry>,
    sources: Sources,
}

#[derive(Debug, Clone)]
pub struct TenantEntry {
    pub name: Spanned<String>,
    pub toolsets: Vec<Spanned<String>>,
    pub allow: Vec<Spanned<Glob>>,
    pub deny: Vec<Spanned<Glob>>,
    pub scopes: Vec<String>,
    pub rate: Option<TenantRate>,
    pub calls_in_flight: Option<u32>,
    /// All edges share those.
    pub calls_in_flight_shared: Option<WhenAway>,
    /// Names and values as they are written: text, or `${OTHER}`.
    pub variables: Vec<(Spanned<String>, Spanned<String>)>,
    pub keys: Vec<KeyEntry>,
}

#[derive(Debug, Clone)]
pub struct KeyEntry {
    pub id: String,
    pub digest: KeyDigest,
    /// `None`: those of the tenant.
    pub scopes: Option<Vec<String>>,
    /// Seconds since 1970 from which it no longer works.
    pub expires: Option<i64>,
    pub rate: Option<TenantRate>,
}

/// Calls in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TenantRate {
    pub calls: u32,
    pub seconds: u32,
    pub burst: u32,
    /// All edges share it.
    pub shared: Option<WhenAway>,
}

/// Longer names only make logs unreadable.
const LONGEST_NAME: usize = 128;

pub fn parse(text: &str, name: &str) -> Result<TenantFile, Problems> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let mut diagnostics = Vec::new();
    let tenants = read(text, file, &mut diagnostics);
    if diagnostics.is_empty() {
        return Ok(TenantFile { tenants, sources });
    }
    // A key that stands in the file is not shown, whatever else is wrong beside it.
    if text.contains(super::api_key::PREFIX) {
        diagnostics = diagnostics.into_iter().map(Diagnostic::hide_source).collect();
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    Err(Problems { sources, diagnostics })
}

impl TenantFile {
    /// As it was read.
    pub fn text(&self) -> &str {
        self.sources.files().next().map_or("", |(_, file)| &file.text)
    }

    pub fn find(&self, name: &str) -> Option<&TenantEntry> {
        let index = self.tenants.binary_search_by(|tenant| tenant.name.value.as_str().cmp(name)).ok()?;
        self.tenants.get(index)
    }

    /// Problems with what the file says, in its own lines.
    pub fn problems(&self, diagnostics: Vec<Diagnostic>) -> Problems {
        Problems { sources: self.sources.clone(), diagnostics }
    }
}

impl TenantEntry {
    /// How much its callers may ask for, with a key or a token.
    pub fn limits(&self, key: Option<&KeyEntry>) -> CallerLimits {
        let rate = |rate: TenantRate| Rate::new(rate.calls, rate.seconds, rate.burst).shared(rate.shared);
        CallerLimits {
            rate: self.rate.map(rate),
            calls_in_flight: self.calls_in_flight,
            calls_in_flight_shared: self.calls_in_flight_shared,
            key_rate: key.and_then(|key| key.rate).map(rate),
            // Neither name has a slash in it.
            key: key.map_or(0, |key| bucket(&format!("{}/{}", self.name.value, key.id))),
        }
    }

    /// How many of its limits hold for all edges together.
    pub fn shared_limits(&self) -> usize {
        let rates = self.keys.iter().map(|key| key.rate).chain([self.rate]).flatten();
        let rates = rates.filter(|rate| rate.shared.is_some()).count();
        rates + usize::from(self.calls_in_flight_shared.is_some())
    }

    /// Where values of variables are written out.
    pub fn literal_variables(&self) -> impl Iterator<Item = Span> {
        let literal = self.variables.iter().filter(|(_, value)| reference(&value.value).is_none());
        literal.map(|(_, value)| value.span)
    }
}

fn read(text: &str, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Vec<TenantEntry> {
    let mut reading = Reading { language: &LANGUAGE, file, text, diagnostics };
    let Some(toml) = reading.parse() else { return Vec::new() };
    let top = reading.fields(&TOP, &toml, Span::whole_file(file));
    let mut lowering = Lowering { reading: &mut reading, digests: Vec::new() };
    let tables = top.table("tenant").map(|(tables, _)| tables);
    let mut tenants: Vec<TenantEntry> = Vec::new();
    for (name, value) in tables.into_iter().flat_map(TomlTable::iter) {
        let span = lowering.reading.span(name.span());
        match value.get_ref().as_table() {
            Some(table) => tenants.extend(lowering.tenant(name.get_ref(), table, span)),
            None => {
                let message = format!("`tenant.{}` must be a table", name.get_ref());
                lowering.reading.report(Diagnostic::error(span, message).help("write `[tenant.NAME]`"));
            }
        }
    }
    lowering.refuse_repeated_digests();
    tenants.sort_by(|a, b| a.name.value.cmp(&b.name.value));
    tenants
}

struct Lowering<'r, 'd> {
    reading: &'r mut Reading<'d>,
    /// All digests. There may be a hundred thousand: comparing them once at the end is quicker than one by one.
    digests: Vec<(KeyDigest, Span)>,
}

impl<'d> Lowering<'_, 'd> {
    fn tenant<'t, 'i>(&mut self, name: &str, table: &'t TomlTable<'i>, span: Span) -> Option<TenantEntry>
    where
        'd: 't,
    {
        let fields = self.reading.fields(&TENANT, table, span);
        if !is_name(name) {
            let message = format!("`{name}` cannot be the name of a tenant");
            let help = "use letters, digits, `-`, `_` and `.`, at most 128 of them";
            self.reading.report(Diagnostic::error(span, message).help(help));
        }
        let (calls_in_flight, calls_in_flight_shared) = self.calls_in_flight(&fields);
        Some(TenantEntry {
            name: Spanned::new(name.to_owned(), span),
            toolsets: fields.texts("toolsets"),
            allow: self.globs(&fields, "allow"),
            deny: self.globs(&fields, "deny"),
            scopes: self.scopes(&fields),
            rate: self.rate(&fields),
            calls_in_flight,
            calls_in_flight_shared,
            variables: self.variables(&fields),
            keys: self.keys(&fields),
        })
    }

    fn globs(&mut self, fields: &Fields<'_, '_>, key: &str) -> Vec<Spanned<Glob>> {
        let mut globs = Vec::new();
        for Spanned { value, span } in fields.texts(key) {
            let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*' | '?');
            if value.is_empty() || !value.chars().all(is_good) {
                let message = format!("`{value}` is not a pattern of tool names");
                let help = "use letters, digits, `_`, `-`, `*` and `?`, like `get_*`";
                self.reading.report(Diagnostic::error(span, message).help(help));
            } else {
                globs.push(Spanned::new(Glob(value), span));
            }
        }
        globs
    }

    /// Sorted, each once.
    fn scopes(&mut self, fields: &Fields<'_, '_>) -> Vec<String> {
        let mut scopes = Vec::new();
        for Spanned { value, span } in fields.texts("scopes") {
            if is_scope(&value) {
                scopes.push(value);
            } else {
                let message = format!("`{value}` is not a scope");
                let help = "a scope is visible ASCII text without spaces, quotes and backslashes; write one per string";
                self.reading.report(Diagnostic::error(span, message).help(help));
            }
        }
        scopes.sort();
        scopes.dedup();
        scopes
    }

    fn rate(&mut self, fields: &Fields<'_, '_>) -> Option<TenantRate> {
        let (table, span) = fields.table("rate")?;
        let fields = self.reading.fields(&RATE, table, span);
        let calls = fields.integer("calls")?.value;
        let seconds = fields.integer("seconds")?.value;
        let burst = fields.integer("burst").map_or(calls, |burst| burst.value);
        let shared = self.shared(&fields);
        Some(TenantRate { calls, seconds, burst, shared })
    }

    fn calls_in_flight(&mut self, fields: &Fields<'_, '_>) -> (Option<u32>, Option<WhenAway>) {
        let Some((table, span)) = fields.table("calls_in_flight") else {
            return (fields.integer("calls_in_flight").map(|count| count.value), None);
        };
        let fields = self.reading.fields(&PLACES, table, span);
        (fields.integer("calls").map(|count| count.value), self.shared(&fields))
    }

    /// Whether a limit holds for all edges together, and what happens while they cannot agree.
    fn shared(&mut self, fields: &Fields<'_, '_>) -> Option<WhenAway> {
        let shared = fields.boolean("shared").is_some_and(|shared| shared.value);
        if let Some(value) = fields.value("when_away").filter(|_| !shared) {
            let message = "`when_away` has no effect without `shared = true`";
            let problem = Diagnostic::error(fields.at(value), message);
            self.reading.report(problem.help("write `shared = true`, or remove `when_away`"));
        }
        let word = self.reading.word(fields, "when_away", WhenAway::from_word, None);
        shared.then(|| word.map_or(WhenAway::Share, |word| word.value))
    }

    fn variables(&mut self, fields: &Fields<'_, '_>) -> Vec<(Spanned<String>, Spanned<String>)> {
        let variables = fields.text_map("variables");
        for (_, value) in &variables {
            if value.value.contains("${") && reference(&value.value).is_none() {
                let message = "a variable is text, or one `${NAME}` alone";
                let help =
                    "write `\"${NAME}\"`, and put the whole value into the environment or the secrets file";
                // The rest of it may be a secret.
                self.reading.report(Diagnostic::error(value.span, message).help(help).hide_source());
            }
        }
        variables
    }

    fn keys(&mut self, fields: &Fields<'_, '_>) -> Vec<KeyEntry> {
        let mut ids: BTreeMap<String, Span> = BTreeMap::new();
        let mut keys = Vec::new();
        for (table, span) in fields.tables("keys") {
            let fields = self.reading.fields(&KEY, table, span);
            let scopes = fields.is_written("scopes").then(|| self.scopes(&fields));
            let (rate, expires) = (self.rate(&fields), self.expires(&fields));
            let id = fields.text("id").filter(|id| self.is_new_id(id, &mut ids));
            let digest = fields.text("digest").and_then(|digest| self.digest(&digest));
            if let (Some(id), Some(digest)) = (id, digest) {
                keys.push(KeyEntry { id: id.value, digest, scopes, expires, rate });
            }
        }
        keys
    }

    fn is_new_id(&mut self, id: &Spanned<String>, ids: &mut BTreeMap<String, Span>) -> bool {
        if !is_name(&id.value) {
            let message = format!("`{}` cannot be the id of a key", id.value);
            let help = "use letters, digits, `-`, `_` and `.`, at most 128 of them";
            let problem = Diagnostic::error(id.span, message).help(help);
            // Someone may have put the key itself there.
            self.reading.report(if id.value.len() > 30 { problem.hide_source() } else { problem });
            return false;
        }
        if let Some(first) = ids.insert(id.value.clone(), id.span) {
            let problem =
                Diagnostic::error(id.span, format!("two keys of this tenant have the id `{}`", id.value));
            self.reading
                .report(problem.related(first, "first used here").help("give each key an id of its own"));
            return false;
        }
        true
    }

    fn digest(&mut self, text: &Spanned<String>) -> Option<KeyDigest> {
        let Some(digest) = KeyDigest::parse(&text.value) else {
            let is_key = text.value.starts_with(super::api_key::PREFIX);
            let message = if is_key {
                "this is an API key, not its digest"
            } else {
                "this is not the digest of an API key"
            };
            let help = if is_key {
                "anyone who can read this file could use it: revoke it, make another with `mcp-edge key new`, and write the digest that it prints"
            } else {
                "write `sha256:` and 64 hexadecimal digits, as `mcp-edge key new` prints them"
            };
            // It may be a secret.
            self.reading.report(Diagnostic::error(text.span, message).help(help).hide_source());
            return None;
        };
        self.digests.push((digest, text.span));
        Some(digest)
    }

    fn refuse_repeated_digests(&mut self) {
        self.digests.sort_unstable();
        for same in self.digests.chunk_by(|(one, _), (next, _)| one == next) {
            let Some(((_, first), others)) = same.split_first() else { continue };
            for (_, span) in others {
                let problem = Diagnostic::error(*span, "this key is listed twice");
                self.reading.report(
                    problem
                        .related(*first, "first listed here")
                        .help("make a key for each with `mcp-edge key new`"),
                );
            }
        }
    }

    fn expires(&mut self, fields: &Fields<'_, '_>) -> Option<i64> {
        let value = fields.value("expires")?;
        let moment = moment(value);
        if moment.is_none() {
            let problem = Diagnostic::error(fields.at(value), "`expires` is not a date");
            self.reading.report(problem.help("write `expires = 2027-06-30`, without quotes"));
        }
        moment
    }
}

/// Seconds since 1970 of a date's end, or of a moment; UTC unless it says otherwise.
fn moment(value: &TomlValue<'_>) -> Option<i64> {
    let text = match value.get_ref() {
        Value::Datetime(moment) => moment.to_string(),
        Value::String(text) => text.to_string(),
        _ => return None,
    };
    if let Ok(date) = text.parse::<jiff::civil::Date>()
        && text.len() == "2027-06-30".len()
    {
        let end = date.tomorrow().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        return Some(end.timestamp().as_second());
    }
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(moment.as_second());
    }
    let local = text.parse::<jiff::civil::DateTime>().ok()?;
    Some(local.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second())
}

/// The name in `${NAME}`, if a value is that alone.
pub(super) fn reference(value: &str) -> Option<&str> {
    let name = value.strip_prefix("${")?.strip_suffix('}')?;
    let is_good = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_good)).then_some(name)
}

fn is_name(name: &str) -> bool {
    let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(is_good)
}

/// As RFC 6749 has it.
fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_listed_again_is_refused_wherever_that_is() {
        let key =
            |id: &str, of: &str| format!("id = \"{id}\"\ndigest = \"{}\"\n", KeyDigest::of(of.as_bytes()));
        let text = format!(
            "[[tenant.b.keys]]\n{}[[tenant.b.keys]]\n{}[[tenant.a.keys]]\n{}[[tenant.a.keys]]\n{}",
            key("1", "one"),
            key("2", "two"),
            key("3", "one"),
            key("4", "one"),
        );
        let problems = parse(&text, "tenants.toml").unwrap_err();
        let again: Vec<usize> =
            text.match_indices(&KeyDigest::of(b"one").to_string()).map(|(at, _)| at).collect();
        let seen: Vec<_> = problems
            .diagnostics
            .iter()
            .map(|found| {
                assert_eq!(found.message.to_string(), "this key is listed twice");
                found.span.start as usize
            })
            .collect();
        // Positions of the strings, which begin with a quote.
        assert_eq!(seen, again[1..].iter().map(|at| at - 1).collect::<Vec<_>>());
    }
}
