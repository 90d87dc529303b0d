//! Clients that are slow, silent or gone take little and hold nobody up.

use crate::support::{Shop, response};
use contextd_testkit::Fixture;
use serde_json::json;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

fn hurried() -> Shop {
    Shop::with(Fixture::shop(), |options| {
        options.limits.head_time = Duration::from_millis(300);
        options.limits.body_time = Duration::from_millis(300);
        options.limits.stall_time = Duration::from_millis(300);
        options.limits.connections = 8;
    })
}

#[test]
fn slow_heads_and_bodies_are_given_up() {
    let shop = hurried();
    let mut head = shop.connect();
    head.write_all(b"GET /stats HTTP/1.1\r\nHost: loc").unwrap();
    let mut body = shop.connect();
    body.write_all(b"POST /v1/symbol HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 100\r\n\r\n{\"na").unwrap();
    let (status, text) = response(&mut body);
    assert!(status == 408 && text.contains("CTX_E_SLOW"), "{status} {text}");
    let mut rest = Vec::new();
    let start = Instant::now();
    let _ = head.read_to_end(&mut rest);
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(shop.get("/stats").0, 200);
}

#[test]
fn silent_connections_make_room_for_others() {
    let shop = hurried();
    let silent: Vec<_> = (0..40).map(|_| shop.connect()).collect();
    assert_eq!(shop.get("/stats").0, 200);
    drop(silent);
}

#[test]
fn who_does_not_read_is_let_go() {
    let shop = hurried();
    let ask = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(200);
    let greedy: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = shop.connect();
            stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
            let _ = stream.write_all(ask.as_bytes());
            stream
        })
        .collect();
    // All places are taken by clients that never read; this one waits until they are let go.
    assert_eq!(shop.get("/stats").0, 200);
    drop(greedy);
}

#[test]
fn a_stopped_server_answers_what_was_asked() {
    let shop = Shop::open();
    assert_eq!(shop.post("/v1/symbol", &json!({"name": "charge"})).0, 200);
    let address = shop.server.address();
    let mut stream = shop.connect();
    let body = json!({"task": "charge the card now"}).to_string();
    write!(stream, "POST /v1/context_for_task HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    shop.server.stop().unwrap();
    let (status, _) = response(&mut stream);
    assert_eq!(status, 200);
    assert!(std::net::TcpStream::connect(address).is_err());
}
