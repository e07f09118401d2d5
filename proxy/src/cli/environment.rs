//! What the environment says instead of the command line: where a place is configured by it, as in containers.

use super::{CommandError, ServeArguments};
use crate::config::{is_off, parse_address};
use clap::ValueEnum;
use std::ffi::OsString;

/// Gives the value of a variable.
type Lookup = Box<dyn Fn(&str) -> Option<OsString>>;

/// The variables.
pub struct Environment(Lookup);

impl Environment {
    pub fn of_process() -> Environment {
        Environment(Box::new(|name| std::env::var_os(name)))
    }

    /// An empty variable is none.
    fn find(&self, name: &str) -> Option<OsString> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    pub fn has_something_to_serve(&self) -> bool {
        self.find("MCP_EDGE_BUNDLE").is_some() || self.find("MCP_EDGE_CONFIG").is_some()
    }

    /// Fills in what was not typed.
    pub fn complete(&self, arguments: &mut ServeArguments) -> Result<(), CommandError> {
        let ServeArguments { bundle, config, listen, admin, log_format, log_level, .. } = arguments;
        if bundle.is_none() && config.is_none() {
            *bundle = self.find("MCP_EDGE_BUNDLE").map(Into::into);
            *config = self.find("MCP_EDGE_CONFIG").map(Into::into);
        } else if bundle.is_none() {
            *bundle = self.find("MCP_EDGE_BUNDLE").map(Into::into);
        }
        if listen.is_empty()
            && let Some(addresses) = self.text("MCP_EDGE_LISTEN")?
        {
            *listen = addresses.split(',').map(|address| address.trim().to_owned()).collect();
            listen.iter().try_for_each(|address| check_address("MCP_EDGE_LISTEN", address))?;
        }
        if admin.is_none() {
            *admin = self.text("MCP_EDGE_ADMIN")?;
            let address = admin.as_deref().filter(|text| !is_off(text));
            address.map_or(Ok(()), |address| check_address("MCP_EDGE_ADMIN", address))?;
        }
        *log_format = log_format.or(self.word("MCP_EDGE_LOG_FORMAT")?);
        *log_level = log_level.or(self.word("MCP_EDGE_LOG_LEVEL")?);
        Ok(())
    }

    fn text(&self, name: &str) -> Result<Option<String>, CommandError> {
        let text = self.find(name).map(OsString::into_string).transpose();
        text.map_err(|_| CommandError::cannot_run(format!("the variable `{name}` is not UTF-8 text")))
    }

    fn word<T: ValueEnum>(&self, name: &str) -> Result<Option<T>, CommandError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        T::from_str(&text, false).map(Some).map_err(|_| {
            let words = T::value_variants().iter().filter_map(|value| value.to_possible_value());
            let words: Vec<String> = words.map(|word| format!("`{}`", word.get_name())).collect();
            CommandError::cannot_run(format!("`{name}` cannot be `{text}`"))
                .help(&format!("it is one of {}", words.join(", ")))
        })
    }
}

/// Here, because later nobody knows that it was not typed.
fn check_address(name: &str, text: &str) -> Result<(), CommandError> {
    let checked = parse_address(text).map(drop);
    checked.map_err(|error| CommandError::cannot_run(format!("`{name}`: {error}")).help(&error.help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Arguments;
    use clap::Parser;

    const SET: [(&str, &str); 5] = [
        ("MCP_EDGE_BUNDLE", "env.mcpk"),
        ("MCP_EDGE_LISTEN", "127.0.0.1:1, 127.0.0.1:2"),
        ("MCP_EDGE_ADMIN", "off"),
        ("MCP_EDGE_LOG_FORMAT", "json"),
        ("MCP_EDGE_LOG_LEVEL", ""),
    ];

    fn environment(set: &'static [(&str, &str)]) -> Environment {
        Environment(Box::new(|name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        }))
    }

    fn completed(typed: &[&str]) -> ServeArguments {
        let mut arguments = Arguments::try_parse_from([&["mcp-edge"], typed].concat()).unwrap().serve;
        environment(&SET).complete(&mut arguments).map_err(|failure| failure.text).unwrap();
        arguments
    }

    #[test]
    fn what_is_typed_has_precedence() {
        let arguments = completed(&[]);
        assert_eq!(arguments.bundle.as_deref(), Some("env.mcpk".as_ref()));
        assert_eq!(arguments.listen, ["127.0.0.1:1", "127.0.0.1:2"]);
        assert_eq!((arguments.admin.as_deref(), arguments.log_level.is_none()), (Some("off"), true));
        let arguments = completed(&["typed.mcpk", "--listen", "127.0.0.1:3", "--admin", "127.0.0.1:4"]);
        assert_eq!(arguments.bundle.as_deref(), Some("typed.mcpk".as_ref()));
        assert_eq!(arguments.listen, ["127.0.0.1:3"]);
        assert_eq!(arguments.admin.as_deref(), Some("127.0.0.1:4"));
    }

    #[test]
    fn a_wrong_word_is_reported_with_the_right_ones() {
        let mut arguments = Arguments::try_parse_from(["mcp-edge", "x.mcpk"]).unwrap().serve;
        let wrong = environment(&[("MCP_EDGE_LOG_LEVEL", "loud")]).complete(&mut arguments);
        let text = wrong.unwrap_err().text;
        assert!(text.contains("`MCP_EDGE_LOG_LEVEL` cannot be `loud`") && text.contains("`debug`"), "{text}");
        for name in ["MCP_EDGE_LISTEN", "MCP_EDGE_ADMIN"] {
            let set: &'static [(&str, &str)] = match name {
                "MCP_EDGE_LISTEN" => &[("MCP_EDGE_LISTEN", "127.0.0.1:1,nonsense")],
                _ => &[("MCP_EDGE_ADMIN", "nonsense")],
            };
            let mut arguments = Arguments::try_parse_from(["mcp-edge", "x.mcpk"]).unwrap().serve;
            let text = environment(set).complete(&mut arguments).unwrap_err().text;
            assert!(
                text.contains(&format!("`{name}`: `nonsense` is not")) && text.contains("help: "),
                "{text}"
            );
        }
        assert!(!environment(&[]).has_something_to_serve());
    }
}
