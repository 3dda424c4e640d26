"""Prefixes that some models need before a question and before a document, found by the model's name."""

from __future__ import annotations

import re

__all__ = ["prefixes"]

FOR_SEARCHING = "Represent this sentence for searching relevant passages: "
# Pattern of the model's name: prefix of a question, prefix of a document. The first match wins.
# A change here changes vectors, so the version number in `RemoteEmbedder.model` must change, too.
PREFIXES = {
    r"nomic-embed-text": ("search_query: ", "search_document: "),
    r"embeddinggemma|embedding-gemma": ("task: search result | query: ", "title: none | text: "),
    r"(^|[/_-])e5-.*instruct|qwen3-embedding": (
        "Instruct: Given a question, retrieve passages that answer it\nQuery: ",
        "",
    ),
    r"(^|[/_-])(multilingual-)?e5-": ("query: ", "passage: "),
    r"arctic-embed.*(2\.0|2$|v2)": ("query: ", ""),
    r"mxbai-embed|arctic-embed|bge-(small|base|large)-en": (FOR_SEARCHING, ""),
}


def prefixes(model: str) -> tuple[str, str]:
    name = model.lower()
    return next((found for pattern, found in PREFIXES.items() if re.search(pattern, name)), ("", ""))
