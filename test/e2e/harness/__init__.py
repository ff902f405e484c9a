"""What the end-to-end tests stand on: a raw MCP client, a high-level one, a person at the keyboard, real shells."""

from .client import Result, Server, Tab
from .match import CRLF, AnyOf, Text, interrupted
from .network import Network, Road
from .one_instance import OneInstance
from .person import Person
from .poll import poll
from .raw_client import RawClient, Request, RpcError
from .sandbox import Sandbox, binary
from .sshd import Sshd
from .stopwatch import Stopwatch, exit_code_in_time
from .suite import main, needs, needs_root, own_mounts
from .through_host import on_this_side

__all__ = [
    "AnyOf",
    "CRLF",
    "Network",
    "OneInstance",
    "Person",
    "RawClient",
    "Request",
    "Result",
    "Road",
    "RpcError",
    "Sandbox",
    "Server",
    "Sshd",
    "Stopwatch",
    "Tab",
    "Text",
    "binary",
    "exit_code_in_time",
    "interrupted",
    "main",
    "needs",
    "needs_root",
    "on_this_side",
    "own_mounts",
    "poll",
]
