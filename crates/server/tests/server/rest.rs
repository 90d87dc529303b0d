//! The operations over REST, and the service's own routes.

use crate::support::Shop;
use contextd_ops::OPERATIONS;
use serde_json::json;

#[test]
fn services_ask_in_their_own_words_and_in_the_tools() {
    let shop = Shop::open();
    for body in [
        json!({"q": "idle sessions expire", "k": 3, "filters": {"lang": "typescript"}}),
        json!({"query": "idle sessions expire", "k": 3}),
    ] {
        let (status, found) = shop.post("/query_context", &body);
        assert_eq!(
            (status, found["hits"][0]["filePath"].as_str()),
            (200, Some("web/session.ts")),
            "{found}"
        );
        assert!(found.get("q_embed_model").is_some());
    }
    let (status, symbol) = shop.post("/v1/symbol", &json!({"name": "charge"}));
    assert_eq!(
        (status, symbol["symbols"][0]["callers"][0]["symbol"].as_str()),
        (200, Some("checkout")),
        "{symbol}"
    );
    assert_eq!(shop.get("/health"), (200, "ok".to_owned()));
    assert_eq!(shop.get("/stats").0, 200);
    assert!(shop.get("/v1").1.contains("context_for_task"));
}

#[test]
fn every_operation_has_a_route_and_a_description() {
    let shop = Shop::open();
    let (_, text) = shop.get("/openapi.json");
    let api: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(!text.contains("#/$defs/"));
    for operation in OPERATIONS {
        let path = &api["paths"][format!("/v1/{}", operation.name)];
        assert!(path["post"]["requestBody"].is_object(), "{}", operation.name);
        let got = shop.get(&format!("/v1/{}", operation.name)).0;
        assert_eq!(
            path.get("get").is_some(),
            got != 405,
            "{} answers GET with {got}",
            operation.name
        );
    }
}

#[test]
fn wrong_methods_and_paths_are_refused_with_codes() {
    let shop = Shop::open();
    for (method, path, status, code) in [
        ("GET", "/v1/rebuild_context", 405, "CTX_E_METHOD"),
        ("DELETE", "/stats", 405, "CTX_E_METHOD"),
        ("GET", "/nothing", 404, "CTX_E_NOT_FOUND"),
        ("POST", "/v1/nothing", 404, "CTX_E_NOT_FOUND"),
    ] {
        let (got, body) = shop.ask(method, path, "Host: localhost\r\n", "");
        assert!(got == status && body.contains(code), "{method} {path}: {got} {body}");
    }
}

#[test]
fn metrics_count_what_was_asked() {
    let shop = Shop::open();
    shop.post("/v1/symbol", &json!({"name": "charge"}));
    shop.post("/v1/symbol", &json!({"name": "no_such_thing"}));
    let (status, text) = shop.get("/metrics");
    assert_eq!(status, 200);
    for line in [
        "contextd_http_requests_total{route=\"/v1/symbol\",status=\"200\"} 1",
        "contextd_http_requests_total{route=\"/v1/symbol\",status=\"404\"} 1",
        "contextd_http_request_seconds_count{route=\"/v1/symbol\"} 2",
        "contextd_index_complete 1",
        "contextd_indexed_files 7",
        "# TYPE contextd_queries_total counter",
        "contextd_judgements 0",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

#[test]
fn given_texts_lie_over_the_files_until_they_are_deleted() {
    let shop = Shop::open();
    let signature = || shop.post("/v1/status", &json!({})).1["indexSignature"].clone();
    let find = |name: &str| shop.post("/v1/symbol", &json!({ "name": name })).0;
    shop.post("/v1/symbol", &json!({"name": "charge"}));
    let before = signature();

    let (status, added) = shop.post("/add_context", &json!({"file_path": "shop/draft.py", "content": "def unsaved_discount(cart):\n    return cart\n"}));
    assert!(status == 200 && added["chunks"].as_u64() > Some(0), "{added}");
    assert_ne!(before, signature());
    assert_eq!(find("unsaved_discount"), 200);
    // Its text is shown although no file has it, and it outlives looks at the work tree.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let (_, symbol) = shop.post("/v1/symbol", &json!({"name": "unsaved_discount"}));
    assert!(
        symbol["symbols"][0]["source"].as_str().unwrap().contains("return cart")
            && symbol["symbols"][0]["stale"] == false,
        "{symbol}"
    );
    assert!(!shop.fixture.path("shop/draft.py").exists());

    // Over an existing file, and away again.
    shop.post(
        "/add_context",
        &json!({"file_path": "shop/payment.py", "content": "def charge_twice():\n    return 2\n"}),
    );
    assert_eq!((find("charge_twice"), find("refund")), (200, 404));
    let (status, read) = shop.post("/add_context", &json!({"file_path": "shop/payment.py"}));
    assert_eq!(
        (status, read["overlay"].as_bool(), find("charge_twice"), find("refund")),
        (200, Some(false), 404, 200),
        "{read}"
    );
    assert_eq!(
        shop.post("/delete_context", &json!({"file_path": "shop/draft.py"})).1,
        json!({"deleted": true})
    );
    assert_eq!(find("unsaved_discount"), 404);
    assert_eq!(before, signature());
}

#[test]
fn a_deleted_file_stays_out_until_it_is_refreshed() {
    let shop = Shop::open();
    let find = || shop.post("/v1/symbol", &json!({"name": "refund"})).0;
    assert_eq!(find(), 200);
    assert_eq!(
        shop.post("/delete_context", &json!({"file_path": "shop/payment.py"})).1,
        json!({"deleted": true})
    );
    assert_eq!(find(), 404);
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    assert_eq!(find(), 404, "a look at the work tree brought it back");
    assert_eq!(
        shop.post("/delete_context", &json!({"file_path": "shop/nothing.py"})).1,
        json!({"deleted": false})
    );
    let (_, done) = shop.post("/v1/refresh_context", &json!({"paths": ["shop"], "async": false}));
    assert_eq!((done["status"].as_str(), find()), (Some("completed"), 200));
}

#[test]
fn secrets_in_given_texts_are_not_kept() {
    let shop = Shop::open();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    shop.post(
        "/add_context",
        &json!({"file_path": "shop/conf.py", "content": format!("TOKEN = \"{secret}\"\n")}),
    );
    let ledger = std::fs::read(shop.fixture.path(".contextd/index/ledger.db")).unwrap();
    let wal = std::fs::read(shop.fixture.path(".contextd/index/ledger.db-wal")).unwrap_or_default();
    assert!(
        ![ledger, wal]
            .iter()
            .any(|bytes| bytes.windows(secret.len()).any(|part| part == secret.as_bytes()))
    );
    let (status, found) = shop.post("/v1/query_context", &json!({"query": "TOKEN"}));
    assert!(status == 200 && !found.to_string().contains(&secret));
}

#[test]
fn a_task_gets_its_context_block_and_prompt() {
    let shop = Shop::open();
    let (status, task) = shop.post("/v1/task_context", &json!({"taskId": "123", "title": "Charge the card at checkout", "type": "BUGFIX", "complexity": 2}));
    assert_eq!((status, task["budget"]["maxTokens"].as_u64()), (200, Some(840)), "{task}");
    let prompt = task["prompt"].as_str().unwrap();
    assert!(
        prompt.starts_with("You are executing task #123: Charge the card")
            && prompt.contains("<project_context>")
            && prompt.contains("def checkout"),
        "{prompt}"
    );
    assert!(
        task["totalTokens"].as_u64() <= Some(840)
            && !task["snippets"].as_array().unwrap().is_empty()
    );
    // A failing engine yields an empty context when told to, an error when not.
    let odd = json!({"title": "charge", "languages": ["no-such-language"]});
    assert_eq!(shop.post("/v1/task_context", &json!({"title": " "})).0, 400);
    assert!([200, 400].contains(&shop.post("/v1/task_context", &odd).0));
}

#[test]
fn an_entity_that_is_not_there_is_not_found() {
    let shop = Shop::open();
    let (status, body) =
        shop.post("/v1/code_graph_context", &json!({"entities": ["no_such_thing"]}));
    assert_eq!((status, body["error"].as_str()), (404, Some("entity_not_found")), "{body}");
    assert_eq!(shop.post("/v1/code_graph_context", &json!({"entities": ["charge"]})).0, 200);
}
