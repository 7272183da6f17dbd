"""Prints every model id that the types of the SDKs name, one a line."""

import typing

import typing_extensions
from anthropic.types import model_param
from google.genai._gaos.types.interactions import model as google
from openai.types.shared import all_models

LITERALS = (typing.Literal, typing_extensions.Literal)


def ids(kind):
    if typing.get_origin(kind) in LITERALS:
        return set(typing.get_args(kind))
    return {it for argument in typing.get_args(kind) for it in ids(argument)}


for vendor in (model_param.ModelParam, all_models.AllModels, google.Model):
    print(*sorted(ids(vendor)), sep="\n")
