//! The values of `${NAME}`, looked up when a bundle is activated.

use super::{BuildError, Variables};
use mcp_bundle::plan::{Contents, HttpPlan, Part};
use mcp_bundle::wire_enums::PartKind;

/// All values, or the first variable that cannot be used and a tool that needs it.
pub fn resolve(
    contents: &Contents,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Variables, BuildError> {
    let mut values = Vec::with_capacity(contents.manifest.variables.len());
    for (index, name) in contents.variable_names().enumerate() {
        let Some(value) = variable(name) else {
            let tool = user(contents, index, |_| true).unwrap_or_default();
            return Err(BuildError::MissingVariable { name: name.to_owned(), tool });
        };
        if value.bytes().any(|byte| byte.is_ascii_control())
            && let Some(tool) = user(contents, index, |place| place == Place::Head)
        {
            return Err(BuildError::InvalidVariable { name: name.to_owned(), tool });
        }
        values.push(value.into_boxed_str());
    }
    Ok(Variables(values))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Head,
    Elsewhere,
}

/// The name of a tool that uses the variable in such a place.
fn user(contents: &Contents, index: usize, wanted: impl Fn(Place) -> bool) -> Option<String> {
    let uses = |part: &Part| part.kind == PartKind::Variable && part.id as usize == index;
    let tool = contents.tools.iter().find(|tool| {
        let mut places = tool.http().into_iter().flat_map(places);
        places.any(|(place, part)| wanted(place) && uses(part))
    });
    tool.map(|tool| contents.strings.get(tool.name).to_owned())
}

fn places(http: &HttpPlan) -> impl Iterator<Item = (Place, &Part)> {
    let head = http.headers.iter().chain(&http.cookies).flat_map(|placed| &placed.value);
    let query = http.query.iter().flat_map(|placed| &placed.value);
    let body = http.body.ops.iter().flat_map(|op| &op.value);
    let rest = http.path.iter().chain(query).chain(body);
    head.map(|part| (Place::Head, part)).chain(rest.map(|part| (Place::Elsewhere, part)))
}
