//! `tools/list`: pages and cursors.

use crate::support::Bench;
use serde_json::{Value, json};

fn spec(names: &[String]) -> String {
    let tool = |name: &String| {
        format!(
            "[[tool]]\nname = \"{name}\"\ndescription = \"Says what it is called, nothing more.\"\nrespond = \"{name}\"\n"
        )
    };
    names.iter().map(tool).collect()
}

fn names(numbers: impl Iterator<Item = u32>) -> Vec<String> {
    numbers.map(|number| format!("tool_{number:03}")).collect()
}

fn paged(names: &[String]) -> Bench {
    Bench::with(&[("many.toml", &spec(names))], |settings| settings.list.page = 10)
}

fn page(result: &Value) -> (Vec<String>, Option<String>) {
    let tools = result["tools"].as_array().unwrap();
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    (names, result["nextCursor"].as_str().map(str::to_owned))
}

fn read(bench: &Bench, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
    let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
    let modern = page(&bench.modern("tools/list", params.clone()).json()["result"]);
    let legacy = page(&bench.legacy("tools/list", params).json()["result"]);
    assert_eq!(modern, legacy);
    modern
}

#[test]
fn pages_follow_each_other_to_the_last() {
    for count in [1, 9, 10, 11, 20, 25] {
        let all = names(0..count);
        let bench = paged(&all);
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let (page, next) = read(&bench, cursor.as_deref());
            assert!(page.len() <= 10);
            seen.extend(page);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, all, "{count}");
    }
}

#[test]
fn a_cursor_means_the_same_place_after_a_swap() {
    let bench = paged(&names(0..25));
    let (_, cursor) = read(&bench, None);
    // Tools before and after the cursor came and went, the one it names too.
    let now = names((0..30).filter(|number| number % 3 != 0));
    bench.activate(&[("many.toml", &spec(&now))]);
    let (page, _) = read(&bench, cursor.as_deref());
    let expected: Vec<&String> = now.iter().filter(|name| name.as_str() > "tool_009").take(10).collect();
    assert_eq!(page.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn an_invalid_cursor_is_an_invalid_parameter() {
    let bench = paged(&names(0..25));
    for cursor in [
        json!("x"),
        json!(""),
        json!("dG9vbF8wMDk"),
        json!(7),
        json!(null),
        json!("é"),
        json!("a".repeat(9999)),
    ] {
        let said = bench.modern("tools/list", json!({"cursor": cursor}));
        assert_eq!((said.status, said.code()), (200, -32602), "{cursor}");
    }
}

#[test]
fn the_list_says_how_long_it_holds() {
    let bench = Bench::shop();
    let result = bench.modern("tools/list", json!({})).json()["result"].clone();
    assert_eq!(result["ttlMs"], 60000);
    assert_eq!(result["cacheScope"], "public");
    assert_eq!(result["resultType"], "complete");
}

#[test]
fn an_empty_list_is_a_list() {
    let bench = Bench::new(&[]);
    assert_eq!(read(&bench, None), (vec![], None));
}
