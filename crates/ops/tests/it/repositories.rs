//! Unusual repositories: every operation answers or refuses, none crashes.

use crate::sandbox::{Sandbox, ask_at, changed, section};
use contextd_ops::Answer;
use serde_json::json;

const SIGN: (&str, &str, &str) = ("shop/pay.py", "return str(amount)", "return repr(amount)");

#[test]
fn renames_are_compared_with_what_they_were() {
    let shop = Sandbox::shop();
    shop.git(&["mv", "shop/pay.py", "shop/payment.py"]);
    shop.edit("shop/payment.py", SIGN.1, SIGN.2);
    let pack = shop.pr(json!({}));
    assert_eq!(changed(&pack), ["body sign"]);
    assert!(section(&pack, "seeds")[0].excerpt.text.contains("shop/payment.py (was shop/pay.py)"));
}

#[test]
fn deleted_files_take_their_symbols_along() {
    let shop = Sandbox::shop();
    std::fs::remove_file(shop.path("shop/pay.py")).unwrap();
    assert_eq!(changed(&shop.pr(json!({}))), ["removed charge", "removed refund", "removed sign"]);
}

#[test]
fn a_branch_is_compared_with_where_it_left() {
    let shop = Sandbox::shop();
    shop.git(&["checkout", "-q", "-b", "feature"]);
    shop.edit(SIGN.0, SIGN.1, SIGN.2);
    shop.commit("Sign differently");
    shop.git(&["checkout", "-q", "main"]);
    shop.edit("shop/cart.py", "return sum(self.lines)", "return 0");
    shop.commit("Change main");
    shop.git(&["checkout", "-q", "feature"]);
    let pack = shop.pr(json!({}));
    assert_eq!(changed(&pack), ["body sign"], "what main did since is not part of it");
    assert!(
        section(&pack, "related")
            .iter()
            .any(|item| item.kind == "commit" && item.title == "Sign differently")
    );
    assert_eq!(changed(&shop.pr(json!({"range": "main..feature"}))), ["body sign"]);
    shop.git(&["merge", "-q", "--no-edit", "main"]);
    assert_eq!(changed(&shop.pr(json!({}))), ["body sign"], "merging main adds nothing");
    assert_eq!(
        changed(&shop.pr(json!({"range": "HEAD^!"}))),
        ["body Cart.total"],
        "a merge against its first parent"
    );
}

#[test]
fn a_detached_head_and_a_worktree_have_their_changes() {
    let shop = Sandbox::shop();
    shop.git(&["checkout", "-q", "--detach"]);
    shop.edit(SIGN.0, SIGN.1, SIGN.2);
    assert_eq!(changed(&shop.pr(json!({}))), ["body sign"]);
    shop.git(&["checkout", "-q", "."]);
    shop.git(&["worktree", "add", "-q", "../other", "-b", "other"]);
    let other = shop.root.parent().unwrap().join("other");
    let text = std::fs::read_to_string(other.join(SIGN.0)).unwrap();
    std::fs::write(other.join(SIGN.0), text.replace(SIGN.1, SIGN.2)).unwrap();
    match ask_at(&other, "context_for_pr", json!({})) {
        Ok(Answer::Pack(pack)) => assert_eq!(changed(&pack), ["body sign"]),
        answer => panic!("no pack: {answer:?}"),
    }
    assert!(
        shop.refused("context_for_pr", json!({})).is_not_found(),
        "the first tree is as it was"
    );
}

#[test]
fn a_shallow_clone_knows_its_own_changes() {
    let shop = Sandbox::shop();
    shop.edit("shop/cart.py", "self.lines = []\n\n", "self.lines = list()\n\n");
    shop.commit("Change the cart");
    let source = format!("file://{}", shop.root.display());
    shop.git_in(shop.root.parent().unwrap(), &["clone", "-q", "--depth", "1", &source, "shallow"]);
    let clone = shop.root.parent().unwrap().join("shallow");
    let text = std::fs::read_to_string(clone.join(SIGN.0)).unwrap();
    std::fs::write(clone.join(SIGN.0), text.replace(SIGN.1, SIGN.2)).unwrap();
    match ask_at(&clone, "context_for_pr", json!({})) {
        Ok(Answer::Pack(pack)) => assert_eq!(changed(&pack), ["body sign"]),
        answer => panic!("no pack: {answer:?}"),
    }
    assert_eq!(
        ask_at(&clone, "context_for_pr", json!({"range": "HEAD~1"})).unwrap_err().code,
        "CTX_E_HISTORY_REVISION"
    );
}

#[test]
fn a_submodule_is_one_changed_entry() {
    let (shop, lib) = (Sandbox::shop(), Sandbox::shop());
    shop.git(&["submodule", "add", "-q", lib.root.to_str().unwrap(), "lib"]);
    shop.commit("Add the library");
    lib.edit(SIGN.0, SIGN.1, SIGN.2);
    lib.commit("Sign differently");
    shop.git_in(&shop.path("lib"), &["pull", "-q", "origin", "main"]);
    shop.commit("Take the new library");
    let pack = shop.pr(json!({"range": "HEAD~1..HEAD"}));
    assert!(
        section(&pack, "seeds")[0].excerpt.text.contains("lib binary"),
        "{}",
        section(&pack, "seeds")[0].excerpt.text
    );
    match ask_at(&shop.path("lib"), "context_for_pr", json!({"range": "HEAD~1..HEAD"})) {
        Ok(Answer::Pack(pack)) => {
            assert_eq!(changed(&pack), ["body sign"], "inside, it is a repository of its own")
        }
        answer => panic!("no pack: {answer:?}"),
    }
}

#[test]
fn without_commits_everything_is_new_and_without_git_it_is_refused() {
    let empty = Sandbox::new();
    empty.write("a.py", "def f():\n    return 1\n");
    assert_eq!(changed(&empty.pr(json!({}))), ["added f"]);
    let bare = Sandbox::bare_folder();
    bare.write("a.py", "def f():\n    return 1\n");
    assert_eq!(bare.refused("context_for_pr", json!({})).code, "CTX_I_HISTORY_NONE");
    assert_eq!(bare.refused("test_scope", json!({})).code, "CTX_I_HISTORY_NONE");
    assert!(bare.ask("impact", json!({"target": "f"})).is_ok(), "impact needs no history");
}

#[test]
fn damaged_objects_leave_the_rest_readable() {
    let shop = Sandbox::shop();
    shop.edit(SIGN.0, SIGN.1, SIGN.2).edit("shop/cart.py", "return sum(self.lines)", "return 0");
    shop.commit("Change both");
    let blob = shop.git(&["rev-parse", "HEAD~1:shop/cart.py"]).trim().to_owned();
    let object = shop.path(&format!(".git/objects/{}/{}", &blob[..2], &blob[2..]));
    std::fs::remove_file(&object).unwrap();
    std::fs::write(&object, "rubbish").unwrap();
    let pack = shop.pr(json!({"range": "HEAD~1"}));
    assert_eq!(changed(&pack), ["body sign"], "the other side of the cart is gone");
    assert!(section(&pack, "seeds")[0].excerpt.text.contains("shop/cart.py"));
    let commit = shop.git(&["rev-parse", "HEAD~1"]).trim().to_owned();
    let object = shop.path(&format!(".git/objects/{}/{}", &commit[..2], &commit[2..]));
    std::fs::remove_file(&object).unwrap();
    assert_eq!(
        shop.refused("context_for_pr", json!({"range": "HEAD~1"})).code,
        "CTX_E_HISTORY_REVISION"
    );
    assert_eq!(
        shop.refused("test_scope", json!({"since": "HEAD~1"})).code,
        "CTX_E_HISTORY_REVISION"
    );
}
