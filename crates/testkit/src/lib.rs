//! Fixture repositories for tests.

mod accounts;
pub mod schemas;

use contextd_engine::{Engine, EngineOptions, RefreshOptions, Silent};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A small shop in four languages, with a known call graph:
/// `checkout` calls `Cart.total` and `charge`; `charge` calls `sign`; a test calls `checkout`.
const SHOP: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "\"\"\"The cart.\"\"\"\n\n\nclass Cart:\n    \"\"\"Holds what a customer wants to buy.\"\"\"\n\n    def __init__(self):\n        self.lines = []\n\n    def add(self, price, count=1):\n        \"\"\"Adds a line to the cart.\"\"\"\n        self.lines.append((price, count))\n\n    def total(self):\n        \"\"\"Returns the sum of all lines, discounts not counted.\"\"\"\n        return sum(price * count for price, count in self.lines)\n",
    ),
    (
        "shop/checkout.py",
        "from shop.cart import Cart\nfrom shop.payment import charge\n\n\ndef checkout(cart: Cart, card: str) -> str:\n    \"\"\"Charges the card with the total of the cart and returns a receipt.\"\"\"\n    if not cart.lines:\n        raise ValueError(\"the cart is empty\")\n    amount = cart.total()\n    return charge(card, amount)\n",
    ),
    (
        "shop/payment.py",
        "import hashlib\n\n\ndef sign(message: str) -> str:\n    \"\"\"Signs a payment message.\"\"\"\n    return hashlib.sha256(message.encode()).hexdigest()\n\n\ndef charge(card: str, amount: int) -> str:\n    \"\"\"Sends a payment to the bank and returns its receipt.\"\"\"\n    message = f\"{card}:{amount}\"\n    return sign(message)\n\n\ndef refund(receipt: str) -> bool:\n    \"\"\"Gives the money of a payment back.\"\"\"\n    return bool(receipt)\n",
    ),
    (
        "tests/test_checkout.py",
        "from shop.cart import Cart\nfrom shop.checkout import checkout\n\n\ndef test_checkout_charges_the_total():\n    cart = Cart()\n    cart.add(5, 2)\n    assert checkout(cart, \"4111\")\n",
    ),
    (
        "web/session.ts",
        "export interface Session {\n  id: string;\n  expires: number;\n}\n\n/** Ends sessions that were idle for too long. */\nexport function expireSessions(sessions: Session[], now: number): Session[] {\n  return sessions.filter((session) => session.expires > now);\n}\n",
    ),
    (
        "tools/src/main.rs",
        "//! Prints a price list.\n\n/// Formats a price in euros.\nfn format_price(cents: u64) -> String {\n    format!(\"{}.{:02} €\", cents / 100, cents % 100)\n}\n\nfn main() {\n    println!(\"{}\", format_price(1999));\n}\n",
    ),
    (
        "docs/payments.md",
        "# Payments\n\n## Refunds\n\nA payment is given back with `refund`. The bank needs the receipt that `charge` returned.\n",
    ),
];

/// A folder with files that vanishes with this value.
pub struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    /// Writes the small shop.
    pub fn shop() -> Self {
        let fixture = Self::empty();
        SHOP.iter().for_each(|(path, text)| fixture.write(path, text));
        fixture
    }

    /// Makes an empty folder.
    ///
    /// # Panics
    /// When the system has no temporary folder.
    pub fn empty() -> Self {
        Self {
            folder: tempfile::Builder::new().prefix("shop").tempdir().expect("a temporary folder"),
        }
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, rel: &str) -> PathBuf {
        self.folder.path().join(rel)
    }

    /// Writes a file, with the folders above it.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, rel: &str, text: &str) {
        let path = self.path(rel);
        std::fs::create_dir_all(path.parent().expect("a path inside the folder"))
            .expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// Commits everything, at a fixed time.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Runs git in the folder, without the user's settings.
    ///
    /// # Panics
    /// When git fails.
    pub fn git(&self, arguments: &[&str]) {
        let person = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|key| (key, "Ann"));
        let address =
            ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|key| (key, "ann@example.org"));
        let time = ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"].map(|key| (key, "1700000000 +0000"));
        let settings = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].map(|key| (key, "/dev/null"));
        let mut command = std::process::Command::new("git");
        command
            .current_dir(self.root())
            .args(["-c", "commit.gpgsign=false"])
            .args(arguments)
            .envs(person)
            .envs(address)
            .envs(time)
            .envs(settings);
        let output = command.output().expect("the git program");
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Opens the folder and indexes it.
    ///
    /// # Panics
    /// When it cannot be indexed.
    pub fn engine(&self) -> Engine {
        let engine =
            Engine::open(self.root(), &EngineOptions::default(), &|_| None).expect("an engine");
        let options = RefreshOptions {
            now: 1_700_000_000_000,
            wait: Duration::from_secs(60),
            ..RefreshOptions::default()
        };
        engine.refresh(&options, &Silent).expect("an index");
        engine
    }
}
