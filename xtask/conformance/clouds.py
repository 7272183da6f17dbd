"""The bodies of clouds that host Claude: a version, and what is a header elsewhere, stand beside
the SDK's own keys; the model is part of the address."""

from typing_extensions import Required, TypedDict, get_type_hints

from anthropic.types import message_count_tokens_params as count
from anthropic.types.beta import message_create_params as create


def changed(kind, without, **added):
    hints = get_type_hints(kind, include_extras=True)
    kept = {key: hint for key, hint in hints.items() if key not in without}
    return TypedDict(kind.__name__, {**kept, **added}, total=False)


VERSION = Required[str]
# Whether an answer is streamed is said by the address, too.
Bedrock = changed(
    create.MessageCreateParamsNonStreaming,
    {"model", "stream"},
    anthropic_version=VERSION,
    anthropic_beta=list[str],
)
Vertex = changed(create.MessageCreateParamsStreaming, {"model"}, anthropic_version=VERSION)
# The same where no stream is asked for.
VertexWhole = changed(create.MessageCreateParamsNonStreaming, {"model"}, anthropic_version=VERSION)
VertexCount = changed(count.MessageCountTokensParams, {}, anthropic_version=VERSION)
