//! The client: embedded, then the service, then empty.

use crate::support::{Shop, bare, context};
use contextd_model::config::Mode;
use contextd_server::client::{Client, ClientOptions, Source};
use contextd_testkit::Fixture;
use serde_json::json;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

fn options(address: String, mode: Mode, fallback: bool) -> ClientOptions {
    ClientOptions {
        mode,
        retries: 2,
        fallback,
        timeout: Duration::from_secs(20),
        ..ClientOptions::service(address)
    }
}

#[test]
fn the_nearest_engine_answers() {
    let shop = Shop::open();
    shop.post("/v1/status", &json!({}));
    let address = shop.server.address().to_string();
    let input = json!({"title": "charge the card at checkout"});
    let client =
        Client::new(Some(context(&shop.fixture)), options(address.clone(), Mode::Hybrid, false));
    let near = client.ask("task_context", input.clone()).unwrap();
    assert_eq!(near.source, Source::Embedded);

    // An engine without an index: the service has one.
    let empty = Fixture::empty();
    let client = Client::new(Some(bare(&empty)), options(address.clone(), Mode::Hybrid, false));
    let far =
        client.ask("context_for_task", json!({"task": "charge the card at checkout"})).unwrap();
    assert_eq!((far.source, far.failures[0].code), (Source::Service, "POC_E_INDEX_MISSING"));
    assert!(far.value.to_string().contains("def checkout"));

    // What is wrong with the request is not asked twice.
    let client = Client::new(None, options(address, Mode::Standalone, true));
    assert_eq!(
        client.ask("symbol", json!({"name": "no_such_thing"})).unwrap_err().code,
        "CTX_E_NOT_FOUND"
    );
    assert_eq!(client.ask("task_context", input).unwrap().source, Source::Service);
}

#[test]
fn nobody_there_means_empty_or_an_error() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let open = Client::new(None, options(free.clone(), Mode::Hybrid, true))
        .ask("task_context", json!({"title": "x"}))
        .unwrap();
    assert_eq!(
        (open.source, open.value["snippets"].as_array().map(Vec::len)),
        (Source::Empty, Some(0))
    );
    let error = Client::new(None, options(free, Mode::Hybrid, false))
        .ask("task_context", json!({"title": "x"}))
        .unwrap_err();
    assert_eq!(error.code, "CTX_E_UNREACHABLE");
}

#[test]
fn a_silent_service_is_tried_again_for_reading_only() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let tries = Arc::new(AtomicU32::new(0));
    let counted = tries.clone();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept() {
            counted.fetch_add(1, Ordering::SeqCst);
            held.push(stream);
        }
    });
    let options = ClientOptions {
        timeout: Duration::from_millis(150),
        ..options(address, Mode::Standalone, false)
    };
    let client = Client::new(None, options);
    let start = Instant::now();
    assert_eq!(client.ask("status", json!({})).unwrap_err().code, "CTX_E_TIMEOUT");
    assert!(tries.load(Ordering::SeqCst) == 3 && start.elapsed() < Duration::from_secs(10));
    assert_eq!(
        client.ask("rebuild_context", json!({"confirm": true})).unwrap_err().code,
        "CTX_E_TIMEOUT"
    );
    assert_eq!(tries.load(Ordering::SeqCst), 4, "what changes something is asked once");
}
