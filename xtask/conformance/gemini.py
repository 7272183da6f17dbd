"""The body of `generateContent`. The SDK of Gemini has types for its parts and puts the whole
together in code, so the whole is written down here."""

import typing

import pydantic
from google.genai import types


class GenerationConfig(types.GenerationConfig):
    """With the keys that the SDK's converters write and its class lacks."""

    image_config: types.ImageConfig | None = None
    # pydantic reserves the name `model_config`.
    selection: types.ModelSelectionConfig | None = pydantic.Field(default=None, alias="modelConfig")


class GenerateContent(typing.TypedDict, total=False):
    contents: typing.Required[list[types.Content]]
    systemInstruction: types.Content
    tools: list[types.Tool]
    toolConfig: types.ToolConfig
    safetySettings: list[types.SafetySetting]
    generationConfig: GenerationConfig
    cachedContent: str
    # What the types have as parameters of a call, and logs have in the body.
    model: str
    labels: dict[str, str]
    serviceTier: str
    store: bool
    modelArmorConfig: types.ModelArmorConfig
    continuationToken: str
    outputConfig: types.GenerationOutputConfig
