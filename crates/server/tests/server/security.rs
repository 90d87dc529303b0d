//! Strangers: refused with a code, nothing leaked, and the server lives on.

use crate::support::Shop;
use contextd_testkit::Fixture;
use serde_json::{Value, json};

const LOCAL: &str = "Host: localhost\r\n";

#[test]
fn keys_hosts_and_origins_are_checked_on_every_route() {
    let shop = Shop::with(Fixture::shop(), |options| options.key = Some("sesame".to_owned()));
    let key = "Host: localhost\r\nAuthorization: Bearer sesame\r\n";
    for (method, path) in [
        ("GET", "/stats"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("POST", "/rpc"),
        ("POST", "/mcp"),
        ("POST", "/v1/symbol"),
        ("POST", "/add_context"),
        ("GET", "/nowhere"),
    ] {
        for (headers, status, code) in [
            (LOCAL.to_owned(), 401, "CTX_E_KEY"),
            ("Host: localhost\r\nAuthorization: Bearer sesam\r\n".to_owned(), 401, "CTX_E_KEY"),
            ("Host: localhost\r\nAuthorization: Bearer sesame2\r\n".to_owned(), 401, "CTX_E_KEY"),
            ("Host: localhost\r\nX-API-Key: open\r\n".to_owned(), 401, "CTX_E_KEY"),
            (key.replace("localhost", "evil.example"), 403, "CTX_E_HOST"),
            (key.replace("localhost", "127.0.0.1.evil.example:80"), 403, "CTX_E_HOST"),
            (format!("{key}Origin: https://evil.example\r\n"), 403, "CTX_E_ORIGIN"),
            (format!("{key}Origin: null\r\n"), 403, "CTX_E_ORIGIN"),
            (format!("{key}Origin: http://localhost.evil.example\r\n"), 403, "CTX_E_ORIGIN"),
        ] {
            let (got, body) = shop.ask(method, path, &headers, "{}");
            assert!(
                got == status && body.contains(code),
                "{method} {path} {headers}: {got} {body}"
            );
            assert!(!body.contains("sesame") && !body.contains("checkout"), "{body}");
        }
    }
    assert_eq!(
        shop.ask("GET", "/stats", &format!("{key}Origin: http://localhost:3000\r\n"), "").0,
        200
    );
    assert_eq!(shop.ask("GET", "/stats", "Host: [::1]:80\r\nX-API-Key: sesame\r\n", "").0, 200);
    assert_eq!(shop.ask("GET", "/health", LOCAL, "").0, 200);
    assert_eq!(shop.ask("GET", "/health", "Host: evil.example\r\n", "").0, 403);
}

/// Every field that takes a path, with the operation that has it.
const PATHS: &[(&str, &str)] = &[
    ("context_for_files", "paths"),
    ("refresh_context", "paths"),
    ("rebuild_context", "paths"),
    ("check_file", "paths"),
    ("add_context", "file_path"),
    ("delete_context", "file_path"),
    ("impact", "target"),
    ("symbol", "name"),
    ("context_for_task", "within"),
    ("query_context", "scope"),
    ("task_context", "paths"),
    ("context_pack_get", "packId"),
    ("schema", "name"),
];

#[test]
fn no_path_leads_out_of_the_root() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.py");
    std::fs::write(&secret, "def launch_code_4711():\n    return 'xyzzy'\n").unwrap();
    let shop = Shop::open();
    let name = outside.path().file_name().unwrap().to_str().unwrap();
    let ways = [
        secret.to_str().unwrap().to_owned(),
        format!("../{name}/secret.py"),
        format!("shop/../../{name}/secret.py"),
        format!("./../{name}/secret.py"),
        format!("..\\{name}\\secret.py"),
        format!("%2e%2e/{name}/secret.py"),
        format!("../{name}/secret.py\0.py"),
        "/etc/passwd".to_owned(),
        "../../../../../../etc/passwd".to_owned(),
    ];
    for (operation, field) in PATHS {
        for way in &ways {
            let value = match *field {
                "paths" | "within" => json!([way]),
                "scope" => json!({"paths": [way]}),
                _ => json!(way),
            };
            let mut input = json!({"task": "launch code", "query": "launch code", "title": "launch code", "confirm": true, "async": false});
            input[*field] = value;
            let (status, answer) = shop.post(&format!("/v1/{operation}"), &input);
            let text = answer.to_string();
            assert!(status < 500, "{operation} {way}: {status} {text}");
            assert!(
                !text.contains("xyzzy")
                    && !text.contains("launch_code_4711")
                    && !text.contains("root:"),
                "{operation} {way}: {text}"
            );
        }
    }
    for path in ["/../etc/passwd", "/v1/../../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd"] {
        let (status, body) = shop.get(path);
        assert!((400..500).contains(&status) && !body.contains("root:"), "{path}: {status}");
    }
    assert_eq!(
        shop.post("/v1/refresh_context", &json!({"paths": ["../x"]})).1["error"]["code"],
        "CTX_E_OUTSIDE_ROOT"
    );
    assert_eq!(
        shop.post("/v1/refresh_context", &json!({"paths": ["nowhere/x.py"]})).1["error"]["code"],
        "CTX_E_NOT_FOUND"
    );
    assert_eq!(shop.post("/add_context", &json!({"file_path": "../x.py", "content": ""})).0, 403);
}

#[test]
fn a_link_that_leads_out_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(
        outside.path().join("secret.py"),
        "def launch_code_4711():\n    return 'xyzzy'\n",
    )
    .unwrap();
    let fixture = Fixture::shop();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), fixture.path("linked")).unwrap();
    let shop = Shop::with(fixture, |_| {});
    let (status, answer) = shop.post("/add_context", &json!({"file_path": "linked/secret.py"}));
    assert!(status >= 400 && !answer.to_string().contains("xyzzy"), "{status} {answer}");
    assert_eq!(shop.post("/v1/symbol", &json!({"name": "launch_code_4711"})).0, 404);
}

#[test]
fn files_that_are_left_out_cannot_be_put_in() {
    let fixture = Fixture::shop();
    fixture.write(".contextignore", "private/\n");
    let shop = Shop::with(fixture, |_| {});
    for path in ["private/x.py", ".git/config", ".contextd/index/ledger.db", "a.secret"] {
        let (status, answer) =
            shop.post("/add_context", &json!({"file_path": path, "content": "x = 1\n"}));
        assert_eq!(
            (status, answer["error"]["code"].as_str()),
            (403, Some("CTX_E_EXCLUDED")),
            "{path}: {answer}"
        );
    }
}

#[test]
fn bodies_that_are_no_requests_are_refused() {
    let shop = Shop::open();
    let deep = "[".repeat(200_000);
    let nested = format!("{}{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    let wide = format!("{{\"name\":\"x\",\"a\":[{}1]}}", "1,".repeat(300_000));
    for path in ["/v1/symbol", "/query_context", "/add_context", "/v1/context_pack_create"] {
        for body in [
            "{not json",
            "5",
            "[]",
            "null",
            "\"text\"",
            "{\"name\":5,\"query\":5,\"file_path\":5}",
            "\u{0}\u{1}",
            &deep,
            &nested,
        ] {
            let (status, answer) = shop.ask("POST", path, LOCAL, body);
            assert!(
                status == 400 && answer.contains("CTX_E_REQUEST"),
                "{path} {:.20}: {status} {answer}",
                body
            );
        }
    }
    assert!(shop.ask("POST", "/v1/symbol", LOCAL, &wide).0 < 500);
    let (status, answer) = shop.ask("POST", "/v1/symbol", LOCAL, &"x".repeat(2 << 20));
    assert!(
        status == 0 || (status == 413 && answer.contains("CTX_E_TOO_LARGE")),
        "{status} {answer}"
    );
    // Invalid UTF-8, a wrong length and a strange head end the connection, not the server.
    for bytes in [&b"POST /v1/symbol HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 4\r\n\r\n\xff\xfe\"{"[..], b"POST /v1/symbol HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n"] {
        use std::io::Write as _;
        let mut stream = shop.connect();
        stream.write_all(bytes).unwrap();
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let (status, _) = crate::support::response(&mut stream);
        assert!(status == 0 || (400..600).contains(&status), "{status}");
    }
    assert_eq!(shop.get("/stats").0, 200);
}

#[test]
fn errors_do_not_tell_about_the_machine() {
    let shop = Shop::open();
    let root = shop.fixture.root().to_str().unwrap().to_owned();
    for (path, body) in [
        ("/v1/symbol", json!({"name": "x y z"})),
        ("/v1/context_for_files", json!({"paths": ["none.py"]})),
        ("/v1/context_pack_get", json!({"packId": "abcdef"})),
        ("/add_context", json!({"file_path": "none.py"})),
    ] {
        let (_, answer): (u16, Value) = shop.post(path, &body);
        assert!(!answer.to_string().contains(&root), "{path}: {answer}");
    }
}
