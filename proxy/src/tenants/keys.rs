//! The language of `tenants.toml`.

use mcp_diagnostics::{Key, Language, ReadingRules, Shape, Table};

pub static TOP: Table = Table {
    name: "the file",
    doc: "",
    keys: &[Key::new("tenant", Shape::NamedTables(&TENANT), "written `[tenant.NAME]`, once for each tenant")],
};

pub static TENANT: Table = Table {
    name: "a tenant",
    doc: "",
    keys: &[
        Key::new(
            "toolsets",
            Shape::Texts,
            "the toolsets that it can see, or `[\"*\"]` for all; without it, none",
        )
        .elsewhere(&["toolset", "tools"]),
        Key::new(
            "allow",
            Shape::Texts,
            "patterns of tool names (`get_*`) that it can see within its toolsets; without it, all",
        )
        .elsewhere(&["include"]),
        Key::new("deny", Shape::Texts, "patterns of tool names that it cannot see; wins over `allow`")
            .elsewhere(&["exclude"]),
        Key::new("scopes", Shape::Texts, "what its API keys hold, unless a key says otherwise")
            .elsewhere(&["scope"]),
        Key::new("rate", Shape::Table(&RATE), "how many calls it may make in a time"),
        Key::new(
            "calls_in_flight",
            Shape::IntegerOrTable { min: 1, max: 1_000_000, table: &PLACES },
            "how many calls it may have in flight, or `{ calls = 50, shared = true }` for all edges together",
        ),
        Key::new(
            "variables",
            Shape::TextMap,
            "values of `${NAME}` in its calls, instead of the place's: text, or `${OTHER}`",
        ),
        Key::new("keys", Shape::Tables(&KEY), "written `[[tenant.NAME.keys]]`, once for each API key"),
    ],
};

pub static RATE: Table = Table {
    name: "`rate`",
    doc: "",
    keys: &[
        Key::new("calls", Shape::Integer { min: 1, max: 1_000_000_000 }, "calls in the time").required(),
        Key::new("seconds", Shape::Integer { min: 1, max: 86_400 }, "the time").required(),
        Key::new(
            "burst",
            Shape::Integer { min: 1, max: 1_000_000_000 },
            "calls that may come at once; without it, all of `calls`",
        ),
        SHARED,
        WHEN_AWAY,
    ],
};

pub static PLACES: Table = Table {
    name: "`calls_in_flight`",
    doc: "",
    keys: &[
        Key::new("calls", Shape::Integer { min: 1, max: 1_000_000 }, "calls in flight").required(),
        SHARED,
        WHEN_AWAY,
    ],
};

const SHARED: Key = Key::new(
    "shared",
    Shape::Boolean,
    "whether it holds for all edges together, which agree over the store of `[shared]`",
);

const WHEN_AWAY: Key = Key::new(
    "when_away",
    Shape::Word(&["share", "refuse"]),
    "what an edge does while that store does not answer: go on with its part of the limit (`\"share\"`, the default), or refuse calls",
);

pub static KEY: Table = Table {
    name: "an API key",
    doc: "",
    keys: &[
        Key::new("id", Shape::Text, "its name in logs, metrics and the audit log; never the key itself")
            .required(),
        Key::new(
            "digest",
            Shape::Text,
            "`sha256:` and 64 hexadecimal digits, as `mcp-edge key new` prints it",
        )
        .required(),
        Key::new("scopes", Shape::Texts, "what it holds, instead of the tenant's `scopes`"),
        Key::new(
            "expires",
            Shape::Any,
            "the last day on which it works (`2027-06-30`), or a moment (`2027-06-30T12:00:00Z`)",
        ),
        Key::new("rate", Shape::Table(&RATE), "how many calls may be made with it in a time"),
    ],
};

/// The tables below the top, by the names that people write.
pub static TABLES: [(&str, &Table); 5] = [
    ("tenant.NAME", &TENANT),
    ("tenant.NAME.rate", &RATE),
    ("tenant.NAME.calls_in_flight", &PLACES),
    ("tenant.NAME.keys", &KEY),
    ("tenant.NAME.keys.rate", &RATE),
];

pub(super) static LANGUAGE: Language = Language {
    rules: ReadingRules {
        syntax: None,
        unknown_key: None,
        missing_key: None,
        key_given_twice: None,
        wrong_type: None,
        invalid_value: None,
    },
    header: |key| if key.name == "keys" { "tenant.NAME.keys".to_owned() } else { key.name.to_owned() },
    home,
    how_to_begin: "write it in TOML, starting with `[tenant.NAME]`",
};

fn home(name: &str, _table: &'static Table) -> Option<String> {
    let mut homes = TABLES.iter().filter(|(_, table)| table.find(name).is_some());
    let (home, _) = homes.next()?;
    homes.next().is_none().then(|| format!("`{name}` belongs to `[{home}]`"))
}
