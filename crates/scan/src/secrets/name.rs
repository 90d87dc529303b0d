//! Names of things that hold secrets: `DB_PASSWORD`, `accessToken`, `client-secret`.

use super::value::Class;

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    pub class: Class,
    /// Rule the audit names.
    pub id: &'static str,
}

const PASSWORDS: &[&str] =
    &["password", "passwd", "passphrase", "passcode", "passwort", "pwd", "pass"];

/// What makes a `key` one that must be kept: `api_key`, not `primary_key`.
const KEY_OWNERS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "signing",
    "master",
    "account",
    "app",
    "application",
    "service",
    "admin",
    "storage",
    "shared",
    "license",
    "deploy",
    "write",
    "session",
    "webhook",
    "hmac",
    "jwt",
    "ssh",
    "crypto",
    "cipher",
    "aes",
];

/// What makes a `token` or `key` no secret: parsers, pagination, cancellation.
const HARMLESS_OWNERS: &[&str] = &[
    "next",
    "page",
    "continuation",
    "continue",
    "pagination",
    "parse",
    "parser",
    "lex",
    "lexer",
    "syntax",
    "start",
    "end",
    "begin",
    "open",
    "close",
    "cancel",
    "cancellation",
    "current",
    "prev",
    "previous",
    "last",
    "first",
    "sync",
    "resume",
    "eof",
    "unexpected",
    "expected",
    "separator",
    "css",
    "design",
    "public",
    "cursor",
    "keyword",
    "ident",
    "operator",
    "comment",
    "template",
    "stop",
    "lookahead",
    "csrf",
    "xsrf",
    "csrftoken",
    "csrfmiddleware",
    "xpath",
    "is",
    "no",
    "has",
    "invalid",
    "missing",
    "bad",
    "wrong",
];

/// Words after the telling one that leave the meaning: `token_value`, `password2`, `secret_prod`.
const TRAILERS: &[&str] = &[
    "value",
    "val",
    "string",
    "str",
    "text",
    "raw",
    "b",
    "b64",
    "base64",
    "hex",
    "plain",
    "plaintext",
    "default",
    "old",
    "new",
    "prod",
    "production",
    "dev",
    "development",
    "test",
    "staging",
    "live",
    "env",
    "literal",
    "const",
    "data",
    "bytes",
];

/// Providers whose keys have no prefix of their own: the name tells whose they are.
const PROVIDERS: &[(&str, &str)] = &[
    ("algolia", "algolia-key"),
    ("asana", "asana-secret"),
    ("aws", "aws-secret-key"),
    ("bitbucket", "bitbucket-secret"),
    ("cloudflare", "cloudflare-key"),
    ("codecov", "codecov-token"),
    ("coinbase", "coinbase-key"),
    ("confluent", "confluent-key"),
    ("datadog", "datadog-key"),
    ("dd", "datadog-key"),
    ("discord", "discord-secret"),
    ("dropbox", "dropbox-secret"),
    ("fastly", "fastly-token"),
    ("heroku", "heroku-key"),
    ("intercom", "intercom-token"),
    ("linkedin", "linkedin-secret"),
    ("mailchimp", "mailchimp-key"),
    ("messagebird", "messagebird-token"),
    ("okta", "okta-token"),
    ("pagerduty", "pagerduty-token"),
    ("paypal", "paypal-secret"),
    ("plaid", "plaid-secret"),
    ("postmark", "postmark-token"),
    ("pusher", "pusher-secret"),
    ("rollbar", "rollbar-token"),
    ("salesforce", "salesforce-secret"),
    ("segment", "segment-key"),
    ("snyk", "snyk-token"),
    ("splunk", "splunk-token"),
    ("spotify", "spotify-secret"),
    ("sumologic", "sumologic-key"),
    ("travis", "travis-token"),
    ("trello", "trello-key"),
    ("twilio", "twilio-auth-token"),
    ("twitch", "twitch-secret"),
    ("twitter", "twitter-secret"),
    ("vercel", "vercel-token"),
    ("zendesk", "zendesk-token"),
    ("django", "django-secret-key"),
    ("flask", "flask-secret-key"),
];

/// Returns what `name` means, if it names a secret.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    let words = words(name);
    let mut count = words.len();
    while count > 1 && is_trailer(&words[count - 1]) {
        count -= 1;
    }
    let (last, before) = words[..count].split_last()?;
    let owner = before.last().map(String::as_str);
    if owner.is_some_and(|owner| HARMLESS_OWNERS.contains(&owner)) {
        return None;
    }
    let generic = kind(last, owner)?;
    let provider = words.iter().find_map(|word| PROVIDERS.iter().find(|(known, _)| known == word));
    let id = if generic.class == Class::Token {
        provider.map_or(generic.id, |(_, id)| id)
    } else {
        generic.id
    };
    Some(Meaning { id, ..generic })
}

fn kind(last: &str, owner: Option<&str>) -> Option<Meaning> {
    let token = |id| Some(Meaning { class: Class::Token, id });
    if PASSWORDS.contains(&last) || last.ends_with("password") || last.ends_with("passwd") {
        return Some(Meaning { class: Class::Password, id: "password" });
    }
    if last.ends_with("secret") {
        return token("secret");
    }
    if last.ends_with("token")
        && !HARMLESS_OWNERS.iter().any(|harmless| last.strip_suffix("token") == Some(harmless))
    {
        return token("token");
    }
    if last == "credential" || last == "credentials" {
        return token("credential");
    }
    let owned = last == "key"
        && owner.is_some_and(|owner| KEY_OWNERS.iter().any(|known| owner.ends_with(known)));
    let joined = last.strip_suffix("key").is_some_and(|owner| KEY_OWNERS.contains(&owner));
    if owned || joined { token("api-key") } else { None }
}

fn is_trailer(word: &str) -> bool {
    TRAILERS.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits a name at separators, case changes and before digits, in lower case.
fn words(name: &str) -> Vec<String> {
    let bytes = name.as_bytes();
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for (at, &byte) in bytes.iter().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            open = false;
            continue;
        }
        let previous = if at == 0 { b'_' } else { bytes[at - 1] };
        let next_is_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let camel = byte.is_ascii_uppercase()
            && (previous.is_ascii_lowercase() || (previous.is_ascii_uppercase() && next_is_lower));
        let number = byte.is_ascii_digit() != previous.is_ascii_digit();
        if !open || camel || number {
            words.push(String::new());
            open = true;
        }
        if let Some(word) = words.last_mut() {
            word.push(byte.to_ascii_lowercase() as char);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_into_words() {
        assert_eq!(words("AWS_SECRET_ACCESS_KEY"), ["aws", "secret", "access", "key"]);
        assert_eq!(words("myAPIToken2"), ["my", "api", "token", "2"]);
        assert_eq!(words("x-api-key"), ["x", "api", "key"]);
        assert_eq!(words("--"), [""; 0]);
    }

    #[test]
    fn names_of_secrets_are_known() {
        for name in [
            "password",
            "DB_PASSWORD",
            "userPassword2",
            "apiKey",
            "X-Api-Key",
            "accessToken",
            "client_secret",
            "AccountKey",
            "authkey",
            "token_value",
        ] {
            assert!(meaning(name).is_some(), "{name}");
        }
        assert_eq!(meaning("DATADOG_API_KEY").map(|meaning| meaning.id), Some("datadog-key"));
    }

    #[test]
    fn other_names_are_not() {
        for name in [
            "tokenizer",
            "secretName",
            "password_field",
            "primary_key",
            "next_page_token",
            "csrf_token",
            "public_key",
            "tokenUrl",
            "passed",
            "bypass",
            "compass",
            "access_key_id",
            "secrets_dir",
            "foreignKey",
            "csrftoken",
        ] {
            assert_eq!(meaning(name), None, "{name}");
        }
    }
}
