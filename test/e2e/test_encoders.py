"""What real programs make of a named value is masked in every view (D14)."""

import base64
import json
import shutil
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, main

VALUE = "pa/ss&w\"or''d \\ é+😀?1234 xyzzy 5678"
MASK = "«redacted:DEPLOY_KEY»"
NODE = "node -e 'const v=process.env.V,b=Buffer.from(v);console.log({})'"
PRINTF = "{} -c 'printf \"%q\\n\" \"$V\"'"
ENCODERS = {
    "python3": [
        f"python3 -c 'import os,{module};v=os.environ[\"V\"];b=v.encode();print({code})'"
        for module, code in (
            ("json", "json.dumps(v)"),
            ("json", "json.dumps(v,ensure_ascii=False)"),
            ("json", "json.dumps(json.dumps({1:v}))"),
            ("urllib.parse", "urllib.parse.quote(v)"),
            ("urllib.parse", "urllib.parse.quote_plus(v).lower()"),
            ("urllib.parse", "urllib.parse.quote(urllib.parse.quote(v))"),
            ("base64", "base64.b64encode(b)"),
            ("base64", "base64.urlsafe_b64encode(b\"a\"+b).decode()"),
            ("base64", "base64.encodebytes(b*3).decode()"),
            ("base64", "base64.encodebytes(b*3)"),
            ("binascii", "binascii.hexlify(b).decode().upper()"),
            ("binascii", "b.hex(\":\")"),
            ("binascii", "binascii.hexlify(b).decode().replace(\"f\",\"F\")"),
            ("json", "repr(v)"),
            ("json", "b"),
            ("json", "ascii(v)"),
            ("shlex", "shlex.quote(v)"),
            ("html", "html.escape(v)"),
        )
    ],
    "node": [
        NODE.format(code)
        for code in (
            "JSON.stringify(v)",
            "JSON.stringify({a:JSON.stringify(v)})",
            "encodeURIComponent(v)",
            "encodeURI(v)",
            "escape(v)",
            'b.toString("base64")',
            'b.toString("base64url")',
            'b.toString("hex")',
            "new URLSearchParams({p:v}).toString()",
            'require("util").inspect(v)',
            "b",
        )
    ],
    "base64": ["printf %s \"$V\" | base64", "printf %s \"$V$V\" | base64", "printf %s \"$V\" | base64 -w 7"],
    "openssl": ["printf %s \"$V$V\" | openssl base64"],
    "xxd": ["printf %s \"$V$V\" | xxd -p", "printf %s \"$V\" | xxd -p -u -c 5", "printf %s \"$V\" | xxd -i"],
    "od": ["printf %s \"$V\" | od -An -tx1"],
    "bash": [PRINTF.format("bash"), PRINTF.format("LC_ALL=C bash"), "bash -c 'declare -p V; echo \"${V@Q}\"'"],
    "zsh": [PRINTF.format("zsh"), PRINTF.format("LC_ALL=C zsh"), "zsh -c 'typeset V; echo ${(qqqq)V}'"],
    "dash": ["dash -c export | grep ' V='"],
    "fish": ["fish -c 'string escape -- $V; string escape --style=url -- $V'"],
    "jq": [
        "printf %s \"$V\" | jq -Rs .",
        "printf %s \"$V\" | jq -aRs .",
        "printf %s \"$V\" | jq -Rs '@json|@json'",
        "printf %s \"$V\" | jq -Rsr '@uri,@sh,@html'",
    ],
    "fold": ["fold -w 9 <<< \"$V\"", "fmt -w 12 <<< \"$V\""],
}


def forms() -> list[str]:
    """How a value reads without what wraps it: its letters, its hex, its base64 at each place in a group of three."""
    data = VALUE.encode()
    inside = [base64.b64encode(b"x" * offset + data)[4 if offset else 0 : -4].decode() for offset in range(3)]
    return ["xyzzy5678", "+😀?1234xyzzy", "1234xyzzy", data.hex(), *inside, *(text.replace("+", "-").replace("/", "_") for text in inside)]


def readable(text: str) -> list[str]:
    """Eight letters in a row of any form of the value."""
    bare = "".join(c for c in text if c not in " \n\t:,'\"\\")
    hexadecimal = bare.lower().replace("0x", "")
    pieces = {form[i : i + 8] for form in forms() for i in range(len(form) - 7)}
    return [piece for piece in pieces if piece in bare or piece in hexadecimal]


class Encoders(unittest.TestCase):
    def test_real_encoders(self) -> None:
        """All of them in one call, whose output is then looked at in each view."""
        self.assertTrue(readable(json.dumps(VALUE)), "the oracle sees what it looks for")
        commands = [command for program, all_of_it in ENCODERS.items() if shutil.which(program) for command in all_of_it]
        self.assertGreater(len(commands), 20)
        with Sandbox() as sandbox, Server("--mask-env", "DEPLOY_KEY", sandbox=sandbox, env={"DEPLOY_KEY": VALUE}) as server:
            tab = server.create_tab(shell="bash", env={"V": VALUE})
            script = "\n".join(f"echo '== {number}'; {command}; echo \"== $?\"" for number, command in enumerate(commands))
            tab.execute(script, timeout_ms=60_000, max_output_bytes=0)
            for view in ({}, {"strip_ansi": True}, {"render": True}):
                output = tab.state(max_output_bytes=1 << 20, **view).output
                self.assertEqual(readable(output), [])
                for number, command in enumerate(commands):
                    with self.subTest(command=command, view=view):
                        part = output.partition(f"== {number}\n")[2].partition("\n== ")
                        self.assertEqual(part[2][:2], "0\n", part)
                        self.assertIn(MASK, part[0])
                self.assertEqual(readable(tab.lines(lines=1000, **view).content), [])


if __name__ == "__main__":
    main()
