"""Python SDK: `python sdk-python.py http://127.0.0.1:PORT [KEY]`. It speaks both eras; what it negotiates is up to its mode.

With an API key it only checks that the key lets it in.
"""

import asyncio
import base64
import json
import sys
import traceback

import httpx2
import mcp_types
from mcp import Client, MCPError
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ToolsListChanged

NAME = "Zoë aus 東京"
NAME_HEADER = f"=?base64?{base64.b64encode(NAME.encode()).decode()}?="
LONGEST_WAIT = 20


class Seen:
    """What went over the wire, as far as the checks ask for it."""

    def __init__(self) -> None:
        self.name_headers: list[str] = []
        self.list_changed = asyncio.Event()

    async def request(self, request: httpx2.Request) -> None:
        if header := request.headers.get("mcp-param-name"):
            self.name_headers.append(header)

    async def message(self, message: object) -> None:
        if isinstance(message, mcp_types.ToolListChangedNotification):
            self.list_changed.set()


def check(condition: object, message: object) -> None:
    if not condition:
        raise AssertionError(message)


def equal(found: object, expected: object) -> None:
    check(found == expected, f"{found!r} is not {expected!r}")


def only(result: mcp_types.CallToolResult, kind: str):
    check(not result.is_error, result.content)
    equal([block.type for block in result.content], [kind])
    return result.content[0]


async def exercise(client: Client, modern: bool, seen: Seen, streamed: bool) -> str:
    tools = (await client.list_tools()).tools
    names = [tool.name for tool in tools]
    equal(names[0], "about")
    equal(names, sorted(names))

    total = await client.call_tool("add", {"a": 2, "b": 3})
    equal(only(total, "text").text, "2 + 3 = 5")
    equal(total.structured_content, {"a": 2, "b": 3, "sum": 5})
    totals = await asyncio.gather(*(client.call_tool("add", {"a": i, "b": 1}) for i in range(20)))
    equal([only(total, "text").text for total in totals], [f"{i} + 1 = {i + 1}" for i in range(20)])
    text = only(await client.call_tool("test_simple_text"), "text").text
    equal(text, "This is a simple text response for testing.")

    image = only(await client.call_tool("test_image_content", {}), "image")
    equal((image.mime_type, base64.b64decode(image.data)[1:4]), ("image/png", b"PNG"))
    audio = only(await client.call_tool("test_audio_content", {}), "audio")
    equal((audio.mime_type, base64.b64decode(audio.data)[:4]), ("audio/wav", b"RIFF"))
    resource = only(await client.call_tool("test_embedded_resource", {}), "resource").resource
    equal((str(resource.uri), resource.mime_type), ("test://embedded-resource", "application/octet-stream"))
    equal(base64.b64decode(resource.blob), b"This is an embedded resource content.")
    mixed = await client.call_tool("test_multiple_content_types", {})
    equal([block.type for block in mixed.content], ["text", "image", "resource"])

    contact = {"name": "Ada", "contactMethod": "phone", "phone": "1"}
    echo = await client.call_tool("json_schema_2020_12_tool", contact)
    equal(json.loads(only(echo, "text").text), contact)

    for name, arguments, reason in [
        ("fail", {}, "it always does"),
        ("test_error_handling", {}, ""),
        ("add", {"a": "two", "b": 3}, "a"),
        ("json_schema_2020_12_tool", {"contactMethod": "phone", "email": "x"}, "phone"),
    ]:
        failed = await client.call_tool(name, arguments)
        check(failed.is_error, f"`{name}` gives an error result")
        check(failed.content[0].text and reason in failed.content[0].text, failed.content[0].text)
    try:
        await client.call_tool("no_such_tool", {})
    except MCPError as error:
        equal(error.code, -32602)
    else:
        raise AssertionError("an unknown tool is a JSON-RPC error")

    equal(only(await client.call_tool("greet", {"name": NAME}), "text").text, f"Hello, {NAME}!")
    equal(seen.name_headers, [NAME_HEADER] if modern else [])

    if modern:
        async with client.listen(tools_list_changed=True) as subscription:
            check(subscription.honored.tools_list_changed, "the subscription is honoured")
            await client.call_tool("test_trigger_tool_change", {})
            event = await asyncio.wait_for(anext(subscription), LONGEST_WAIT)
        check(isinstance(event, ToolsListChanged), event)
    elif not streamed or not client.server_capabilities.tools.list_changed:
        return "without list changes"
    else:
        await client.call_tool("test_trigger_tool_change", {})
        await asyncio.wait_for(seen.list_changed.wait(), LONGEST_WAIT)
    after = [tool.name for tool in (await client.list_tools()).tools]
    check(("zz_added" in after) != ("zz_added" in names), "the list that follows is the new one")
    return "list changes arrive"


async def streamable(origin: str, mode: str, revision: str) -> str:
    seen = Seen()
    async with httpx2.AsyncClient(event_hooks={"request": [seen.request]}, timeout=LONGEST_WAIT) as http:
        transport = streamable_http_client(f"{origin}/mcp", http_client=http)
        async with Client(transport, mode=mode, message_handler=seen.message) as client:
            equal(client.protocol_version, revision)
            modern = revision == "2026-07-28"
            # In the legacy era, this SDK opens a stream for messages only where there are sessions.
            return f"{revision}, {await exercise(client, modern, seen, streamed=modern)}"


async def sse(origin: str) -> str:
    seen = Seen()
    async with Client(sse_client(f"{origin}/sse"), mode="legacy", message_handler=seen.message) as client:
        equal(client.protocol_version, "2025-11-25")
        return f"2025-11-25, {await exercise(client, False, seen, streamed=True)}"


async def with_key(origin: str, key: str) -> str:
    headers = {"authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=LONGEST_WAIT) as http:
        async with Client(streamable_http_client(f"{origin}/mcp", http_client=http), mode="auto") as client:
            equal([tool.name for tool in (await client.list_tools()).tools], ["add"])
            result = await client.call_tool("add", {"a": 2, "b": 3})
            equal(only(result, "text").text, "2 + 3 = 5")
            return "sees and calls its own tool"


async def main(origin: str, key: str | None = None) -> int:
    failures = 0
    ways = [("API key", lambda: with_key(origin, key))] if key else [
        ("auto, Streamable HTTP", lambda: streamable(origin, "auto", "2026-07-28")),
        ("legacy, Streamable HTTP", lambda: streamable(origin, "legacy", "2025-11-25")),
        ("pinned, Streamable HTTP", lambda: streamable(origin, "2026-07-28", "2026-07-28")),
        ("legacy, HTTP+SSE", lambda: sse(origin)),
    ]
    for title, run in ways:
        try:
            print(f"ok      Python SDK, {title}: {await run()}", flush=True)
        except Exception:
            failures += 1
            print(f"FAILED  Python SDK, {title}: {traceback.format_exc()}", flush=True)
    return min(failures, 1)


sys.exit(asyncio.run(main(*sys.argv[1:])))
