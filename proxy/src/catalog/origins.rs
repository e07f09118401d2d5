//! Where upstreams are: found out once, when a bundle is activated, and fixed from then on.

use super::BuildError;
use mcp_bundle::origin::{self, Origin};
use mcp_bundle::plan::Contents;
use mcp_diagnostics::suggest;

/// Puts each upstream where `edge.toml` says, or where the variables of its URL say. Gives the variables
/// that nothing else needs.
pub fn locate(
    contents: &mut Contents,
    variable: &dyn Fn(&str) -> Option<String>,
    overrides: &[(String, Origin)],
) -> Result<Vec<String>, BuildError> {
    let of_origins = contents.origin_variable_names();
    for (name, origin) in overrides {
        contents.locate(find(contents, name)?, origin);
    }
    for index in 0..contents.upstreams.len() {
        let Some(url) = contents.upstreams.get(index).and_then(|upstream| upstream.url) else { continue };
        let url = contents.strings.get(url);
        let origin = origin::resolve(url, variable).map_err(|error| BuildError::Origin {
            upstream: contents.upstream_name(index).unwrap_or_default().to_owned(),
            url: url.to_owned(),
            error,
        })?;
        contents.locate(index, &origin);
    }
    let index_of = |name: &String| contents.variable_names().position(|known| known == name);
    let is_free =
        |name: &String| index_of(name).is_some_and(|index| contents.uses_of(index).next().is_none());
    Ok(of_origins.into_iter().filter(is_free).collect())
}

/// The upstream that `edge.toml` names.
pub fn find(contents: &Contents, name: &str) -> Result<usize, BuildError> {
    let is_it = |index: &usize| contents.upstream_name(*index) == Some(name);
    let found: Vec<usize> = (0..contents.upstreams.len()).filter(is_it).collect();
    match found.as_slice() {
        [index] => Ok(*index),
        [] => {
            let names = (0..contents.upstreams.len()).filter_map(|index| contents.upstream_name(index));
            let nearest = suggest::nearest(name, names.collect::<Vec<&str>>()).map(str::to_owned);
            Err(BuildError::UnknownUpstream { name: name.to_owned(), nearest })
        }
        _ => Err(BuildError::AmbiguousUpstream { name: name.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents() -> Contents {
        let spec = r#"
            [upstream.search]
            url = "http://${ES_HOST:-localhost}:${ES_PORT:-9200}/base"
            [upstream.pg]
            url = "${PG_URL}"
            [[tool]]
            name = "search"
            description = "Searches an index for a word."
            upstream = "search"
            method = "GET"
            endpoint = "/x"
            [[tool]]
            name = "rows"
            description = "Reads the rows of a table."
            upstream = "pg"
            method = "GET"
            endpoint = "/rows"
        "#;
        let report = mcpc::check::check_files(&mcpc::files::MemoryFiles::one("spec.toml", spec));
        let messages: Vec<_> = report.diagnostics.iter().map(|found| &found.message).collect();
        report.contents.unwrap_or_else(|| panic!("{messages:?}"))
    }

    fn located(values: &[(&str, &str)], overrides: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let mut contents = contents();
        let value = |name: &str| values.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        let parse = |(name, url): &(&str, &str)| ((*name).to_owned(), Origin::parse(url).unwrap());
        let overrides: Vec<_> = overrides.iter().map(parse).collect();
        let free = locate(&mut contents, &value, &overrides).map_err(|error| error.to_string())?;
        assert_eq!(free, ["PG_URL"], "the manifest names it, and no request needs it any more");
        let mut origins: Vec<String> =
            contents.upstreams.iter().map(|upstream| contents.origin_text(upstream)).collect();
        origins.sort();
        Ok(origins)
    }

    #[test]
    fn an_upstream_is_where_its_variables_say() {
        let pg = ("PG_URL", "https://db.example/");
        assert_eq!(located(&[pg], &[]).unwrap(), ["http://localhost:9200", "https://db.example"]);
        let es = [("ES_HOST", "es"), ("ES_PORT", "1"), pg];
        assert_eq!(located(&es, &[]).unwrap(), ["http://es:1", "https://db.example"]);
    }

    #[test]
    fn the_configuration_of_the_place_comes_first() {
        let overrides = [("search", "https://search.example"), ("pg", "http://127.0.0.1:3000")];
        assert_eq!(located(&[], &overrides).unwrap(), ["http://127.0.0.1:3000", "https://search.example"]);
        let unknown = located(&[("PG_URL", "https://a")], &[("searhc", "https://a")]).unwrap_err();
        assert_eq!(
            unknown,
            "`[upstream.searhc]` in `edge.toml` is not an upstream of the bundle; did you mean `search`?"
        );
    }

    #[test]
    fn a_value_that_gives_no_origin_is_refused_without_being_shown() {
        let missing = located(&[], &[]).unwrap_err();
        assert_eq!(
            missing,
            "the URL of upstream `pg`, `${PG_URL}`, cannot be used: `${PG_URL}` has no value"
        );
        for value in ["https://user:hunter2@a.example", "https://a.example/hunter2", "hunter2"] {
            let error = located(&[("PG_URL", value)], &[]).unwrap_err();
            assert!(error.contains("upstream `pg`") && !error.contains("hunter2"), "{error}");
        }
    }
}
