"""The little markup that sentences of a report may hold: `code`, **strong** and *emphasised*."""

import re
from typing import NamedTuple

_MARKUP = re.compile(r"`([^`]+)`|\*\*(\S(?:[^*]*\S)?)\*\*|(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])")
_KINDS = ("code", "strong", "em")


class Span(NamedTuple):
    """A piece of text and how it is set: "text", "code", "strong" or "em"."""

    kind: str
    text: str


def spans(text: str) -> list[Span]:
    """Split a sentence into pieces; a lone asterisk or backtick is just that.

    >>> spans("KG* beats `LinUCB` **here**")
    [Span(kind='text', text='KG* beats '), Span(kind='code', text='LinUCB'), Span(kind='text', text=' '),
     Span(kind='strong', text='here')]
    """
    found, end = [], 0
    for match in _MARKUP.finditer(text):
        if match.start() > end:
            found.append(Span("text", text[end : match.start()]))
        kind, inner = next((k, group) for k, group in zip(_KINDS, match.groups(), strict=True) if group)
        found.append(Span(kind, inner))
        end = match.end()
    if end < len(text):
        found.append(Span("text", text[end:]))
    return found
