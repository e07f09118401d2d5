//! A set of tools, and the answers about it that are the same for every request, serialised before the first.

use super::cursor;
use crate::protocol::{MODERN, has_titles};
use crate::settings::ListSettings;
use mcp_bundle::bind::{PreparedTool, PreparedTools, SomeTools};
use mcp_bundle::format::Revision;
use mcp_bundle::json::write_string;
use mcp_bundle::plan::Contents;
use mcp_bundle::strings::StrId;
use mcp_bundle::wire_enums::ProtocolVersion;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

/// All tools, or those of one toolset. Callers who see the same tools share it.
#[derive(Debug)]
pub struct Listing {
    /// The toolset's name; `None` for all tools.
    pub toolset: Option<String>,
    /// Indexes of the tools, ascending, and so sorted by name; `None` for all of them.
    tools: Option<Vec<u32>>,
    /// Those tools by name, made when one is first asked for. The catalog has such a table of all tools.
    by_name: OnceLock<SomeTools>,
    /// `"resultType":"complete","_meta":{…},`: how results of the stateless revision begin.
    pub modern_start: Vec<u8>,
    /// Members of the result of `server/discover`.
    pub discover: Vec<u8>,
    /// Members of the result of `initialize`, one for each [`ProtocolVersion`].
    initialize: [Vec<u8>; ProtocolVersion::ALL.len()],
    /// Members of the results of `tools/list`, page by page, one list for each [`ProtocolVersion`]; made when first asked for,
    /// since most versions never are.
    pages: [OnceLock<Vec<Vec<u8>>>; ProtocolVersion::ALL.len()],
    page_size: usize,
    list_end: Vec<u8>,
    /// The answer of `GET /mcp/tools`, made when first asked for.
    pub gateway_list: OnceLock<Vec<u8>>,
    /// Of all that is listed, made when first asked for.
    fingerprint: OnceLock<u64>,
}

/// Who may use an answer again that was given to one caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheScope {
    /// All callers see the same tools.
    Public,
    /// Only the caller.
    Private,
}

/// What a server says of itself.
struct About {
    name: StrId,
    toolset: Option<String>,
    title: Option<StrId>,
    instructions: String,
}

/// A page of `tools/list`.
#[derive(Debug)]
pub enum Page<'a> {
    Ready(&'a [u8]),
    /// Made for a cursor of another bundle.
    Made(Vec<u8>),
}

impl Listing {
    /// The tools of several toolsets; `None` for all that there are.
    pub fn all(
        contents: &Contents,
        revision: &Revision,
        tools: Option<Vec<u32>>,
        toolsets: &[usize],
        list: &ListSettings,
        scope: CacheScope,
    ) -> Listing {
        let about = About {
            name: contents.manifest.name,
            toolset: None,
            title: None,
            instructions: all_instructions(contents, toolsets),
        };
        Listing::new(contents, revision, about, tools, list, scope)
    }

    /// The tools of one toolset.
    pub fn of_toolset(
        contents: &Contents,
        revision: &Revision,
        toolset: usize,
        tools: Vec<u32>,
        list: &ListSettings,
        scope: CacheScope,
    ) -> Listing {
        let text = |id| contents.strings.get(id);
        let plan = contents.manifest.toolsets.get(toolset);
        let instructions = plan.and_then(|plan| plan.instructions).map(text).unwrap_or_default().to_owned();
        let about = About {
            name: plan.map_or(contents.manifest.name, |plan| plan.name),
            toolset: plan.map(|plan| text(plan.name).to_owned()),
            title: plan.and_then(|plan| plan.title),
            instructions,
        };
        Listing::new(contents, revision, about, Some(tools), list, scope)
    }

    fn new(
        contents: &Contents,
        revision: &Revision,
        About { name, toolset, title, instructions }: About,
        tools: Option<Vec<u32>>,
        list: &ListSettings,
        scope: CacheScope,
    ) -> Listing {
        let text = |id| contents.strings.get(id);
        let title = title.map(text);
        let revision = revision.to_string();
        let build = revision.get(..12).unwrap_or(&revision);
        let info = |version| server_info(text(name), build, title.filter(|_| has_titles(version)));
        let mut list_end = b",\"ttlMs\":".to_vec();
        list_end.extend_from_slice(itoa::Buffer::new().format(list.ttl.as_millis()).as_bytes());
        list_end.extend_from_slice(b",\"cacheScope\":\"");
        list_end.extend_from_slice(scope.as_str().as_bytes());
        list_end.push(b'"');

        let mut modern_start =
            b"\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":".to_vec();
        modern_start.extend_from_slice(&info(MODERN));
        modern_start.extend_from_slice(b"},");

        let mut discover = modern_start.clone();
        discover.extend_from_slice(b"\"supportedVersions\":[\"");
        discover.extend_from_slice(MODERN.as_str().as_bytes());
        discover.extend_from_slice(b"\"],");
        discover.extend_from_slice(CAPABILITIES);
        write_instructions(&instructions, &mut discover);
        discover.extend_from_slice(&list_end);

        let initialize = std::array::from_fn(|index| {
            let version = ProtocolVersion::ALL.get(index).copied().unwrap_or(MODERN);
            let mut out = b"\"protocolVersion\":\"".to_vec();
            out.extend_from_slice(version.as_str().as_bytes());
            out.extend_from_slice(b"\",");
            out.extend_from_slice(CAPABILITIES);
            out.extend_from_slice(b",\"serverInfo\":");
            out.extend_from_slice(&info(version));
            write_instructions(&instructions, &mut out);
            out
        });
        Listing {
            toolset,
            tools,
            by_name: OnceLock::new(),
            modern_start,
            discover,
            initialize,
            pages: std::array::from_fn(|_| OnceLock::new()),
            page_size: list.page.max(1),
            list_end,
            gateway_list: OnceLock::new(),
            fingerprint: OnceLock::new(),
        }
    }

    /// The tool with this name. One that is not listed is not even looked at: the time must not tell that it exists.
    #[inline]
    pub fn find<'a>(&self, prepared: &'a PreparedTools, name: &str) -> Option<PreparedTool<'a>> {
        match &self.tools {
            None => prepared.find(name),
            Some(tools) => prepared.find_among(self.by_name.get_or_init(|| prepared.some(tools)), name),
        }
    }

    pub fn initialize(&self, version: ProtocolVersion) -> &[u8] {
        self.initialize.get(slot(version)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Tells one list from another: clients who saw one need not hear of the other if they are the same.
    pub fn fingerprint(&self, contents: &Contents) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let text = |id| contents.strings.get(id);
            let mut hasher = DefaultHasher::new();
            for index in (0..self.count(contents)).filter_map(|position| self.index(position)) {
                if let Some(entry) = contents.list.get(index) {
                    (text(entry.text), entry.modern.map(text)).hash(&mut hasher);
                }
            }
            hasher.finish()
        })
    }

    /// How many tools there are.
    pub fn count(&self, contents: &Contents) -> usize {
        self.tools.as_ref().map_or(contents.tools.len(), Vec::len)
    }

    /// The members of the result that lists the tools after `cursor`; `None` if that is not a cursor.
    pub fn page<'a>(
        &'a self,
        contents: &Contents,
        version: ProtocolVersion,
        cursor: Option<&str>,
    ) -> Option<Page<'a>> {
        let start = match cursor {
            None => 0,
            Some(cursor) => self.after(contents, cursor::read(cursor)?),
        };
        let pages = self.pages.get(slot(version))?.get_or_init(|| {
            let starts = (0..self.count(contents).max(1)).step_by(self.page_size);
            starts.map(|start| self.make(contents, version, start)).collect()
        });
        let ready =
            if start.is_multiple_of(self.page_size) { pages.get(start / self.page_size) } else { None };
        Some(match ready {
            Some(page) => Page::Ready(page),
            None => Page::Made(self.make(contents, version, start)),
        })
    }

    /// The position of the first tool whose name comes after `name`.
    fn after(&self, contents: &Contents, name: String) -> usize {
        let comes_before = |index: usize| {
            contents.tools.get(index).is_some_and(|tool| contents.strings.get(tool.name) <= name.as_str())
        };
        match &self.tools {
            None => contents.tools.partition_point(|tool| contents.strings.get(tool.name) <= name.as_str()),
            Some(tools) => tools.partition_point(|index| comes_before(*index as usize)),
        }
    }

    fn index(&self, position: usize) -> Option<usize> {
        match &self.tools {
            None => Some(position),
            Some(tools) => tools.get(position).map(|index| *index as usize),
        }
    }

    /// The entries from `start` on, at most `most`, as JSON objects with commas between them.
    pub fn write_entries(
        &self,
        contents: &Contents,
        version: ProtocolVersion,
        start: usize,
        most: usize,
        out: &mut Vec<u8>,
    ) {
        let end = self.count(contents).min(start.saturating_add(most));
        for position in start..end {
            let entry = self.index(position).and_then(|index| contents.list.get(index));
            if let Some(entry) = entry {
                if position > start {
                    out.push(b',');
                }
                out.extend_from_slice(entry.open_form(&contents.strings, version).as_bytes());
                out.push(b'}');
            }
        }
    }

    fn make(&self, contents: &Contents, version: ProtocolVersion, start: usize) -> Vec<u8> {
        let mut out = Vec::new();
        if version == MODERN {
            out.extend_from_slice(&self.modern_start);
        }
        out.extend_from_slice(b"\"tools\":[");
        self.write_entries(contents, version, start, self.page_size, &mut out);
        out.push(b']');
        let end = start.saturating_add(self.page_size);
        let last = self.index(end.wrapping_sub(1)).and_then(|index| contents.tools.get(index));
        if let (true, Some(last)) = (end < self.count(contents), last) {
            out.extend_from_slice(b",\"nextCursor\":\"");
            cursor::write(contents.strings.get(last.name), &mut out);
            out.push(b'"');
        }
        if version == MODERN {
            out.extend_from_slice(&self.list_end);
        }
        out
    }
}

impl CacheScope {
    const fn as_str(self) -> &'static str {
        match self {
            CacheScope::Public => "public",
            CacheScope::Private => "private",
        }
    }
}

/// Only tools, whose list can change with a bundle.
const CAPABILITIES: &[u8] = b"\"capabilities\":{\"tools\":{\"listChanged\":true}}";

fn slot(version: ProtocolVersion) -> usize {
    ProtocolVersion::ALL.iter().position(|known| *known == version).unwrap_or_default()
}

fn server_info(name: &str, version: &str, title: Option<&str>) -> Vec<u8> {
    let mut out = b"{\"name\":".to_vec();
    write_string(name, &mut out);
    out.extend_from_slice(b",\"version\":");
    write_string(version, &mut out);
    if let Some(title) = title {
        out.extend_from_slice(b",\"title\":");
        write_string(title, &mut out);
    }
    out.push(b'}');
    out
}

fn write_instructions(instructions: &str, out: &mut Vec<u8>) {
    if !instructions.is_empty() {
        out.extend_from_slice(b",\"instructions\":");
        write_string(instructions, out);
    }
}

/// The instructions of each of these toolsets under its name.
fn all_instructions(contents: &Contents, toolsets: &[usize]) -> String {
    let sets = toolsets.iter().filter_map(|toolset| contents.manifest.toolsets.get(*toolset));
    let given = sets.filter_map(|set| {
        let text = contents.strings.get(set.instructions?);
        Some((contents.strings.get(set.title.unwrap_or(set.name)), text))
    });
    let given: Vec<(&str, &str)> = given.collect();
    match given.as_slice() {
        [(_, only)] if toolsets.len() == 1 => (*only).to_owned(),
        several => {
            let lines: Vec<String> = several.iter().map(|(name, text)| format!("{name}: {text}")).collect();
            lines.join("\n\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_bundle::bind::Limits;

    const SPEC: &str = r#"
[[tool]]
name = "hidden"
description = "Says hello to whoever calls."
respond = "Hello."
[[tool]]
name = "shown"
description = "Says goodbye to whoever calls."
respond = "Bye."
"#;

    #[test]
    fn a_hidden_tool_is_looked_for_in_a_table_without_it() {
        let report = mcpc::check::check_files(&mcpc::check::MemoryFiles::one("spec.toml", SPEC));
        let contents = report.contents.unwrap_or_else(|| panic!("{:?}", report.diagnostics));
        let prepared = PreparedTools::new(&contents, &[], &Limits::default());
        let listing = |tools| {
            let (revision, list) = (Revision([0; 32]), ListSettings::default());
            Listing::all(&contents, &revision, tools, &[0], &list, CacheScope::Private)
        };
        let restricted = listing(Some(vec![1]));
        let found = |name| restricted.find(&prepared, name).map(|tool| tool.name());
        assert_eq!((found("hidden"), found("nothing"), found("shown")), (None, None, Some("shown")));
        let table = restricted.by_name.get().expect("a table of its own");
        assert!(prepared.find_among(table, "hidden").is_none() && prepared.find("hidden").is_some());
        let all = listing(None);
        assert!(all.find(&prepared, "hidden").is_some() && all.by_name.get().is_none());
    }
}
