"""FastMCP with one tool that GETs a record from `UPSTREAM`: no sessions, JSON answers. Served by uvicorn: `fastmcp_server:app`."""

import os
from urllib.parse import quote

import httpx
from fastmcp import FastMCP

upstream = os.environ["UPSTREAM"]
# httpx keeps 20 connections and opens 100 by default; the others have pools of 1024. The environment's proxies do not matter
# on loopback.
client = httpx.AsyncClient(
    limits=httpx.Limits(max_connections=1024, max_keepalive_connections=1024),
    timeout=60,
    trust_env=False,
)
server = FastMCP("load")


# Without an output schema, so that the text is not sent a second time as structured content.
@server.tool(output_schema=None)
async def get_300(id: str) -> str:
    """Gets one record of the size 300, by the id of its owner."""
    answer = await client.get(f"http://{upstream}/users/{quote(id, safe='')}")
    answer.raise_for_status()
    return answer.text


app = server.http_app(path="/mcp", stateless_http=True, json_response=True)
