//! What is no code may be the answer to a task too.

use crate::sandbox::Sandbox;
use contextd_ops::Answer;
use serde_json::json;

#[test]
fn a_workflow_answers_a_task() {
    let sandbox = Sandbox::new();
    sandbox.write(
        ".github/workflows/deploy.yml",
        "name: deploy\non: push\njobs:\n  rollout:\n    runs-on: zeppelin-large\n    steps:\n      - run: ./rollout.sh\n",
    );
    for names in [json!([]), json!(["rollout", "zeppelin-large"])] {
        let answer = sandbox.ask(
            "context_for_task",
            json!({"task": "let the rollout run on a smaller zeppelin", "names": names}),
        );
        let Ok(Answer::Pack(pack)) = answer else { panic!("no pack") };
        let first = pack.items().next().expect("a place");
        assert_eq!(first.file_rel_path, ".github/workflows/deploy.yml", "{first:?}");
    }
}
