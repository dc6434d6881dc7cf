"""An assistant of Chainlit, as its documentation shows one: it streams what the model says.

Run by `chainlit run`, in Chainlit's own environment. The model's server is read as cheaply as F
reads it.
"""

from __future__ import annotations

import json
import os

import chainlit as cl
import httpx

CLIENT = httpx.AsyncClient(trust_env=False, timeout=60)
URL = os.environ["BENCH_MODEL"] + "/v1/chat/completions"


@cl.on_message
async def answer(message: cl.Message) -> None:
    """Lets the model answer."""
    reply = cl.Message(content="")
    said = [{"role": "user", "content": message.content}]
    body = {"model": "scripted", "stream": True, "messages": said}
    async with CLIENT.stream("POST", URL, json=body) as answered:
        rest = b""
        async for chunk in answered.aiter_raw():
            *events, rest = (rest + chunk).split(b"\n\n")
            for event in events:
                if event.startswith(b"data: {"):
                    choices = json.loads(event[6:])["choices"] or [{}]
                    if token := choices[0].get("delta", {}).get("content"):
                        await reply.stream_token(token)
    await reply.update()
