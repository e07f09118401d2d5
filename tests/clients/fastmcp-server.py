"""A server of FastMCP, over standard input and output."""

from fastmcp import FastMCP

server = FastMCP("notes")


@server.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool
def fail() -> str:
    """Fails."""
    raise ValueError("on purpose")


server.run(show_banner=False)
