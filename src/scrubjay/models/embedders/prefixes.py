"""What some models want written before a question and before a document, by the names they go by."""

from __future__ import annotations

import re

__all__ = ["prefixes"]

FOR_SEARCHING = "Represent this sentence for searching relevant passages: "
# Part of a model's name, then what goes before a question and before a document. The first that fits holds.
# A change here changes vectors: the figure in `Remote.model` must then change, too.
WANTED = {
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
    return next((wanted for part, wanted in WANTED.items() if re.search(part, name)), ("", ""))
