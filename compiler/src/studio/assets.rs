//! The files of the page. They are part of the program, and hold nothing of the specs.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    pub path: &'static str,
    pub content_type: &'static str,
    source: &'static str,
}

macro_rules! assets {
    ($($path:literal, $name:literal, $content_type:expr;)*) => {
        &[$(Asset {
            path: $path,
            content_type: $content_type,
            source: include_str!(concat!("../../assets/studio/", $name)),
        }),*]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const IMAGE: &str = "image/svg+xml";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Spaces that mean nothing in code.
const SPACES: [(&str, &str); 15] = [
    (" = ", "="),
    (" === ", "==="),
    (" !== ", "!=="),
    (" => ", "=>"),
    (" && ", "&&"),
    (" || ", "||"),
    (" ?? ", "??"),
    (" ? ", "?"),
    (" : ", ":"),
    (" {", "{"),
    ("{ ", "{"),
    (" }", "}"),
    ("; ", ";"),
    (", ", ","),
    (": ", ":"),
];

/// Every file of `compiler/assets/studio/`, by its path.
static ASSETS: &[Asset] = assets! {
    "/api.js", "api.js", SCRIPT;
    "/base.css", "base.css", STYLE;
    "/dom.js", "dom.js", SCRIPT;
    "/form/model.js", "form/model.js", SCRIPT;
    "/form/schema.js", "form/schema.js", SCRIPT;
    "/form/view.js", "form/view.js", SCRIPT;
    "/i18n.js", "i18n.js", SCRIPT;
    "/icon.svg", "icon.svg", IMAGE;
    "/", "index.html", HTML;
    "/json.js", "json.js", SCRIPT;
    "/main.js", "main.js", SCRIPT;
    "/parts/code.js", "parts/code.js", SCRIPT;
    "/parts/edits.js", "parts/edits.js", SCRIPT;
    "/parts/result.js", "parts/result.js", SCRIPT;
    "/parts/split.js", "parts/split.js", SCRIPT;
    "/parts/tree.js", "parts/tree.js", SCRIPT;
    "/session.js", "session.js", SCRIPT;
    "/texts.js", "texts.js", SCRIPT;
    "/theme.js", "theme.js", SCRIPT;
    "/views.css", "views.css", STYLE;
    "/views/add-server.js", "views/add-server.js", SCRIPT;
    "/views/call.js", "views/call.js", SCRIPT;
    "/views/edge.js", "views/edge.js", SCRIPT;
    "/views/examples.js", "views/examples.js", SCRIPT;
    "/views/server.js", "views/server.js", SCRIPT;
    "/views/servers.js", "views/servers.js", SCRIPT;
    "/views/source.js", "views/source.js", SCRIPT;
    "/views/texts.js", "views/texts.js", SCRIPT;
    "/views/tool.js", "views/tool.js", SCRIPT;
    "/views/tools.js", "views/tools.js", SCRIPT;
};

pub fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

impl Asset {
    /// What is sent: the lines without indentation and spaces that mean nothing, and without those that are nothing but
    /// comments.
    ///
    /// So no text or template of the page may go over several lines.
    pub fn write(&self, body: &mut Vec<u8>) {
        let mut in_comment = false;
        for line in self.source.lines().map(str::trim) {
            in_comment |= line.starts_with("/*");
            if !in_comment && !line.is_empty() && !line.starts_with("//") {
                self.write_line(line, body);
            }
            in_comment &= !line.ends_with("*/");
        }
    }

    /// In a script, spaces stay from the first pattern, comment or template of a line on: they may mean something there.
    fn write_line(&self, line: &str, body: &mut Vec<u8>) {
        let mut rest = line;
        loop {
            let end = match self.content_type {
                STYLE => rest.len(),
                SCRIPT => rest.find(['"', '\'', '`', '/']).unwrap_or(rest.len()),
                _ => 0,
            };
            let (code, other) = rest.split_at(end);
            let code = SPACES.iter().fold(code.to_owned(), |code, (from, to)| code.replace(from, to));
            let (text, after) = other.split_at(quoted(other).unwrap_or(other.len()));
            body.extend([code.as_bytes(), text.as_bytes()].concat());
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        body.push(b'\n');
    }
}

/// The length of a text in double quotes, at the beginning of code.
fn quoted(code: &str) -> Option<usize> {
    let mut is_escaped = false;
    let end = code.strip_prefix('"')?.find(|letter| {
        let is_end = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_end
    });
    Some(end? + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// What the page may have at most, uncompressed.
    const MAX_BYTES: usize = 150_000;

    fn sent(asset: &Asset) -> String {
        let mut body = Vec::new();
        asset.write(&mut body);
        String::from_utf8(body).unwrap()
    }

    /// The paths of the files below a folder.
    fn files(folder: &Path, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = format!("{path}/{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => found.extend(files(&entry.path(), &path)),
                false if path == "/index.html" => found.push("/".to_owned()),
                false => found.push(path),
            }
        }
        found
    }

    #[test]
    fn every_file_of_the_folder_is_served() {
        let mut files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/studio"), "");
        files.sort();
        let mut served: Vec<String> = ASSETS.iter().map(|asset| asset.path.to_owned()).collect();
        served.sort();
        assert_eq!(served, files);
    }

    #[test]
    fn the_page_is_small() {
        let bytes: usize = ASSETS.iter().map(|asset| sent(asset).len()).sum();
        assert!(bytes < MAX_BYTES, "{bytes}");
    }

    #[test]
    fn what_is_sent_has_no_comments_and_no_spaces_that_mean_nothing() {
        let script = "// a\n/** b\n * c */\n/* d */\nconst e = a ? 1 : -1; // f = g\n\n  g(\"// h\");\n\
                      if (a === b) return { c: \", = \\\"; \", d };\nat = /a ? b/.test(c);\n";
        let sent_script = "const e=a?1:-1;// f = g\ng(\"// h\");\n\
                           if (a===b) return{c:\", = \\\"; \",d};\nat=/a ? b/.test(c);\n";
        let style = "/* a */\n.a > b, c { d: 1px calc(1rem + 2px); content: \"\"; }\n";
        let sent_style = ".a > b,c{d:1px calc(1rem + 2px);content:\"\";}\n";
        let document = "<p>a = b</p>\n";
        for (content_type, source, expected) in
            [(SCRIPT, script, sent_script), (STYLE, style, sent_style), (HTML, document, document)]
        {
            assert_eq!(sent(&Asset { path: "/a", content_type, source }), expected);
        }
    }

    #[test]
    fn no_text_of_the_page_goes_over_several_lines() {
        for asset in ASSETS.iter().filter(|asset| asset.content_type == SCRIPT) {
            for line in asset.source.lines() {
                assert!(line.matches('`').count() % 2 == 0, "{}: {line}", asset.path);
            }
        }
    }
}
