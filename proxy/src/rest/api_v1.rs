//! `GET /api/v1/mcp/tools` and `POST /api/v1/mcp/tools/call`.

use super::{read_call, say_when};
use crate::call;
use crate::observe::record::{AnswerKind, Outcome};
use crate::protocol::MODERN;
use crate::request::failure::Failure;
use crate::request::reply::{BodyKind, Reply};
use crate::serving::context::Context;

/// Tools on a page that does not say how many it wants.
const USUAL: usize = 50;

const MOST: usize = 1000;

/// Which page of the list is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wanted {
    page: usize,
    limit: usize,
}

/// The tools, page by page. `tenant_id` must be the caller's own, where callers have tenants.
pub fn list(context: &Context<'_>, reply: &mut Reply) -> Result<(), Failure> {
    let query = context.head.uri.query().unwrap_or_default();
    let Wanted { page, limit } = wanted(query)?;
    check_tenant(context, query)?;
    let total = context.view.count();
    let start = (page - 1).saturating_mul(limit);
    let out = &mut reply.body;
    out.extend_from_slice(b"{\"tools\":[");
    context.view.write_entries(MODERN, start, limit, out);
    out.extend_from_slice(format!("],\"page\":{page},\"limit\":{limit},\"total\":{total}}}").as_bytes());
    reply.kind = BodyKind::Json;
    context.answered(None, AnswerKind::List, reply.body.len());
    Ok(())
}

/// A call; the answer is an MCP result.
pub async fn call(context: &Context<'_>, body: &[u8], reply: &mut Reply) -> Result<(), Failure> {
    let call = read_call(context, body, "name", "arguments")?;
    reply.body.push(b'{');
    let done = call::perform(context, &call, &mut reply.body).await;
    if done.outcome == Outcome::Ok {
        reply.body.extend_from_slice(b",\"isError\":false");
    }
    reply.body.push(b'}');
    reply.kind = BodyKind::Json;
    if done.outcome == Outcome::RateLimited {
        reply.status = 429;
        say_when(&done, reply);
    }
    Ok(())
}

fn check_tenant(context: &Context<'_>, query: &str) -> Result<(), Failure> {
    let asked = query.split('&').filter_map(|pair| pair.strip_prefix("tenant_id="));
    let own = context.request.caller.tenant();
    match own {
        // Names of tenants need no encoding.
        Some(own) if asked.clone().any(|asked| asked != own) => {
            Err(context.view.catalog().directory.other_tenant())
        }
        _ => Ok(()),
    }
}

fn wanted(query: &str) -> Result<Wanted, Failure> {
    let mut wanted = Wanted { page: 1, limit: USUAL };
    for pair in query.split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let slot = match key {
            "page" => &mut wanted.page,
            "limit" => &mut wanted.limit,
            _ => continue,
        };
        let most = if key == "limit" { MOST } else { usize::MAX };
        *slot = value.parse().ok().filter(|number| (1..=most).contains(number)).ok_or_else(|| {
            let range = if key == "limit" { format!("from 1 to {MOST}") } else { "from 1 on".to_owned() };
            Failure::InvalidParams(format!("`{key}` must be a number {range}").into())
        })?;
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_numbers_in_range() {
        assert_eq!(wanted("tenant_id=t&page=2&limit=10"), Ok(Wanted { page: 2, limit: 10 }));
        assert_eq!(wanted(""), Ok(Wanted { page: 1, limit: USUAL }));
        for query in
            ["page=0", "page=x", "limit=0", "limit=1001", "page=", "page=-1", "limit=99999999999999999999"]
        {
            assert!(wanted(query).is_err(), "{query}");
        }
    }
}
