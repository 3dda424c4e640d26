"""For proofs only: our server with the tools, resources and prompts by whose names the conformance suite tests a stack.

Everything else is the real thing: the same server, the same door, the same tokens. Only its answers may be streams,
since some fixtures speak before they are done.
"""

from __future__ import annotations

import base64
import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

import anyio
import uvicorn
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    ClientCapabilities,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    InputRequiredResult,
    SamplingCapability,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)

import scrubjay
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.http.serving import Address, listen
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server
from scrubjay.interfaces.mcp.tools import SETS

PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000"
        "0500010d0a2db40000000049454e44ae426082"
    )
).decode()
SILENCE = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1f\0\0@\x1f\0\0\1\0\x08\0data\0\0\0\0").decode()
PAUSE_SECONDS = 0.05
OPTIONS = ["option1", "option2", "option3"]
CHOICES = [{"const": f"value{number}", "title": f"Choice {number}"} for number in (1, 2, 3)]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": CHOICES},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": CHOICES}},
}
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}

Asked = Context[Any, Any]


def form(message: str, **kinds: str) -> dict[str, Any]:
    """A question to the user, as the modern era asks it."""
    schema = {"type": "object", "properties": {name: {"type": kind} for name, kind in kinds.items()}}
    asked = {"message": message, "requestedSchema": {**schema, "required": list(kinds)}}
    return {"method": "elicitation/create", "params": asked}


def sampling(prompt: str, tokens: int = 100) -> dict[str, Any]:
    said = {"role": "user", "content": {"type": "text", "text": prompt}}
    return {"method": "sampling/createMessage", "params": {"messages": [said], "maxTokens": tokens}}


ROOTS = {"method": "roots/list", "params": {}}


def ask(state: str | None = None, **requests: dict[str, Any]) -> InputRequiredResult:
    known = {} if state is None else {"requestState": state}
    return InputRequiredResult.model_validate({"inputRequests": requests, **known})


def answered(context: Asked, name: str) -> dict[str, Any] | None:
    """What the client has answered to a question, as JSON has it; nothing if it makes no sense."""
    found = (context.input_responses or {}).get(name)
    return found.model_dump(mode="json", by_alias=True) if found is not None else None


def add_contents(server: MCPServer[Any]) -> None:
    text = TextContent(type="text", text="This is a simple text response for testing.")
    image = ImageContent(type="image", data=PIXEL, mime_type="image/png")

    def embedded(uri: str, said: str, mime: str = "text/plain") -> EmbeddedResource:
        return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime, text=said))

    answers: dict[str, list[Any]] = {
        "test_simple_text": [text],
        "test_image_content": [image],
        "test_audio_content": [AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")],
        "test_embedded_resource": [embedded("test://embedded-resource", "This is an embedded resource content.")],
        "test_multiple_content_types": [
            TextContent(type="text", text="Multiple content types test:"),
            image,
            embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
        ],
    }
    for name, content in answers.items():
        server.add_tool(_constant(content), name=name, description="A fixture.", structured_output=False)

    @server.tool()
    def test_error_handling() -> str:
        """Always fails."""
        raise RuntimeError("meant to fail")


def _constant(content: list[Any]) -> Callable[[], Any]:
    return lambda: content


def add_speaking(server: MCPServer[Any]) -> None:
    """Tools that say something, or ask, before they answer: the way of the older era."""

    @server.tool(structured_output=False)
    async def test_tool_with_logging(context: Asked) -> str:
        """Logs three lines."""
        for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await context.info(said)
            await anyio.sleep(PAUSE_SECONDS)
        return "done"

    @server.tool(structured_output=False)
    async def test_tool_with_progress(context: Asked) -> str:
        """Reports how far it is."""
        for progress in (0, 50, 100):
            await context.report_progress(progress, 100)
            await anyio.sleep(PAUSE_SECONDS)
        return "done"

    @server.tool(structured_output=False)
    async def test_sampling(prompt: str, context: Asked) -> str:
        """Asks the client's model."""
        said = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
        answer = await context.session.create_message([said], max_tokens=100, related_request_id=context.request_id)
        return f"LLM response: {getattr(answer.content, 'text', answer.content)}"

    async def elicit(context: Asked, message: str, properties: dict[str, Any], required: list[str]) -> str:
        schema = {"type": "object", "properties": properties, "required": required}
        answer = await context.session.elicit_form(message, schema, context.request_id)
        return f"action={answer.action}, content={json.dumps(answer.content)}"

    @server.tool(structured_output=False)
    async def test_elicitation(message: str, context: Asked) -> str:
        """Asks the user."""
        fields = {name: {"type": "string", "description": name} for name in ("username", "email")}
        return f"User response: {await elicit(context, message, fields, list(fields))}"

    @server.tool(structured_output=False)
    async def test_elicitation_sep1034_defaults(context: Asked) -> str:
        """Asks with defaults."""
        return f"Elicitation completed: {await elicit(context, 'Please check', DEFAULTS, [])}"

    @server.tool(structured_output=False)
    async def test_elicitation_sep1330_enums(context: Asked) -> str:
        """Asks for choices."""
        return f"Elicitation completed: {await elicit(context, 'Please choose', ENUMS, [])}"


def add_asking(server: MCPServer[Any]) -> None:
    """Tools that answer with a question: the way of the newer era."""

    @server.tool(structured_output=False)
    def test_input_required_result_elicitation(context: Asked) -> Any:
        """Asks for a name."""
        name = ((answered(context, "user_name") or {}).get("content") or {}).get("name")
        return f"Hello, {name}!" if name else ask(user_name=form("What is your name?", name="string"))

    @server.tool(structured_output=False)
    def test_input_required_result_sampling(context: Asked) -> Any:
        """Asks the client's model."""
        answer = answered(context, "capital_question")
        return json.dumps(answer) if answer else ask(capital_question=sampling("What is the capital of France?"))

    @server.tool(structured_output=False)
    def test_input_required_result_list_roots(context: Asked) -> Any:
        """Asks for roots."""
        roots = answered(context, "client_roots")
        return json.dumps(roots) if roots else ask(client_roots=ROOTS)

    @server.tool(structured_output=False)
    def test_input_required_result_request_state(context: Asked) -> Any:
        """Asks, and knows the answer by its state."""
        if answered(context, "confirm") and context.request_state == "asked":
            return "state-ok"
        return ask("asked", confirm=form("Please confirm", ok="boolean"))

    @server.tool(structured_output=False)
    def test_input_required_result_tampered_state(context: Asked) -> Any:
        """The same; the SDK refuses a state that is not its own."""
        return test_input_required_result_request_state(context)

    @server.tool(structured_output=False)
    def test_input_required_result_multiple_inputs(context: Asked) -> Any:
        """Asks three things at once."""
        if all(answered(context, name) for name in ("user_name", "greeting", "client_roots")):
            return "all there"
        name = form("What is your name?", name="string")
        return ask("asked", user_name=name, greeting=sampling("Generate a greeting", 50), client_roots=ROOTS)

    @server.tool(structured_output=False)
    def test_input_required_result_multi_round(context: Asked) -> Any:
        """Asks one thing after the other."""
        if context.request_state == "second" and answered(context, "step2"):
            return "both there"
        if context.request_state == "first" and answered(context, "step1"):
            return ask("second", step2=form("Step 2: What is your favorite color?", color="string"))
        return ask("first", step1=form("Step 1: What is your name?", name="string"))

    @server.tool(structured_output=False)
    def test_input_required_result_capabilities(context: Asked) -> Any:
        """Asks only what the client can answer."""
        able = context.client_capabilities or ClientCapabilities()
        asked = {"sampled": sampling("Hello")} if able.sampling is not None else {}
        asked |= {"elicited": form("Hello", name="string")} if able.elicitation is not None else {}
        return ask(None, **asked) if asked else "nothing to ask"

    @server.prompt()
    def test_input_required_result_prompt(context: Asked) -> Any:
        """Asks before it prompts."""
        known = ((answered(context, "user_context") or {}).get("content") or {}).get("context")
        return known or ask(user_context=form("What context should the prompt use?", context="string"))

    @server.tool(structured_output=False)
    def test_missing_capability(context: Asked) -> str:
        """Needs a client that samples."""
        if context.client_capabilities is None or context.client_capabilities.sampling is None:
            needed = ClientCapabilities(sampling=SamplingCapability()).model_dump(by_alias=True, exclude_none=True)
            raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is needed", {"requiredCapabilities": needed})
        return "done"

    @server.tool(structured_output=False)
    async def test_trigger_tool_change(context: Asked) -> str:
        """Says that the tools have changed."""
        await context.notify_tools_changed()
        return "done"

    @server.tool(structured_output=False)
    async def test_trigger_prompt_change(context: Asked) -> str:
        """Says that the prompts have changed."""
        await context.notify_prompts_changed()
        return "done"


def add_resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        """Text."""
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        """A picture."""
        return base64.b64decode(PIXEL)

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:
        """Data of an id."""
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})

    async def done(context: Any, params: Any) -> EmptyResult:
        return EmptyResult()

    for method, params in (
        ("resources/subscribe", SubscribeRequestParams),
        ("resources/unsubscribe", UnsubscribeRequestParams),
        ("logging/setLevel", SetLevelRequestParams),
    ):
        server._lowlevel_server.add_request_handler(method, params, done)


def add_prompts(server: MCPServer[Any]) -> None:
    def text(said: str) -> TextContent:
        return TextContent(type="text", text=said)

    @server.prompt()
    def test_simple_prompt() -> Any:
        """Plain."""
        return [UserMessage(text("This is a simple prompt for testing."))]

    @server.prompt()
    def test_prompt_with_arguments(arg1: str, arg2: str) -> Any:
        """With arguments."""
        return [UserMessage(text(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))]

    @server.prompt()
    def test_prompt_with_embedded_resource(resourceUri: str) -> Any:
        """With a resource."""
        said = "Embedded resource content for testing."
        resource = TextResourceContents(uri=resourceUri, mime_type="text/plain", text=said)
        embedded = EmbeddedResource(type="resource", resource=resource)
        return [UserMessage(embedded), UserMessage(text("Please process the embedded resource above."))]

    @server.prompt()
    def test_prompt_with_image() -> Any:
        """With a picture."""
        image = ImageContent(type="image", data=PIXEL, mime_type="image/png")
        return [UserMessage(image), UserMessage(text("Please analyze the image above."))]


def main(store: str) -> None:
    warnings.simplefilter("ignore")
    with scrubjay.open(store, embedder="hashing") as jay:
        server = make_server(Opener(lambda: jay), SETS)
        for add in (add_contents, add_speaking, add_asking, add_resources, add_prompts):
            add(server)
        listening, address = listen(Address("127.0.0.1", 0))
        print(f"Serving {store} at {address.url}", flush=True)
        app = make_app(server, jay.tokens.verify, json_response=False)
        settings = uvicorn.Config(
            app, http="h11", loop="asyncio", log_config=None, access_log=False, timeout_graceful_shutdown=1
        )
        uvicorn.Server(settings).run(sockets=[listening])


if __name__ == "__main__":
    main(sys.argv[1])
