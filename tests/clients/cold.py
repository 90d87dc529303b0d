"""Measures the first answers of a server on a repository that was never indexed.

usage: cold.py CONTEXTD REPO [TASK] (the index of REPO is removed first)
"""
import json
import subprocess
import sys
import time


def main(program, repo, task):
    subprocess.run([program, "-q", "clean", "--repo", repo], check=False)
    start = time.monotonic()
    server = subprocess.Popen([program, "serve", "--stdio", "--repo", repo], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    number = 0

    def ask(method, params):
        nonlocal number
        number += 1
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        server.stdin.flush()
        while True:
            message = json.loads(server.stdout.readline())
            if message.get("id") == number:
                return message

    ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "cold", "version": "1"}})
    server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    ask("tools/list", {})
    print(f"initialize and tools/list: {(time.monotonic() - start) * 1000:.0f} ms after the start")
    while True:
        asked = time.monotonic()
        result = ask("tools/call", {"name": "context_for_task", "arguments": {"task": task}})["result"]
        structure = result.get("structuredContent", {})
        print(f"{time.monotonic() - start:.2f} s after the start: {'refused: ' + structure['error']['code'] if result.get('isError') else str(len(structure.get('items', []))) + ' items'}, partial: {structure.get('partial', False)} (asked {time.monotonic() - asked:.2f} s)")
        if not result.get("isError"):
            print("\n".join(f"  {item['file']}:{item['startLine']} {item['name']}" for item in structure["items"][:8]))
            break
    server.stdin.close()
    server.wait()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "limit how many pods a node may evict at once")
