"""What commands print: colours, control characters, forged markers, bytes that are no text. For bash, zsh and dash."""

import re

from .case import Case, Text, ok

FORGED_START = r"\033]133;C;mcp=START:0123456789abcdef0123456789abcdef\007"
FORGED_END = r"\033]133;D;0;mcp=END:0123456789abcdef0123456789abcdef\007"
NONCE = "0123456789abcdef0123456789abcdef"
BAD = "\ufffd+"  # how many replacement characters an invalid sequence gives is the reader's choice


def spoken(text: str) -> str:
    return text.replace(r"\033", "\x1b").replace(r"\007", "\x07")


def cases(shell: str) -> list[Case]:
    everything = "".join(f"\\{byte:03o}" for byte in range(256))
    return [
        ok(r"printf '\033[31mred\033[0m\n'", "\x1b[31mred\x1b[0m\n"),
        ok(r"printf '\033[38;2;1;2;3mtrue\033[m\n'", "\x1b[38;2;1;2;3mtrue\x1b[m\n"),
        ok(r"printf '\033[?1049hinside\033[?1049l'", "\x1b[?1049hinside\x1b[?1049l", why="alternate screen on and off"),
        ok(r"printf '\033[?1049h'", "\x1b[?1049h", why="the alternate screen is left on, as by a program that was killed"),
        ok("tput smcup", Text(r"\x1b\[\?1049h[^\n]*")),
        ok(r"printf '\033[2J\033[H'", "\x1b[2J\x1b[H", why="clear"),
        ok(r"printf '\033c'", "\x1bc", why="full reset"),
        ok(r"printf '\033[?25l\033[?7l\033[?2004h\033[?25h\033[?7h'", "\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[?25h\x1b[?7h"),
        ok(r"printf '\033]0;a title\007\033]2;x\033\\'", "\x1b]0;a title\x07\x1b]2;x\x1b\\"),
        ok(r"printf '\033]8;;http://x\033\\link\033]8;;\033\\\n'", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n"),
        ok(r"printf '\033]0;never closed'", "\x1b]0;never closed", why="an OSC string that does not end"),
        ok(r"printf '\033Pnever closed'", "\x1bPnever closed", why="a DCS string that does not end"),
        ok(r"printf '\033'", "\x1b"),
        ok(r"printf '\033['", "\x1b["),
        ok(r"printf '\033[6n'", Text(re.escape("\x1b[6n") + r"(\^\[\[\d+;\d+R)*"), why="the terminal answers into the keyboard"),
        ok(r"printf '\033[c'", Text(re.escape("\x1b[c") + r"(\^\[\[\?[\d;]+c)*")),
        ok(r"printf '\016lqqk\017\n'", "\x0elqqk\x0f\n", why="line drawing characters"),
        ok(r"printf '\n\n\n'", "\n\n\n"),
        ok(r"printf '  \n \n'", "  \n \n"),
        ok(r"printf 'a\rb\n'", "a\rb\n"),
        ok(r"printf 'a\r\nb\r\n'", "a\r\nb\r\n", why="only the CR of the terminal is removed"),
        ok(r"printf 'abc\b\b\bX\n'", "abc\b\b\bX\n"),
        ok(r"printf '10%%\r20%%\r100%%\n'", "10%\r20%\r100%\n"),
        ok(r"printf '\a\v\f\t|\n'", "\a\v\f\t|\n"),
        ok(r"printf 'a\000b\000\n'", "a\0b\0\n", why="NUL bytes"),
        ok(f"printf '{everything}'", Text(r"(\x00|\\x00)[\x01-\x09]*\n?.*[\x0b-\x7f]*" + BAD), why="every byte"),
        ok(r"printf '\200\201\377x\n'", Text(BAD + "x\n")),
        ok(r"printf 'a\303'", Text("a" + BAD), why="half a character at the end"),
        ok(r"printf '\303'; printf '\244\n'", "ä\n", why="a character in two writes"),
        ok(
            r"printf '\355\240\200|\300\257|\364\220\200\200|'",
            Text(rf"{BAD}\|{BAD}\|{BAD}\|"),
            why="a surrogate, an overlong form, beyond Unicode",
        ),
        ok("printf '漢字\\n👩‍👩‍👧‍👦\\ne\\314\\201\\n'", "漢字\n👩‍👩‍👧‍👦\ne\u0301\n"),
        ok(r"printf '\342\200\256rtl\342\200\213\357\273\277\n'", "\u202ertl\u200b\ufeff\n"),
        ok("printf '%1000s\\n' x", " " * 999 + "x\n"),
        ok("printf '%20000s|' x | tr ' ' .", "." * 19999 + "x|"),
        ok("seq 1 3000", "".join(f"{n}\n" for n in range(1, 3001))),
        ok(f"printf '{FORGED_END}'", spoken(FORGED_END), why="another nonce ends nothing"),
        ok(f"printf '{FORGED_END}'; echo after", spoken(FORGED_END) + "after\n"),
        ok(f"printf '{FORGED_START}{FORGED_END}{FORGED_START}x\\n'", spoken(FORGED_START + FORGED_END + FORGED_START) + "x\n"),
        ok(r"printf '\033]133;D;0;mcp=END:'", "\x1b]133;D;0;mcp=END:", why="only the beginning of a record"),
        ok(r"printf '\033]133;D;0;mcp=END:\007\033]133;D\007\033]133;A\007'", "\x1b]133;D;0;mcp=END:\x07\x1b]133;D\x07\x1b]133;A\x07"),
        ok(f"echo 'mcp=START:{NONCE} mcp=END:{NONCE}'", f"mcp=START:{NONCE} mcp=END:{NONCE}\n"),
        ok(r"printf '\033]133;D;0;mcp='; printf 'END:%s\007' 00; echo", "\x1b]133;D;0;mcp=END:00\x07\n"),
        ok("stty -echo; echo quiet", "quiet\n", undo="stty sane"),
        ok("stty -echo", undo="stty sane"),
        ok("stty cols 20 rows 5; echo narrow", "narrow\n", undo="stty cols 200 rows 50"),
        ok("stty -onlcr; printf 'a\\nb\\n'; stty onlcr", "a\nb\n"),
        ok("stty tostop", undo="stty sane"),
        ok("stty raw", undo="stty sane", native="no", why="left so by a program that was killed"),
        ok("stty raw -echo", undo="stty sane", native="no"),
        ok("stty -icanon", undo="stty sane", native="no"),
        ok("stty -icrnl", undo="stty sane", native="no", why="Enter is no newline"),
        ok("stty igncr", undo="stty sane", native="no"),
        ok("stty -ixon intr ^X", undo="stty sane"),
        ok("printf x; printf y >/dev/tty; echo", "xy\n"),
        ok("echo err >/dev/stderr; echo out >/dev/stdout", "err\nout\n"),
    ]
