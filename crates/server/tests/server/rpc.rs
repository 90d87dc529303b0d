//! JSON-RPC 2.0: requests, notifications, batches and what is wrong with them.

use crate::support::Shop;
use serde_json::{Value, json};

#[test]
fn requests_are_answered_one_by_one_and_in_batches() {
    let shop = Shop::open();
    let call = |id: Value| json!({"jsonrpc": "2.0", "id": id, "method": "symbol", "params": {"name": "charge"}});
    for id in [json!(7), json!("seven"), json!(null)] {
        let (status, reply) = shop.post("/rpc", &call(id.clone()));
        assert!(
            status == 200
                && reply["id"] == id
                && reply["result"]["symbols"][0]["symbol"] == "charge",
            "{reply}"
        );
    }
    let dotted = json!({"jsonrpc": "2.0", "id": 1, "method": "context_pack.list"});
    assert!(shop.post("/rpc", &dotted).1["result"]["packs"].is_array());
    let note = json!({"jsonrpc": "2.0", "method": "status"});
    assert_eq!(shop.post("/rpc", &note), (204, json!("")));
    let (_, replies) = shop.post("/rpc", &json!([call(json!(1)), note, call(json!(2)), 5]));
    let ids: Vec<&Value> = replies.as_array().unwrap().iter().map(|reply| &reply["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!(2), &json!(null)]);
    assert_eq!(shop.post("/rpc", &json!([note, note])), (204, json!("")));
}

#[test]
fn what_is_wrong_has_the_codes_of_the_standard() {
    let shop = Shop::open();
    let check = |body: &str, code: i64| {
        let (status, text) = shop.ask("POST", "/rpc", "Host: localhost\r\n", body);
        let reply: Value = serde_json::from_str(&text).unwrap();
        let expected = match code {
            -32000 => 200,
            -32601 => 404,
            _ => 400,
        };
        assert_eq!(
            (status, reply["error"]["code"].as_i64()),
            (expected, Some(code)),
            "{body}: {reply}"
        );
    };
    check("{not json", -32700);
    check("[]", -32600);
    check("5", -32600);
    check(r#"{"id":1,"method":"status"}"#, -32600);
    check(r#"{"jsonrpc":"2.0","id":{},"method":"status"}"#, -32600);
    check(r#"{"jsonrpc":"2.0","id":1}"#, -32600);
    check(r#"{"jsonrpc":"2.0","id":1,"method":"no_such"}"#, -32601);
    check(r#"{"jsonrpc":"2.0","id":1,"method":"symbol","params":["charge"]}"#, -32602);
    check(r#"{"jsonrpc":"2.0","id":1,"method":"symbol","params":{"name":5}}"#, -32602);
    check(
        r#"{"jsonrpc":"2.0","id":1,"method":"symbol","params":{"name":"no_such_thing"}}"#,
        -32000,
    );
    check(&format!("[{}]", vec!["5"; 51].join(",")), -32600);
}
