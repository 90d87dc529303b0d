//! A small project with users, tokens and invoices: Kotlin, SQL, TypeScript, documents, and a history.

use crate::Fixture;

const VALIDATOR: &str = r#"package accounts.auth

/** Checks JSON web tokens (JWT) that clients send. */
class JwtValidator(private val secret: String, private val clock: Clock) {
    /** Validates a token: its signature, its issuer and that it has not expired. */
    fun validate(token: String): Claims {
        val claims = parse(token)
        require(isSigned(token)) { "the signature is wrong" }
        require(!isExpired(claims)) { "the token has expired" }
        return claims
    }

    /** Tells whether the claims are older than they may be. */
    fun isExpired(claims: Claims): Boolean = claims.expires < clock.now()

    private fun isSigned(token: String): Boolean = token.substringAfterLast('.') == sign(token, secret)

    private fun parse(token: String): Claims = Claims.decode(token.split('.')[1])
}
"#;

const LOGIN: &str = r#"package accounts.auth

/** Authentication of users by name and password. */
class LoginService(private val users: UserRepository, private val validator: JwtValidator) {
    /** Checks a password and issues a token; locks the account after five failures. */
    fun login(name: String, password: String): String {
        val user = users.find(name) ?: throw NoSuchUser(name)
        if (user.failures >= 5) throw AccountLocked(name)
        if (!matches(user, password)) users.countFailure(user) else users.resetFailures(user)
        return issue(user)
    }

    private fun matches(user: User, password: String): Boolean = hash(password, user.salt) == user.passwordHash

    private fun issue(user: User): String = user.name
}
"#;

const REPOSITORY: &str = r#"package accounts.users

/** Reads and writes users. */
class UserRepository(private val database: Database) {
    fun find(name: String): User? = database.one("select * from users where name = ?", name)

    fun countFailure(user: User) = database.run("update users set failures = failures + 1 where id = ?", user.id)

    fun resetFailures(user: User) = database.run("update users set failures = 0 where id = ?", user.id)
}
"#;

const INVOICES: &str = r#"package accounts.billing

/** Makes invoices at the end of the month. */
class InvoiceService(private val mailer: Mailer) {
    /** Sums up the lines and rounds to cents. */
    fun total(lines: List<Line>): Long = lines.sumOf { it.price * it.count }

    /** Sends an invoice by mail. */
    fun send(invoice: Invoice) = mailer.send(invoice.address, "Your invoice", invoice.text())
}
"#;

const MAILER: &str = r#"package accounts.mail

/** Sends mail over SMTP. */
class Mailer(private val host: String) {
    fun send(address: String, subject: String, body: String) {
        connect(host).use { it.deliver(address, subject, body) }
    }
}
"#;

const SCHEMA: &str = "-- Schema of the database.\n\nCREATE TABLE users (\n    id BIGINT PRIMARY KEY,\n    name TEXT NOT NULL UNIQUE,\n    password_hash TEXT NOT NULL,\n    salt TEXT NOT NULL,\n    failures INTEGER NOT NULL DEFAULT 0\n);\n\nCREATE TABLE invoices (\n    id BIGINT PRIMARY KEY,\n    amount BIGINT NOT NULL,\n    sent_at TIMESTAMP\n);\n";
const MIGRATION: &str = "-- Users have a mail address.\nALTER TABLE users ADD COLUMN email TEXT;\nCREATE INDEX users_email ON users (email);\n";
const MIGRATION_INVOICES: &str = "-- Invoices can be cancelled.\nALTER TABLE invoices ADD COLUMN cancelled BOOLEAN NOT NULL DEFAULT FALSE;\n";
const PAGE: &str = "/** Shows the invoices of a customer as a table. */\nexport function renderInvoices(invoices: Invoice[]): string {\n  return invoices.map((invoice) => `<tr><td>${invoice.amount}</td></tr>`).join('');\n}\n";
const README: &str = "# Accounts\n\nA service with users, logins and invoices.\n\n## Running\n\nStart it with `make run`; settings are read from `settings.toml`.\n";

/// Steps of the history: message, then path and text of what changed.
const STEPS: &[(&str, &[(&str, &str)])] = &[
    ("Send mail over SMTP", &[("src/mail/Mailer.kt", MAILER), ("README.md", README)]),
    (
        "Make invoices at the end of the month",
        &[
            ("src/billing/InvoiceService.kt", INVOICES),
            ("web/invoices.ts", PAGE),
            ("db/migrations/V3__cancel_invoices.sql", MIGRATION_INVOICES),
        ],
    ),
    (
        "Store users",
        &[
            ("src/users/UserRepository.kt", REPOSITORY),
            ("db/schema.sql", SCHEMA),
            ("db/migrations/V2__add_email_to_users.sql", MIGRATION),
        ],
    ),
    ("Lock accounts after five failures in authentication", &[("src/auth/LoginService.kt", LOGIN)]),
    (
        "Check the issuer of tokens during authentication",
        &[("src/auth/JwtValidator.kt", VALIDATOR)],
    ),
];

impl Fixture {
    /// Writes the accounts project with a commit for each step of its history.
    pub fn accounts() -> Self {
        let fixture = Self::empty();
        fixture.git(&["init", "-q", "-b", "main"]);
        for (message, files) in STEPS {
            files.iter().for_each(|(path, text)| fixture.write(path, text));
            fixture.commit(message);
        }
        fixture
    }
}
