//! Planted secrets of every kind must go; look-alikes must stay.
//!
//! The secrets are put together at run time, so that this file holds none.

use super::{MARK, Scrubber};

/// A value that looks random: `length` letters of `alphabet`, always the same for the same `seed`.
fn random(alphabet: &str, length: usize, seed: u64) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        letters[(state >> 33) as usize % letters.len()]
    };
    (0..length).map(|_| next()).collect()
}

const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ALNUM: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

fn uuid(seed: u64) -> String {
    [8, 4, 4, 4, 12]
        .iter()
        .enumerate()
        .map(|(part, &length)| random(HEX, length, seed + part as u64))
        .collect::<Vec<_>>()
        .join("-")
}

/// Prefix, alphabet and length of keys that consist of a prefix and a run.
const PREFIXED: &[(&str, &str, &str, usize)] = &[
    ("github-pat", "ghp_", ALNUM, 36),
    ("github-oauth-token", "gho_", ALNUM, 36),
    ("github-app-token", "ghu_", ALNUM, 36),
    ("github-app-token", "ghs_", ALNUM, 36),
    ("github-refresh-token", "ghr_", ALNUM, 36),
    ("github-fine-grained-pat", "github_pat_", ALNUM, 82),
    ("gitlab-pat", "glpat-", ALNUM, 20),
    ("gitlab-token", "glrt-", ALNUM, 20),
    ("atlassian-api-token", "ATATT3xFfGF0", ALNUM, 180),
    ("figma-pat", "figd_", ALNUM, 40),
    ("linear-key", "lin_api_", ALNUM, 40),
    ("npm-token", "npm_", ALNUM, 36),
    ("pypi-token", "pypi-AgEIcHlwaS5vcmc", ALNUM, 120),
    ("rubygems-key", "rubygems_", HEX, 48),
    ("docker-token", "dckr_pat_", ALNUM, 27),
    ("aws-access-key-id", "AKIA", UPPER, 16),
    ("aws-access-key-id", "ASIA", UPPER, 16),
    ("google-api-key", "AIza", ALNUM, 35),
    ("google-oauth-secret", "GOCSPX-", ALNUM, 28),
    ("google-oauth-token", "ya29.", ALNUM, 60),
    ("digitalocean-token", "dop_v1_", HEX, 64),
    ("databricks-token", "dapi", HEX, 32),
    ("vault-token", "hvs.", ALNUM, 90),
    ("doppler-token", "dp.pt.", ALNUM, 43),
    ("pulumi-token", "pul-", HEX, 40),
    ("tailscale-key", "tskey-auth-", ALNUM, 30),
    ("grafana-token", "glsa_", ALNUM, 41),
    ("new-relic-key", "NRAK-", UPPER, 27),
    ("sentry-token", "sntrys_", ALNUM, 80),
    ("stripe-key", "sk_live_", ALNUM, 24),
    ("stripe-key", "rk_live_", ALNUM, 24),
    ("stripe-webhook-secret", "whsec_", ALNUM, 32),
    ("square-token", "sq0atp-", ALNUM, 22),
    ("shopify-token", "shpat_", HEX, 32),
    ("mailgun-key", "key-", HEX, 32),
    ("twilio-key", "SK", HEX, 32),
    ("slack-token", "xoxb-123456789012-", ALNUM, 24),
    ("slack-token", "xoxp-123456789012-", ALNUM, 40),
    ("anthropic-key", "sk-ant-api03-", ALNUM, 93),
    ("openai-key", "sk-", ALNUM, 48),
    ("openai-key", "sk-proj-", ALNUM, 60),
    ("huggingface-token", "hf_", ALNUM, 34),
    ("groq-key", "gsk_", ALNUM, 52),
    ("replicate-token", "r8_", ALNUM, 37),
    ("notion-token", "secret_", ALNUM, 43),
    ("notion-token", "ntn_", ALNUM, 46),
    ("dropbox-token", "sl.", ALNUM, 135),
    ("postman-key", "PMAK-", ALNUM, 59),
    ("planetscale-secret", "pscale_tkn_", ALNUM, 43),
    ("age-secret-key", "AGE-SECRET-KEY-1", UPPER, 58),
    ("supabase-token", "sbp_", HEX, 40),
    ("netlify-token", "nfp_", ALNUM, 36),
    ("circleci-token", "CCIPAT_", ALNUM, 60),
];

fn check_gone(rule: &str, path: &str, text: &str, secret: &str) {
    let (scrubber, _) = Scrubber::new(&[], true);
    let scrubbed = scrubber.scrub(text, path);
    assert!(!scrubbed.text.contains(secret), "{rule} left in {}", scrubbed.text);
    assert!(scrubbed.text.contains(MARK), "{rule}: no mark in {}", scrubbed.text);
    let rules: Vec<&str> =
        scrubbed.redactions.iter().map(|redaction| redaction.rule.as_ref()).collect();
    assert!(rules.contains(&rule), "{rule} not among {rules:?} for {text}");
    assert_eq!(scrubbed.text.matches('\n').count(), text.matches('\n').count(), "{rule}");
}

#[test]
fn keys_with_a_prefix_are_gone() {
    for (seed, &(rule, prefix, alphabet, length)) in PREFIXED.iter().enumerate() {
        let secret = format!("{prefix}{}", random(alphabet, length, seed as u64 + 7));
        for text in [
            format!("call(\"{secret}\")\n"),
            format!("# {secret}\nx"),
            secret.clone(),
            format!("https://h/p?q={secret}&r=1"),
        ] {
            check_gone(rule, "src/main.py", &text, &secret);
        }
    }
}

/// Rule, path, text with `@` where the secret goes, secret.
fn composed() -> Vec<(&'static str, &'static str, &'static str, String)> {
    let hex = |length, seed| random(HEX, length, seed);
    let alnum = |length, seed| random(ALNUM, length, seed);
    let token = |parts: &[String]| parts.join(".");
    let jwt =
        token(&[format!("eyJ{}", alnum(33, 1)), format!("eyJ{}", alnum(60, 2)), alnum(43, 3)]);
    vec![
        ("password", "a.py", "password = \"@\"", ["super", "secret", "123"].join("_")),
        ("password", "a.py", "passwd='@'", "Tr0ub4dor&3".into()),
        ("password", "a.go", "\tPassword: \"@\",", "Zq8#kLm2!x".into()),
        ("password", "a.rs", "let pwd: &'static str = \"@\";", "pl4ne7-Gr4vel".into()),
        ("password", "a.ts", "const dbPassword: string = '@';", "n0t4w0rdAtAll".into()),
        ("password", "a.php", "define('DB_PASSWORD', '@');", "kd83Jd93kdP".into()),
        ("password", "a.xml", "<password>@</password>", "kd83Jd93kdP".into()),
        ("password", "a.xml", "<add key=\"Password\" value=\"@\"/>", "kd83Jd93kdP".into()),
        ("password", "a.json", "{\"s\": \"{\\\"password\\\": \\\"@\\\"}\"}", "kd83Jd93kdP".into()),
        ("password", "a.sql", "CREATE USER u WITH PASSWORD '@';", "kd83Jd93kdP".into()),
        ("password", ".env", "DB_PASSWORD=@", "kd83Jd93kdP".into()),
        ("password", ".env", "DB_PASSWORD=@", ["correct", "horse"].concat()),
        (
            "password",
            "deploy/prod.env",
            "export MYSQL_ROOT_PASSWORD='@'",
            ["root", "pw", "2024"].concat(),
        ),
        ("password", "app.properties", "spring.datasource.password = @", "kd83Jd93kdP".into()),
        ("password", "c.yml", "db:\n  password: @\n", "kd83Jd93kdP".into()),
        ("password", ".netrc", "machine h login me password @", "kd83Jd93kdP".into()),
        ("password", "run.sh", "tool --password @ --verbose", "kd83Jd93kdP".into()),
        (
            "password",
            "a.cs",
            "\"Server=db;User Id=sa;Password=@;Encrypt=true\"",
            "kd83Jd93kdP".into(),
        ),
        ("sql-identified-by", "a.sql", "CREATE USER u IDENTIFIED BY '@'", "kd83Jd93kdP".into()),
        ("curl-user", "a.md", "curl -s -u admin:@ https://h/", "kd83Jd93kdP".into()),
        ("api-key", "a.js", "apiKey: \"@\"", hex(32, 11)),
        ("api-key", "a.md", "curl -H 'X-Api-Key: @'", alnum(40, 12)),
        ("token", "a.rb", "access_token => '@'", alnum(30, 13)),
        ("token", "a.md", "GET /v1?access_token=@&x=1", alnum(30, 14)),
        ("secret", "a.java", "String clientSecret = \"@\";", alnum(32, 15)),
        ("api-key", "settings.py", "SECRET_KEY = '@'", format!("{}#*(-&", alnum(44, 16))),
        ("datadog-key", "a.py", "DATADOG_API_KEY = '@'", hex(32, 17)),
        ("heroku-key", ".env", "HEROKU_API_KEY=@", uuid(18)),
        ("fastly-token", "a.tf", "fastly_api_token = \"@\"", alnum(32, 19)),
        ("cloudflare-key", "a.tf", "cloudflare_api_key = \"@\"", hex(37, 20)),
        ("okta-token", "a.sh", "-H 'Authorization: SSWS @'", format!("00{}", alnum(40, 21))),
        ("pagerduty-token", "a.py", "pagerduty_token = \"@\"", alnum(20, 22)),
        ("twilio-auth-token", "a.py", "TWILIO_AUTH_TOKEN = '@'", hex(32, 23)),
        ("aws-secret-key", "credentials", "aws_secret_access_key = @", alnum(40, 24)),
        ("aws-secret-key", "a.py", "aws_secret_access_key='@'", alnum(40, 24)),
        (
            "slack-webhook",
            "a.py",
            "url = 'https://hooks.slack.com/services/@'",
            format!("T{}/B{}/{}", random(UPPER, 8, 1), random(UPPER, 8, 2), alnum(24, 3)),
        ),
        (
            "discord-webhook",
            "a.py",
            "'https://discord.com/api/webhooks/@'",
            format!("{}/{}", random("123456789", 18, 4), alnum(68, 5)),
        ),
        (
            "discord-token",
            "bot.py",
            "bot.run('@')",
            token(&[format!("M{}", alnum(23, 6)), alnum(6, 7), alnum(38, 8)]),
        ),
        (
            "telegram-bot-token",
            "a.py",
            "bot('@')",
            format!("{}:AA{}", random("123456789", 10, 9), alnum(33, 10)),
        ),
        ("sendgrid-key", "a.py", "send('@')", token(&["SG".into(), alnum(22, 1), alnum(43, 2)])),
        ("mailchimp-key", "a.py", "m('@')", format!("{}-us12", hex(32, 3))),
        (
            "azure-storage-key",
            "a.cs",
            "AccountName=a;AccountKey=@;EndpointSuffix=x",
            format!("{}==", alnum(86, 4)),
        ),
        (
            "azure-sas-signature",
            "a.md",
            "https://a/b?sv=2020&sig=@",
            format!("{}%3D", alnum(43, 5)),
        ),
        ("azure-client-secret", "a.tf", "x = \"@\"", format!("abc8Q~{}", alnum(34, 6))),
        (
            "terraform-cloud-token",
            "a.tf",
            "x(\"@\")",
            token(&[alnum(14, 7), "atlasv1".into(), alnum(60, 8)]),
        ),
        (
            "asana-token",
            "a.py",
            "x('@')",
            format!("1/1{}:{}", random("123456789", 15, 9), hex(32, 10)),
        ),
        ("airtable-pat", "a.py", "x('@')", format!("pat{}.{}", alnum(14, 11), hex(64, 12))),
        (
            "mapbox-secret-token",
            "a.py",
            "x('@')",
            format!("sk.eyJ{}.{}", alnum(60, 13), alnum(22, 14)),
        ),
        ("hubspot-token", "a.py", "x('@')", format!("pat-na1-{}", uuid(15))),
        ("json-web-token", "a.py", "x('@')", jwt.clone()),
        ("json-web-token", "a.sh", "Authorization: Bearer @", jwt),
        ("bearer-token", "a.sh", "curl -H 'Authorization: Bearer @'", alnum(40, 16)),
        ("basic-auth-header", "a.sh", "Authorization: Basic @", "YWRhOmh1bnRlcjIx".into()),
        ("npmrc-auth", ".npmrc", "//registry/:_authToken=@", uuid(17)),
        (
            "registry-auth",
            "config.json",
            "\"auths\": {\"h\": {\"auth\": \"@\"}}",
            "YWRhOmh1bnRlcjIx".into(),
        ),
        ("kubeconfig-key", "config", "    client-key-data: @", alnum(120, 18)),
        (
            "htpasswd-hash",
            ".htpasswd",
            "joe:@",
            format!("$apr1${}${}", alnum(8, 19), alnum(22, 20)),
        ),
        ("bcrypt-hash", ".htpasswd", "joe:@", format!("$2y$10${}", alnum(53, 21))),
        (
            "url-password",
            "a.py",
            "DATABASE_URL = 'postgres://app:@@db.internal:5432/app'",
            "hunter2".into(),
        ),
        ("url-password", "a.md", "git clone https://me:@@git.host/x", alnum(20, 22)),
    ]
}

#[test]
fn secrets_in_context_are_gone() {
    for (rule, path, template, secret) in composed() {
        check_gone(rule, path, &template.replacen('@', &secret, 1), &secret);
    }
}

#[test]
fn at_least_fifty_kinds_are_planted() {
    let mut kinds: Vec<&str> = PREFIXED
        .iter()
        .map(|&(rule, ..)| rule)
        .chain(composed().into_iter().map(|(rule, ..)| rule))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert!(kinds.len() >= 80, "{}", kinds.len());
}

#[test]
fn private_keys_keep_their_lines() {
    for label in ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""] {
        let body: Vec<String> = (0..5).map(|line| random(ALNUM, 64, line + 3)).collect();
        let marker = |word: &str| format!("-----{word} {label}PRIVATE KEY-----");
        let text =
            format!("before\n{}\n{}\n{}\nafter\n", marker("BEGIN"), body.join("\n"), marker("END"));
        check_gone("private-key", "k.pem", &text, &body[2]);
        let cut_off = format!("{}\n{}\nplain words follow\n", marker("BEGIN"), body.join("\n"));
        check_gone("private-key", "k.pem", &cut_off, &body[4]);
        let one_line = format!(
            "{{\"k\": \"{}\\n{}\\n{}\\n\"}}",
            marker("BEGIN"),
            body.join("\\n"),
            marker("END")
        );
        check_gone("private-key", "k.json", &one_line, &body[0]);
        let (scrubber, _) = Scrubber::new(&[], true);
        let scrubbed = scrubber.scrub(&text, "k.pem");
        assert_eq!(scrubbed.text, format!("before\n{MARK}\n\n\n\n\n\n\nafter\n"));
        assert_eq!(scrubbed.redactions[0].line, 2);
    }
    let pgp = format!(
        "-----{} PGP PRIVATE KEY BLOCK-----\n\n{}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
        "BEGIN",
        random(ALNUM, 64, 9)
    );
    check_gone("private-key", "k.asc", &pgp, &random(ALNUM, 64, 9));
    let putty = format!(
        "Private-Lines: 2\n{}\n{}\nPrivate-MAC: 12",
        random(ALNUM, 64, 9),
        random(ALNUM, 64, 10)
    );
    check_gone("putty-private-key", "k.ppk", &putty, &random(ALNUM, 64, 10));
}

/// Path and text that must come back unchanged.
const HARMLESS: &[(&str, &str)] = &[
    ("a.py", "password = \"[REDACTED]\""),
    ("a.py", "password = \"password\""),
    ("a.py", "password = \"changeme\""),
    ("a.py", "password = 'test1234'"),
    ("a.py", "api_key = \"your-api-key-here\""),
    ("a.py", "api_key = \"xxxxxxxxxxxx1234\""),
    ("a.py", "token = \"<token>\""),
    ("a.py", "token = \"${TOKEN_1}\""),
    ("a.py", "password = os.environ[\"DB_PASSWORD\"]"),
    ("a.py", "password: str = None"),
    ("a.py", "def login(user: str, password: str) -> Token1:"),
    ("a.py", "token = getToken(request2)"),
    ("a.js", "const token = process.env.API_TOKEN_V2;"),
    ("a.js", "token = \"(\""),
    ("a.js", "if (token === 'IDENTIFIER') return parseName(token)"),
    ("a.css", "--token-color: #ff00ff;"),
    ("a.py", "secret = config.get('secret_key')"),
    ("a.py", "token = tokens[index2]"),
    ("a.rs", "let token = lexer.next_token().unwrap();"),
    ("a.rs", "secret: SecretString,"),
    ("a.go", "SecretName: \"my-tls-secret-2\","),
    ("a.yml", "password: ${DB_PASSWORD}"),
    ("a.yml", "secretName: db-credentials-2"),
    ("a.yml", "token: {{ .Values.token2 }}"),
    ("a.yml", "password_file: /run/secrets/db_password_1"),
    (".env", "API_KEY="),
    (".env", "PASSWORD=changeme"),
    (".env", "PASSWORD=${OTHER_PASSWORD}"),
    (".env.example", "PASSWORD=correcthorse"),
    (".env", "TOKEN_URL=https://auth.host/v2/token"),
    ("a.md", "The password must have 8 characters; the token expires after 3600s."),
    ("a.md", "Set `password` to \"something you like 2\"."),
    ("a.md", "postgres://user:password@localhost:5432/db"),
    ("a.md", "https://user:${PASSWORD}@host/"),
    ("a.md", "see https://host:8080/path@2x"),
    ("a.md", "commit 3f786850e387550fdab836ed7e6dc881de23001b fixed it"),
    ("a.txt", "d41d8cd98f00b204e9800998ecf8427e  empty.bin"),
    ("a.txt", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("a.json", "\"id\": \"123e4567-e89b-12d3-a456-426614174000\""),
    (
        "package-lock.json",
        "\"integrity\": \"sha512-oRJTvBGk5x1pT7rT8kz3jQhE5Yk1Qm0vYl2wN8dK4uH6sXcPq9aZbV7fGtR3eWiLmJnBoUyCxDzAhSgKpIrQ1w==\"",
    ),
    (
        "Cargo.lock",
        "checksum = \"5d9b1b2f6e7a4c3d8e9f0a1b2c3d4e5f60718293a4b5c6d7e8f9011223344556\"",
    ),
    ("go.sum", "github.com/x/y v1.2.3 h1:Nf8Yqz3Kk2nW0l7YvQx1o5r3mT9bC6dE4fG8hJ2kLmA="),
    ("a.rs", "const BEGIN: &str = \"-----BEGIN PRIVATE KEY-----\";"),
    (
        "a.txt",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    ),
    ("a.txt", "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----"),
    ("a.py", "task-runner disk-usage risk-management-and-more-words-to-follow-here"),
    ("a.py", "csrf_token = 'dG9rZW4x2c3VwZXI4c2Vj'"),
    ("a.py", "next_page_token = 'CAUQAA1b2c3d4e5f6g7'"),
    ("a.md", "uses Basic authentication and Bearer authentication tokens"),
    ("a.java", "String PASSWORD_KEY = \"spring.datasource.password\";"),
    ("a.ts", "export type Password = 'FORBIDDEN_VALUE2'"),
    ("a.py", "self.assertEqual(token, 'abc')"),
    ("a.html", "<input type=\"password\" name=\"password\" id=\"id_password1\">"),
    ("a.py", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
    ("a.py", "AKIAAAAAAAAAAAAAAAAA"),
    ("a.go", "Secret: \"node1-node2-only\","),
    ("a.go", "\"k8s.io/api/core/v1.Secret\", \"k8s.io/apimachinery/pkg/apis/meta/v1.ListMeta\""),
    ("a.go", "passwd = \"root:x:0:0:::/bin/bash\""),
];

#[test]
fn look_alikes_survive() {
    let (scrubber, _) = Scrubber::new(&[], true);
    assert!(HARMLESS.len() >= 30);
    for (path, text) in HARMLESS {
        let scrubbed = scrubber.scrub(text, path);
        assert_eq!(scrubbed.text, *text, "{path}: {:?}", scrubbed.redactions);
    }
}
