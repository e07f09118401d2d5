//! Well-known servers by a short name.

/// A server that needs no URL on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    pub id: &'static str,
    pub url: &'static str,
    /// For people.
    pub title: &'static str,
    pub description: &'static str,
    /// What is imported unless the command line says otherwise.
    pub tools: &'static [&'static str],
}

pub static PRESETS: &[Preset] = &[
    Preset {
        id: "modelscope/fetch",
        url: "https://mcp.modelscope.cn/servers/fetch",
        title: "网页内容抓取",
        description: "抓取网页内容并转换为 Markdown 格式",
        tools: &["fetch"],
    },
    Preset {
        id: "modelscope/search",
        url: "https://mcp.modelscope.cn/servers/search",
        title: "网络搜索",
        description: "搜索互联网内容",
        tools: &["search"],
    },
];

impl Preset {
    pub fn find(id: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.id == id)
    }

    /// The name of its server.
    pub fn name(&self) -> &'static str {
        self.id.rsplit('/').next().unwrap_or(self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::{Reach, ServerSource, check_server, http_url, server_name};
    use mcp_bundle::wire_enums::Transport;

    /// C8: what can be known without an account there.
    #[test]
    fn presets_make_specs_that_pass_the_rules() {
        for preset in PRESETS {
            assert_eq!(http_url(preset.url).as_deref(), Ok(preset.url));
            assert!(preset.url.starts_with("https://"), "{}", preset.id);
            assert_eq!(server_name(preset.name()).as_deref(), Some(preset.name()));
            assert!(!preset.tools.is_empty(), "{}", preset.id);
            let source = ServerSource {
                name: Some(preset.name().to_owned()),
                title: Some(preset.title.to_owned()),
                reach: Reach::Url {
                    transport: Transport::Http,
                    url: preset.url.to_owned(),
                    headers: Vec::new(),
                    auth: None,
                    timeout_ms: None,
                },
            };
            let contents = check_server(&source, preset.name()).unwrap();
            assert_eq!(contents.servers.len(), 1, "{}", preset.id);
        }
    }
}
