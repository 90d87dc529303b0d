#!/bin/sh
# Asks the server what its own description allows and forbids. usage: schemathesis.sh CONTEXTD REPO [EXAMPLES]
set -eu
contextd=$1 repo=$2 examples=${3:-30}
trap 'kill $server 2>/dev/null' EXIT
"$contextd" -q index --repo "$repo"
"$contextd" -q serve --http 127.0.0.1:8933 --repo "$repo" & server=$!
sleep 2
schemathesis run http://127.0.0.1:8933/openapi.json --checks all --max-examples "$examples" --generation-deterministic --suppress-health-check all --request-timeout 60 --max-response-time 60
curl -sf http://127.0.0.1:8933/health
echo
