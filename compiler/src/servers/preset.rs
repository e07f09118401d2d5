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
