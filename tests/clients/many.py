"""Starts 20 stdio servers on one repository at once: index builds, private memory of each, how fast they leave.

usage: many.py CONTEXTD REPO [SERVERS] (the index of REPO is removed first)
"""
import json
import os
import subprocess
import sys
import time


def private(pid):
    with open(f"/proc/{pid}/smaps_rollup") as lines:
        kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.endswith("kB\n")}
    return (kilobytes["Private_Clean"] + kilobytes["Private_Dirty"]) / 1024


class Server:
    def __init__(self, program, repo):
        self.process = subprocess.Popen([program, "-v", "serve", "--stdio", "--repo", repo], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.number = 0

    def send(self, method, params):
        self.number += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        return self.number

    def answer(self, number):
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == number:
                return message

    def note(self, method):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method}) + "\n")
        self.process.stdin.flush()


def main(program, repo, count):
    subprocess.run([program, "-q", "clean", "--repo", repo], check=False)
    servers = [Server(program, repo) for _ in range(count)]
    hello = [server.send("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "many", "version": "1"}}) for server in servers]
    for server, number in zip(servers, hello):
        server.answer(number)
        server.note("notifications/initialized")
    start = time.monotonic()
    while True:
        status = json.loads(subprocess.run([program, "status", "--json", "--repo", repo], capture_output=True, text=True).stdout or "{}")
        lock = subprocess.run([program, "doctor", "--json", "--repo", repo], capture_output=True, text=True)
        if status.get("files") and '"healthy":true' in lock.stdout:
            break
        time.sleep(1)
    print(f"indexed {status['files']} files after {time.monotonic() - start:.1f} s by {count} servers at once")
    time.sleep(5)
    idle = sorted(private(server.process.pid) for server in servers)
    print("private MB, idle: " + " ".join(f"{size:.0f}" for size in idle))
    asked = [server.send("tools/call", {"name": "symbol", "arguments": {"name": "main"}}) for server in servers]
    [server.answer(number) for server, number in zip(servers, asked)]
    print("private MB, after symbol: " + " ".join(f"{size:.0f}" for size in sorted(private(server.process.pid) for server in servers)))
    asked = [server.send("tools/call", {"name": "context_for_task", "arguments": {"task": "make session cookies expire"}}) for server in servers]
    [server.answer(number) for server, number in zip(servers, asked)]
    print("private MB, after a task: " + " ".join(f"{size:.0f}" for size in sorted(private(server.process.pid) for server in servers)))
    cpu = lambda pid: sum(map(int, open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    print("CPU seconds of each: " + " ".join(f"{seconds:.1f}" for seconds in sorted(cpu(server.process.pid) for server in servers)))
    # A client that is killed takes its ends of the pipes with it.
    for server in servers:
        server.process.stdin.close()
        server.process.stdout.close()
    start = time.monotonic()
    for server in servers:
        server.process.wait(timeout=30)
    print(f"all gone {time.monotonic() - start:.2f} s after their clients")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 20)
