"""A far side that means harm: says hello as terminally-mcp does, and then what its first argument asks for. Started as a host's command."""

import base64
import hashlib
import json
import sys

WAY = sys.argv[1]
OUT = sys.stdout.buffer
if "relay" in sys.argv:  # a command of people
    if WAY == "deep":
        print('[{"window_id": "@1", "name": ' + "[" * 300_000 + "]" * 300_000 + "}]")
        sys.exit()
    while WAY == "unending":
        OUT.write(b"x" * (1 << 20))
    sys.exit("x" * (1 << 20) if WAY == "words" else "my doctor \x1b]0;says\x07")
NONCE = sys.argv[sys.argv.index("gateway") + 2]
MINE = {"output": "mine", "exit_code": 0, "timed_out": False, "state": "completed"}
ROW = {"name": "n", "active": False, "cwd": "/", "foreground": "x", "busy": False, "log_path": "/x", "log_bytes": 7}
TEXTS = ["some text of no meaning, and no secret"] * 90_000  # not far from what one line may be
FILE = b"what the host says"


def say(message: object) -> None:
    OUT.write(json.dumps(message).encode() + b"\n")
    OUT.flush()


def answer(number: int, result: dict) -> None:
    say({"jsonrpc": "2.0", "id": number, "result": result})


def object_of(fields: dict) -> dict:
    return {"content": [{"type": "text", "text": json.dumps(fields)}], "structuredContent": fields}


def hold_a_file(number: int, tool: str, arguments: dict) -> None:
    """A file of any mode, without its hash, or with notes of no form."""
    if tool == "list_files":
        answer(number, {"isError": True, "content": [{"type": "text", "text": "path: no directory"}]})
    elif tool == "read_file":
        end = arguments["offset"] + arguments["max_bytes"]
        content = base64.b64encode(FILE[arguments["offset"] : end]).decode()
        fields = {"content": content, "size": len(FILE), "mode": "0777", "sha256": hashlib.sha256(FILE).hexdigest()}
        answer(number, object_of({name: value for name, value in fields.items() if name != "sha256" or WAY != "file-unhashed"}))
    else:
        size = len(FILE) if arguments.get("part") == "last" or arguments["content"] else 0
        fields = {"bytes_written": size, "part_bytes": size, "notes": [7, {"a": 1}, "a note"]}
        answer(number, object_of(fields | ({} if WAY == "file-unhashed" else {"sha256": hashlib.sha256(FILE).hexdigest()})))


def misbehave(request: dict) -> None:
    number = request["id"]
    if WAY.startswith("file-"):
        hold_a_file(number, request["params"]["name"], request["params"]["arguments"])
    if WAY.startswith("asked="):
        tool = request["params"]["name"]
        with open(WAY.partition("=")[2], "a", encoding="ascii") as file:
            file.write(f"{tool}\n")
        answer(number, object_of({"tabs": [ROW | {"window_id": "@1"}]} if tool == "list_tabs" else {"chunk": ""}))
    if WAY == "garbage":
        OUT.write(b"\x00\xff{]}\n" * 10)
        OUT.flush()
    elif WAY == "long":
        for _ in range(300):
            OUT.write(b"x" * (1 << 20))
        OUT.write(b"\n")
        OUT.flush()
    elif WAY == "unending":
        while True:
            OUT.write(b"x" * (1 << 20))
    elif WAY == "ids":
        for other in (number + 1_000, -1, "x", None, number + 0.5, [number], True, 10**30):
            say({"jsonrpc": "2.0", "id": other, "result": object_of({"output": "of another"})})
        answer(number, object_of(MINE))
        answer(number, object_of({"output": "twice"}))
    elif WAY == "progress":
        token = request["params"].get("_meta", {}).get("progressToken", 1)
        while True:
            say(
                {
                    "jsonrpc": "2.0",
                    "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": 1, "message": "x" * 60_000},
                }
            )
    elif WAY == "deep":
        OUT.write(b'{"id":%d,"result":' % number + b"[" * 1_000_000 + b"\n")
        OUT.flush()
    elif WAY == "requests":
        for method in ("tools/call", "sampling/createMessage", "roots/list"):
            say(
                {
                    "jsonrpc": "2.0",
                    "id": number,
                    "method": method,
                    "params": {"name": "execute_command", "arguments": {"command": "touch /tmp/never"}},
                }
            )
        answer(number, {"content": "nothing", "isError": 7})
    elif WAY == "names":
        fields = {
            "output": "ok",
            "exit_code": 0,
            "timed_out": False,
            "state": "completed",
            "window_id": "other:@1",
            "notes": ["see other:@1", 7],
        }
        answer(number, object_of(fields))
    elif WAY == "dropped":
        answer(number, {"structuredContent": MINE | {"Of No Tool": TEXTS}})
    elif WAY == "nobody":
        answer(number + 1_000, {"structuredContent": MINE | {"Of No Tool": TEXTS}})
        answer(number, object_of(MINE))
    elif WAY == "words":
        answer(number, object_of(MINE))
    elif WAY == "keys":
        answer(number, {"structuredContent": {f"{text}{n}": 0 for n, text in enumerate(TEXTS)}})
    elif WAY == "doubled":
        key = b"\\u001b" + b"k" * 3_000_000
        OUT.write(b'{"id":%d,"result":{"%s":1,"%s":2}}\n' % (number, key, key))
        OUT.flush()
    elif WAY == "refuses":
        say({"jsonrpc": "2.0", "id": number, "error": {"code": -1, "message": "no" * 3_000_000}})
    elif WAY == "fails":
        answer(number, {"isError": True, "content": [{"type": "text", "text": "no" * 3_000_000}]})
    elif WAY == "rows":
        wrong = [ROW | {"log_bytes": "many"}, {"name": "x"}, ROW | {"log_gap_bytes": []}, ROW | {"busy": None}]
        rows = wrong + [ROW | {"name": "n" * 40_000}] * 21
        answer(number, {"structuredContent": {"tabs": [{"window_id": f"@{n}"} | row for n, row in enumerate(rows)]} | MINE})
    elif WAY == "leaves":
        sys.exit(3)
    elif WAY == "silent":
        pass


def main() -> None:
    turned = "".join("0123456789abcdef"[15 - int(digit, 16)] for digit in NONCE)
    OUT.write(f"terminally-mcp-gateway {turned} 0.0\n".encode())
    OUT.flush()
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("method") == "initialize":
            answer(request["id"], {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "t", "version": "0"}})
        elif request.get("method") == "ping":
            answer(request["id"], {})
        elif "id" in request:
            misbehave(request)


main()
