#!/bin/sh
# Runs the public MCP conformance suite on the product, and all of it on the suite's own server.
# usage: conformance.sh CONTEXTD CONFORMANCE_SERVER REPO; CONFORMANCE names the suite's command
set -eu
contextd=$1 suite_server=$2 repo=$3
conformance=${CONFORMANCE:-npx @modelcontextprotocol/conformance}
results=$(mktemp -d)
trap 'kill $one $two 2>/dev/null; rm -rf "$results"' EXIT
"$contextd" -q serve --http 127.0.0.1:8932 --tools all --repo "$repo" & one=$!
"$suite_server" 127.0.0.1:8931 & two=$!
sleep 3
cd "$results"
failed=0
# What the product has: the other scenarios ask for tools, resources and prompts of certain names.
for scenario in server-initialize ping completion-complete tools-list resources-list prompts-list server-sse-multiple-streams dns-rebinding-protection; do
    $conformance server --url http://127.0.0.1:8932/mcp --scenario "$scenario" > log 2>&1 && echo "product  $scenario: passed" || { echo "product  $scenario: FAILED"; tail -20 log; failed=1; }
done
for scenario in $($conformance list --server | sed -n 's/^  - \([a-z0-9-]*\).*/\1/p'); do
    $conformance server --url http://127.0.0.1:8931/mcp --scenario "$scenario" > log 2>&1 && echo "the rest $scenario: passed" || { echo "the rest $scenario: FAILED"; tail -20 log; failed=1; }
done
exit $failed
