//! The table of built-in rules. One entry a kind of secret; specific formats first, general names last.

use super::charset::{Charset, alnum, any64, base64, dotted, hex, lower, upper, url, word};
use super::rule::{Found, Hit, Rule, Shape};
use super::{assignment, block, headers};

/// No provider's key is longer.
const ANY: usize = 4096;

/// A prefix and a run of bytes behind it.
const fn run(
    id: &'static str,
    keywords: &'static [&'static str],
    charset: Charset,
    min: usize,
    max: usize,
) -> Rule {
    Rule { id, keywords, shape: Shape::Run { charset, min, max }, entropy: 2.5 }
}

/// A pattern that begins at the keyword.
const fn at(
    id: &'static str,
    keywords: &'static [&'static str],
    entropy: f32,
    pattern: &'static str,
) -> Rule {
    Rule { id, keywords, shape: Shape::At(pattern), entropy }
}

/// A pattern around the keyword, on its line.
const fn line(
    id: &'static str,
    keywords: &'static [&'static str],
    entropy: f32,
    pattern: &'static str,
) -> Rule {
    Rule { id, keywords, shape: Shape::Line(pattern), entropy }
}

/// What needs more than a pattern; the code judges the value itself.
const fn code(
    id: &'static str,
    keywords: &'static [&'static str],
    code: fn(&Hit<'_>) -> Option<Found>,
) -> Rule {
    Rule { id, keywords, shape: Shape::Code(code), entropy: 0.0 }
}

/// All built-in rules; where two claim the same bytes, the audit names the earlier.
#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    // Private keys
    code("private-key", &["-----BEGIN"], block::find_armour),
    code("putty-private-key", &["Private-Lines:"], block::find_putty),
    run("age-secret-key", &["AGE-SECRET-KEY-1"], upper, 40, 80),

    // Source hosting and builds
    run("github-pat", &["ghp_"], alnum, 30, 255),
    run("github-oauth-token", &["gho_"], alnum, 30, 255),
    run("github-app-token", &["ghu_", "ghs_"], alnum, 30, 255),
    run("github-refresh-token", &["ghr_"], alnum, 30, 255),
    run("github-fine-grained-pat", &["github_pat_"], word, 22, 255),
    run("gitlab-pat", &["glpat-"], dotted, 16, 300),
    run("gitlab-token", &["gldt-", "glptt-", "glrt-", "glcbt-", "glimt-", "glft-", "glagent-", "gloas-", "glsoat-", "glffct-"], dotted, 16, 300),
    run("gitlab-runner-token", &["GR1348941"], url, 16, 64),
    run("bitbucket-app-password", &["ATBB"], alnum, 24, 64),
    run("atlassian-api-token", &["ATATT3", "ATCTT3"], any64, 40, 400),
    run("circleci-token", &["CCIPAT_", "CCIPRJ_"], word, 20, 120),
    run("buildkite-token", &["bkua_"], hex, 32, 64),
    run("sourcegraph-token", &["sgp_"], word, 32, 100),
    run("jetbrains-token", &["perm:", "perm-"], |byte| base64(byte) || byte == b'.' || byte == b'-', 60, 300),
    run("figma-pat", &["figd_", "figu_"], url, 20, 200),
    run("linear-key", &["lin_api_", "lin_oauth_", "lin_wh_"], alnum, 30, 100),
    run("postman-key", &["PMAK-"], url, 40, 100),
    run("readme-key", &["rdme_"], lower, 40, 100),
    run("wakatime-key", &["waka_"], url, 32, 64),

    // Package registries
    run("npm-token", &["npm_"], alnum, 30, 64),
    at("npmrc-auth", &["_authToken", "_auth=", "_password="], 2.5, r#"^_(?:authToken|auth|password)\s*=\s*"?([A-Za-z0-9+/=_.-]{8,})"#),
    run("pypi-token", &["pypi-AgE"], url, 40, ANY),
    run("rubygems-key", &["rubygems_"], hex, 32, 64),
    run("clojars-token", &["CLOJARS_"], lower, 40, 80),
    run("crates-io-token", &["cio"], alnum, 32, 32),
    run("nuget-key", &["oy2"], lower, 43, 43),
    run("docker-token", &["dckr_pat_", "dckr_oat_"], url, 20, 100),
    code("registry-auth", &["\"auth\"", "_auth"], headers::find_registry_auth),
    run("artifactory-key", &["AKCp"], alnum, 60, 120),

    // Clouds
    run("aws-access-key-id", &["AKIA", "ASIA", "ABIA", "ACCA"], upper, 16, 16),
    at("aws-secret-key", &["secret_access_key", "secretaccesskey", "secret-access-key", "aws_secret"], 3.5, r#"^[A-Za-z_-]{10,30}["'\])]{0,3}\s{0,4}(?::=|=>|=|:|,)\s{0,4}["'`]?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#),
    run("aws-bedrock-key", &["ABSK"], base64, 100, 300),
    at("aws-mws-token", &["amzn.mws."], 3.0, r"^amzn\.mws\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    run("google-api-key", &["AIza"], url, 33, 45),
    run("google-oauth-secret", &["GOCSPX-"], url, 20, 64),
    run("google-oauth-token", &["ya29."], dotted, 20, ANY),
    at("azure-storage-key", &["AccountKey="], 3.5, r"^(?i:AccountKey)=([A-Za-z0-9+/]{40,}={0,2})"),
    at("azure-shared-access-key", &["SharedAccessKey="], 3.5, r"^(?i:SharedAccessKey)=([A-Za-z0-9+/]{20,}={0,2})"),
    line("azure-sas-signature", &["sig="], 3.5, r"[?&;](?:amp;)?sig=([A-Za-z0-9%/+_-]{32,}={0,2})"),
    line("azure-client-secret", &["0q~", "1q~", "2q~", "3q~", "4q~", "5q~", "6q~", "7q~", "8q~", "9q~"], 3.5, r"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)"),
    run("alibaba-access-key", &["LTAI"], alnum, 12, 24),
    run("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], hex, 40, 100),
    run("heroku-token", &["HRKU-"], url, 30, 100),
    at("cloudflare-origin-key", &["v1.0-"], 3.0, r"^v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    run("yandex-key", &["AQVN"], url, 30, 60),
    run("fly-token", &["fm2_", "fm1r_", "fm1a_", "fo1_"], any64, 40, ANY),
    run("netlify-token", &["nfp_"], alnum, 30, 64),
    run("render-key", &["rnd_"], alnum, 24, 64),
    run("scalingo-token", &["tk-us-"], url, 40, 64),
    run("supabase-token", &["sbp_", "sb_secret_"], word, 30, 100),
    run("planetscale-secret", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], dotted, 24, 100),
    run("databricks-token", &["dapi"], hex, 32, 40),
    run("openshift-token", &["sha256~"], url, 40, 64),
    run("tailscale-key", &["tskey-"], url, 16, 120),
    run("terraform-cloud-token", &["at-"], alnum, 64, 64),
    line("terraform-cloud-token", &[".atlasv1."], 3.0, r"\b[A-Za-z0-9]{10,20}\.atlasv1\.[A-Za-z0-9_=-]{40,}"),
    run("vault-token", &["hvs.", "hvb.", "hvr."], dotted, 20, 400),
    run("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], dotted, 30, 100),
    run("pulumi-token", &["pul-"], hex, 32, 64),
    run("prefect-key", &["pnu_", "pnb_"], alnum, 30, 64),
    run("onepassword-token", &["ops_eyJ"], base64, 100, ANY),
    run("onepassword-secret-key", &["A3-"], |byte| upper(byte) || byte == b'-', 30, 50),
    run("infracost-key", &["ico-"], alnum, 32, 32),
    run("octopus-key", &["API-"], upper, 26, 32),

    // Monitoring
    run("grafana-token", &["glsa_", "glc_eyJ"], any64, 30, 500),
    run("new-relic-key", &["NRAK-", "NRJS-", "NRII-", "NRRA-", "NRIQ-"], url, 18, 64),
    run("sentry-token", &["sntrys_", "sntryu_"], any64, 40, 400),
    run("dynatrace-token", &["dt0c01.", "dt0s01.", "dt0s02.", "dt0s08."], dotted, 60, 140),
    run("launchdarkly-key", &["sdk-"], |byte| hex(byte) || byte == b'-', 36, 36),
    at("okta-token", &["SSWS "], 3.0, r"^(?i:SSWS) (00[A-Za-z0-9_-]{38,42})"),

    // Payments and commerce
    run("stripe-key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_"], alnum, 16, 260),
    run("stripe-webhook-secret", &["whsec_"], any64, 24, 100),
    run("square-token", &["sq0atp-", "sq0csp-"], url, 20, 64),
    run("square-access-token", &["EAAAE", "EAAAl"], url, 58, 64),
    run("shopify-token", &["shpat_", "shpss_", "shpca_", "shppa_", "shpua_"], |byte| byte.is_ascii_hexdigit(), 32, 64),
    at("braintree-token", &["access_token$"], 3.0, r"^access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    at("plaid-token", &["access-sandbox-", "access-development-", "access-production-"], 3.0, r"^access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    run("flutterwave-key", &["FLWSECK_TEST-", "FLWSECK-"], url, 12, 80),
    run("easypost-key", &["EZAK", "EZTK"], alnum, 54, 54),
    run("shippo-token", &["shippo_live_", "shippo_test_"], hex, 40, 40),
    run("duffel-token", &["duffel_live_", "duffel_test_"], url, 40, 64),
    run("lob-key", &["live_"], hex, 35, 35),

    // Mail and messages
    at("sendgrid-key", &["SG."], 3.0, r"^SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    run("mailgun-key", &["key-"], lower, 32, 32),
    line("mailchimp-key", &["-us"], 3.0, r"\b[0-9a-f]{32}-us[0-9]{1,2}\b"),
    run("brevo-key", &["xkeysib-", "xsmtpsib-"], url, 60, 120),
    run("twilio-key", &["SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"], hex, 31, 31),
    run("slack-token", &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xoxo-", "xoxe.xoxp-", "xoxe.xoxb-"], |byte| url(byte) || byte == b'%', 10, 400),
    run("slack-app-token", &["xapp-"], url, 20, 200),
    at("slack-webhook", &["hooks.slack.com/"], 3.0, r"^hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_+/-]{20,})"),
    at("discord-webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], 3.0, r"^discord(?:app)?\.com/api/webhooks/([0-9]{15,20}/[A-Za-z0-9_-]{40,})"),
    line("discord-token", &["discord", ".login(", "bot.run(", "bot_token", "bot m", "bot n", "bot o"], 3.5, r"\b([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,40})\b"),
    at("teams-webhook", &["webhook.office.com/"], 3.0, r"^webhook\.office\.com/webhookb2/([0-9a-f@/A-Za-z-]{60,})"),
    at("zapier-webhook", &["hooks.zapier.com/"], 2.5, r"^hooks\.zapier\.com/hooks/catch/([0-9]+/[A-Za-z0-9]+)"),
    line("telegram-bot-token", &[":AA"], 3.5, r"(?:^|[^0-9A-Za-z])([0-9]{8,11}:AA[A-Za-z0-9_-]{32,34})(?:[^A-Za-z0-9_-]|$)"),
    run("facebook-token", &["EAAC", "EAAB", "EAAG", "EAAM", "EAAJ"], alnum, 80, 400),

    // Models
    run("anthropic-key", &["sk-ant-"], url, 32, 200),
    run("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-"], url, 20, 300),
    run("openrouter-key", &["sk-or-"], url, 32, 100),
    run("openai-key", &["sk-"], alnum, 32, 100),
    run("langfuse-key", &["sk-lf-"], url, 32, 64),
    run("huggingface-token", &["hf_", "api_org_"], alnum, 30, 64),
    run("groq-key", &["gsk_"], alnum, 40, 80),
    run("perplexity-key", &["pplx-"], alnum, 40, 80),
    run("replicate-token", &["r8_"], alnum, 36, 48),
    run("xai-key", &["xai-"], alnum, 64, 100),
    run("nvidia-key", &["nvapi-"], url, 50, 100),
    run("langsmith-key", &["lsv2_pt_", "lsv2_sk_"], word, 32, 80),
    run("pinecone-key", &["pcsk_"], word, 40, 100),
    run("elevenlabs-key", &["sk_"], hex, 48, 48),

    // Other services
    code("airtable-pat", &["pat"], headers::find_airtable),
    run("dropbox-token", &["sl."], url, 100, 2000),
    line("asana-token", &["0/1", "1/1", "2/1"], 3.0, r"(?:^|[^0-9A-Za-z/])([0-2]/1[0-9]{14,16}:[0-9a-f]{32})\b"),
    run("notion-token", &["ntn_", "secret_"], alnum, 40, 64),
    run("contentful-token", &["CFPAT-"], url, 40, 64),
    at("hubspot-token", &["pat-na", "pat-eu"], 3.0, r"^pat-(?:na|eu)[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    at("mapbox-secret-token", &["sk.eyJ"], 3.0, r"^sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{16,}"),
    run("typeform-token", &["tfp_"], dotted, 40, 80),
    run("adafruit-key", &["aio_"], alnum, 28, 28),
    run("frameio-token", &["fio-u-"], url, 60, 80),
    run("apify-token", &["apify_api_"], alnum, 30, 64),
    run("resend-key", &["re_"], word, 32, 40),
    run("trello-token", &["ATTA"], hex, 60, 80),
    run("neon-key", &["napi_"], lower, 48, 80),
    run("deno-token", &["ddp_"], alnum, 32, 48),
    run("defined-networking-token", &["dnkey-"], url, 40, 120),
    run("ngrok-token", &["ngrok_"], alnum, 30, 64),

    // Forms that are nobody's own
    at("json-web-token", &["eyJ"], 3.5, r"^eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    code("basic-auth-header", &["basic "], headers::find_basic),
    code("bearer-token", &["bearer "], headers::find_bearer),
    at("kubeconfig-key", &["client-key-data"], 3.0, r#"^client-key-data["']?\s*:\s*["']?([A-Za-z0-9+/=]{40,})"#),
    at("htpasswd-hash", &["$apr1$"], 3.0, r"^\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
    at("bcrypt-hash", &["$2a$", "$2b$", "$2y$"], 3.0, r"^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}"),
    at("crypt-hash", &["$6$", "$5$", "$y$"], 3.0, r"^\$(?:6|5|y)\$(?:rounds=[0-9]+\$)?[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43,86}"),
    at("argon2-hash", &["$argon2"], 3.0, r"^\$argon2(?:id|i|d)\$v=[0-9]+\$[a-z0-9=,]+\$[A-Za-z0-9+/]{11,}\$[A-Za-z0-9+/]{22,}"),
    at("htpasswd-hash", &["{SHA}", "{SSHA}"], 3.0, r"^\{S?SHA\}([A-Za-z0-9+/]{27,}={0,2})"),
    code("url-password", &["://"], super::url::find),
    at("sql-identified-by", &["identified by", "identified with"], 2.0, r#"^(?i:identified (?:by|with [a-z0-9_]+ by|with [a-z0-9_]+ as))\s+['"]([^'"\s{}<>$%]{6,128})['"]"#),
    code("curl-user", &["curl "], headers::find_curl_user),
    code("password", assignment::KEYWORDS, assignment::find),
];
