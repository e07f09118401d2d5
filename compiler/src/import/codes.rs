//! The kinds of findings that all importers share. Each importer has a table of its own beside this one.

/// Why something of a source is not in the specs as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// Never used for something else.
    pub name: &'static str,
    /// One sentence for the docs.
    pub doc: &'static str,
}

macro_rules! codes {
    ($(pub $ident:ident = $name:literal, $doc:literal;)*) => {
        $(pub static $ident: $crate::import::codes::Code = $crate::import::codes::Code { name: $name, doc: $doc };)*

        /// All codes of this table.
        pub static CODES: &[&$crate::import::codes::Code] = &[$(&$ident),*];
    };
}
pub(crate) use codes;

codes! {
    pub UNKNOWN_MEMBER = "unknown-member", "The importer does not know this member, so it is not in the specs.";
    pub WRONG_KIND = "wrong-kind", "A value is not of the kind that the format asks for, such as a text where a list must be.";
    pub VENDOR_EXTENSION = "vendor-extension", "An extension (`x-…`) that says nothing about requests.";
    pub NOT_SELECTED = "not-selected", "The command line did not ask for it.";
    pub NOT_USED = "not-used", "Nothing that was imported refers to it.";
    pub REFUSED_BY_CHECK = "refused-by-check", "`mcpc check` has an error in the tool, so it was left out.";
    pub NOT_IN_TOML = "not-in-toml", "TOML cannot write the value, such as `null`.";
    pub EXAMPLE_REFUSED = "example-refused", "The tool would refuse the example's arguments, or its response is not as the source says.";
    pub NAME_CHANGED = "name-changed", "A name was cleaned, cut, or told apart from another one.";
    pub DESCRIPTION_CHANGED = "description-changed", "Markup was removed from a description, or it was cut.";
    pub SECRET_REPLACED = "secret-replaced", "A credential of the source became a variable, `${NAME}`.";
    pub SECRET_LEFT_OUT = "secret-left-out", "A credential among defaults, examples and responses of the source was left out.";
}

/// All tables, by the format that has them; the shared one is first.
pub static ALL: &[(&str, &[&Code])] = &[
    ("all", CODES),
    ("openapi", super::openapi::codes::CODES),
    ("gateways", super::gateways::CODES),
    ("agentgateway, apisix", super::gateways::wrapped::CODES),
    ("envoy", super::gateways::envoy::CODES),
    ("kong", super::gateways::kong::CODES),
    ("postman", super::gateways::postman::CODES),
    ("tool-json", super::gateways::tool_json::CODES),
    ("higress, unla", super::rest::codes::CODES),
    ("higress", super::higress::codes::CODES),
    ("unla", super::unla::codes::CODES),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_unique_and_documented() {
        let all: Vec<&Code> = ALL.iter().flat_map(|(_, codes)| *codes).copied().collect();
        let names: BTreeSet<&str> = all.iter().map(|code| code.name).collect();
        assert_eq!(names.len(), all.len());
        let page = include_str!("../../../docs/IMPORT.md");
        for code in all {
            assert!(code.doc.ends_with('.'), "{}", code.name);
            let row = format!("| `{}` | {} |", code.name, code.doc);
            assert!(page.contains(&row), "docs/IMPORT.md lacks this row:\n{row}");
        }
    }
}
