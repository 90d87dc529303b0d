"""Loads a server with 64 clients and mixed queries, and prints latencies, errors and memory.

usage: load.py CONTEXTD REPO [SECONDS] [CLIENTS]
"""
import asyncio
import json
import random
import socket
import subprocess
import sys
import time

PORT = 8934
QUERIES = ["where are sessions expired", "how is a query compiled to SQL", "render a template", "validate an email address", "cache a view", "parse a date", "handle a file upload", "log a user in", "migrate a table", "escape html"]
TASKS = ["make session cookies expire", "add an option to a form field", "let uploads resume", "speed up template rendering", "report errors of a migration"]
NAMES = ["Model", "QuerySet", "HttpResponse", "Form", "Session", "render", "Template", "Field", "View", "get"]


def request(choice):
    pick = choice.random()
    if pick < 0.4:
        return "/query_context", {"q": choice.choice(QUERIES), "k": 8}
    if pick < 0.65:
        return "/v1/context_for_task", {"task": choice.choice(TASKS), "budget": 4000}
    if pick < 0.85:
        return "/v1/symbol", {"name": choice.choice(NAMES)}
    if pick < 0.95:
        return "/v1/impact", {"target": choice.choice(NAMES)}
    return "/v1/status", {}


async def client(number, until, out, errors):
    choice = random.Random(number)
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    while time.monotonic() < until:
        path, body = request(choice)
        text = json.dumps(body)
        start = time.monotonic()
        writer.write(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(next(line.split(":")[1] for line in head.lower().splitlines() if line.startswith("content-length")))
        answer = await reader.readexactly(length)
        status = int(head.split(" ")[1])
        if status not in (200, 404):
            errors.append((status, path, answer[:200]))
        out.append((path, time.monotonic() - start))
    writer.close()


def memory(pid):
    with open(f"/proc/{pid}/smaps_rollup") as lines:
        kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.endswith("kB\n")}
    return (kilobytes["Private_Clean"] + kilobytes["Private_Dirty"]) / 1024, kilobytes["Rss"] / 1024


async def main(program, repo, seconds, clients):
    server = subprocess.Popen([program, "-q", "serve", "--http", f"127.0.0.1:{PORT}", "--repo", repo])
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", PORT)) == 0:
                    break
            time.sleep(0.05)
        out, errors = [], []
        await asyncio.gather(*(client(number, time.monotonic() + 10, [], errors) for number in range(8)))
        print("private and resident MB after the warm-up: %.0f %.0f" % memory(server.pid))
        end = time.monotonic() + seconds
        tasks = [asyncio.create_task(client(number, end, out, errors)) for number in range(clients)]
        while time.monotonic() < end:
            await asyncio.sleep(min(15, seconds / 4))
            print("private and resident MB: %.0f %.0f" % memory(server.pid))
        await asyncio.gather(*tasks)
        times = sorted(took for _, took in out)
        at = lambda share: times[min(len(times) - 1, int(len(times) * share))] * 1000
        print(f"{len(times)} answers, {len(errors)} errors, p50 {at(.5):.1f} ms, p95 {at(.95):.1f} ms, p99 {at(.99):.1f} ms, p99/p50 {at(.99) / at(.5):.1f}")
        for path in sorted({path for path, _ in out}):
            own = sorted(took for other, took in out if other == path)
            print(f"  {path}: {len(own)}, p50 {own[len(own) // 2] * 1000:.1f} ms, p99 {own[int(len(own) * .99)] * 1000:.1f} ms")
        print(errors[:5])
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 60, int(sys.argv[4]) if len(sys.argv) > 4 else 64))
