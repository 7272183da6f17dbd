"""The body of `generateContent`. The SDK of Gemini has types for its parts and puts the whole
together in code, so the whole is written down here."""

import typing

from google.genai import types


class GenerateContent(typing.TypedDict, total=False):
    contents: typing.Required[list[types.Content]]
    systemInstruction: types.Content
    tools: list[types.Tool]
    toolConfig: types.ToolConfig
    safetySettings: list[types.SafetySetting]
    generationConfig: types.GenerationConfig
    cachedContent: str
    # What the types have as parameters of a call, and logs have in the body.
    model: str
    labels: dict[str, str]
    serviceTier: str
    store: bool
    modelArmorConfig: types.ModelArmorConfig
