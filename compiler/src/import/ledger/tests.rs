use super::*;
use proptest::prelude::*;

/// The findings of an audit: fate, code, place, members.
fn findings(ledger: Ledger<'_>) -> Vec<String> {
    let fidelity = ledger.audit(&BTreeMap::new());
    let line = |found: &Finding| format!("{:?} {} {} {}", found.fate, found.code, found.place, found.members);
    fidelity.findings.iter().map(line).collect()
}

#[test]
fn what_nobody_reads_is_a_finding() {
    let document =
        Json::read(r#"{"name":"a","size":{"x":1,"y":[]},"x-own":true,"new":{"a":[1,2]},"a/b":3}"#).unwrap();
    let ledger = Ledger::new(&document);
    ledger.open(&document);
    assert_eq!(ledger.text(&document, "name"), Some("a"));
    let size = ledger.object(&document, "size").unwrap();
    assert_eq!(ledger.number(size, "x"), Some("1"));
    assert!(ledger.list(size, "y").is_empty());
    assert_eq!(
        findings(ledger),
        [
            "Kept  /name 1",
            "Kept  /size 1",
            "Changed vendor-extension /x-own 1",
            "Refused unknown-member /new 2",
            "Refused unknown-member /a~1b 1",
        ]
    );
}

#[test]
fn the_wrong_kind_of_value_is_refused() {
    let document = Json::read(r#"{"name":{"a":1},"list":{},"flag":"yes"}"#).unwrap();
    let ledger = Ledger::new(&document);
    ledger.open(&document);
    assert_eq!(ledger.text(&document, "name"), None);
    assert!(ledger.list(&document, "list").is_empty());
    assert_eq!(ledger.boolean(&document, "flag"), None);
    assert_eq!(ledger.text(&document, "gone"), None);
    assert_eq!(
        findings(ledger),
        ["Refused wrong-kind /name 1", "Refused wrong-kind /list 1", "Refused wrong-kind /flag 1"]
    );
}

#[test]
fn the_worse_of_two_marks_holds() {
    let document = Json::read(r#"{"a":1,"b":{"c":2}}"#).unwrap();
    let ledger = Ledger::new(&document);
    ledger.open(&document);
    let (a, b) = (document.get("a").unwrap(), document.get("b").unwrap());
    ledger.change(a, &codes::NAME_CHANGED, "cut");
    ledger.keep(a);
    ledger.leave_out(b, &codes::NOT_SELECTED, "not asked for");
    ledger.keep(b);
    assert_eq!(findings(ledger), ["Changed name-changed /a 1", "Kept  /b 1"]);
}

#[test]
fn what_the_check_refuses_overrides_its_marks() {
    let document = Json::read(r#"{"a":{"b":1,"c":2},"d":3}"#).unwrap();
    let ledger = Ledger::new(&document);
    ledger.keep(&document);
    let refused = BTreeMap::from([("/a".to_owned(), (&codes::REFUSED_BY_CHECK, "bad".to_owned()))]);
    let whole = ledger.audit(&refused);
    assert_eq!((whole.kept, whole.refused), (3, 0), "a mark about all is not looked into");
    let ledger = Ledger::new(&document);
    ledger.open(&document);
    ledger.keep(document.get("a").unwrap());
    ledger.keep(document.get("d").unwrap());
    let fidelity = ledger.audit(&refused);
    assert_eq!((fidelity.kept, fidelity.refused, fidelity.per_mille()), (1, 2, 333));
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![Just(Json::Null), any::<i32>().prop_map(|n| Json::Number(n.to_string()))];
    leaf.prop_recursive(3, 30, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// Marks some values, as the numbers say.
fn mark_some(ledger: &Ledger<'_>, value: &Json, choices: &mut impl Iterator<Item = u8>) {
    match choices.next() {
        Some(0) => ledger.keep(value),
        Some(1) => ledger.refuse(value, &codes::WRONG_KIND, "no"),
        Some(2) => ledger.change(value, &codes::NAME_CHANGED, "other"),
        Some(3) => ledger.leave_out(value, &codes::NOT_SELECTED, "not asked for"),
        Some(4) => {}
        _ => {
            ledger.open(value);
            let inside: Vec<&Json> = match value {
                Json::Array(items) => items.iter().collect(),
                Json::Object(members) => members.iter().map(|(_, value)| value).collect(),
                _ => Vec::new(),
            };
            for value in inside {
                mark_some(ledger, value, choices);
            }
        }
    }
}

proptest! {
    #[test]
    fn every_value_is_accounted_for(json in json(), choices in prop::collection::vec(0..9_u8, 0..40)) {
        let ledger = Ledger::new(&json);
        mark_some(&ledger, &json, &mut choices.into_iter());
        let fidelity = ledger.audit(&BTreeMap::new());
        let counted: usize = fidelity.findings.iter().map(|finding| finding.members).sum();
        prop_assert_eq!(counted, fidelity.kept + fidelity.others());
        // An open list or object that is empty has no members to account for.
        prop_assert!(counted <= members(&json), "{} of {}", counted, members(&json));
    }
}
