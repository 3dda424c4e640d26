"""Writes the types of the awaited memory, `async_api.pyi`, from the memory that is not awaited.

`python -m tools.make_async_stub` writes it; tests/test_async.py fails when it has drifted.
"""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args, get_origin

import scrubjay
from scrubjay.async_api import has_methods_to_await

__all__ = ["STUB", "async_stub", "type_arguments"]

STUB = Path(scrubjay.__file__).parent / "async_api.pyi"
HEADER = '"""Written by `python -m tools.make_async_stub`. What the methods of an awaited memory take and give."""'
OWN = """
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from scrubjay.types.history import MemoryChange
__all__ = ["AsyncChanges", "AsyncScrubjay", "aopen", "has_methods_to_await", "in_thread"]
def has_methods_to_await(value: object) -> bool: ...
async def in_thread(workers: ThreadPoolExecutor, call: Callable[[], Any]) -> Any: ...
class AsyncChanges:
    last: str
    def __aiter__(self) -> AsyncChanges: ...
    async def __anext__(self) -> MemoryChange: ...
    def close(self) -> None: ...
"""
OWN_METHODS = """
notes: tuple[str, ...]
async def __aenter__(self) -> AsyncScrubjay: ...
async def __aexit__(self, *error: object) -> None: ...
"""
AWAITED = {"Scrubjay": "AsyncScrubjay", "Changes": "AsyncChanges"}  # what the classes of awaited methods are called
LINE = "120"


def async_stub() -> str:
    """The whole file, formatted."""
    rooms, names = _rooms(), Names()
    classes = [_class(owner, names) for owner in (*rooms, scrubjay.Scrubjay)]
    opening = _function(_parsed(scrubjay.open).body[0], names.seen_from(scrubjay.open))
    opening.name = "aopen"
    body = [*ast.parse(OWN).body, *classes, opening]
    return _formatted("\n".join([HEADER, *names.imports(), ast.unparse(ast.Module(body, []))]))


class Names:
    """The names that the file imports: two things of one name get one each."""

    def __init__(self) -> None:
        self._local: dict[str, str] = {}  # by what is imported, e.g. "scrubjay.types.Memory"

    def seen_from(self, owner: object) -> Callable[[str], str]:
        """What a name in the source of some class or function is called in this file."""
        module = inspect.getmodule(owner)
        assert module is not None
        origins = _origins(ast.parse(inspect.getsource(module)), module.__name__)

        def local(name: str) -> str:
            if name in AWAITED:
                return AWAITED[name]
            origin = origins.get(name)
            return name if origin is None else self._named(origin, name)

        return local

    def inherited_by(self, owner: type, part: type) -> Callable[[str], str]:
        """The same in the source of a part of some class, whose type variables stand for something there."""
        arguments, local = type_arguments(owner), self.seen_from(part)

        def known(name: str) -> str:
            stands_for = arguments.get(name)
            if stands_for is None:
                return local(name)
            return self._named(f"{stands_for.__module__}.{stands_for.__name__}", stands_for.__name__)

        return known

    def _named(self, origin: str, name: str) -> str:
        if origin not in self._local:
            taken = name in self._local.values()
            self._local[origin] = origin.split(".")[-2].capitalize() + name if taken else name
        return self._local[origin]

    def imports(self) -> list[str]:
        pairs = [(*origin.rpartition("."), local) for origin, local in self._local.items()]
        return [
            f"from {module} import {name}{f' as {local}' if local != name else ''}" if module else f"import {name}"
            for module, _, name, local in pairs
        ]


def _origins(module: ast.Module, own: str) -> dict[str, str]:
    """Where each name of a module comes from; an import that only type checkers read counts, too."""
    found: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {one.name: one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {one.name: f"{node.module}.{one.name}" for one in node.names}
    return found | {node.name: f"{own}.{node.name}" for node in module.body if isinstance(node, ast.ClassDef)}


def type_arguments(owner: type) -> dict[str, type]:
    """What the type variables of the bases of a class stand for in it, by their names."""
    bases = [base for base in getattr(owner, "__orig_bases__", ()) if get_origin(base) is not None]
    pairs = [zip(get_origin(base).__parameters__, get_args(base), strict=True) for base in bases]
    return {variable.__name__: given for own in pairs for variable, given in own}


def _rooms() -> list[type]:
    """Each class whose methods are awaited, too: those of `jay.tasks` and the like."""
    with scrubjay.open(":memory:", embedder="none") as jay:
        values = [getattr(jay, name) for name, _ in inspect.getmembers(type(jay), inspect.isdatadescriptor)]
    rooms = [type(value) for value in values if has_methods_to_await(value)]
    AWAITED.update({room.__name__: f"_Async{room.__name__}" for room in rooms})
    return rooms


def _class(owner: type, names: Names) -> ast.ClassDef:
    definition = _definition(owner)
    body: list[ast.stmt] = [
        _function(method, names.inherited_by(owner, part))
        for part in (owner, *owner.__mro__[1:-1])
        for method in _definition(part).body
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_") and not _gives_a_context(method)
    ]
    own = ast.parse(OWN_METHODS).body if owner is scrubjay.Scrubjay else []
    return ast.ClassDef(AWAITED[owner.__name__], [], [], [_docstring(definition), *own, *body], [])


def _definition(owner: type) -> ast.ClassDef:
    definition = _parsed(owner).body[0]
    assert isinstance(definition, ast.ClassDef)
    return definition


def _gives_a_context(method: ast.FunctionDef) -> bool:
    return any(ast.unparse(one) == "contextmanager" for one in method.decorator_list)


def _function(definition: ast.stmt, local: Callable[[str], str]) -> ast.FunctionDef | ast.AsyncFunctionDef:
    assert isinstance(definition, ast.FunctionDef)
    body: list[ast.stmt] = [_docstring(definition)] if ast.get_docstring(definition) else [ast.Expr(ast.Constant(...))]
    kind = ast.FunctionDef if definition.decorator_list else ast.AsyncFunctionDef  # a property is not awaited
    stub = kind(definition.name, definition.args, body, definition.decorator_list, definition.returns)
    stub.args.defaults = [_shown(one) for one in stub.args.defaults]
    stub.args.kw_defaults = [one and _shown(one) for one in stub.args.kw_defaults]
    for node in ast.walk(stub):
        if isinstance(node, ast.Name):
            node.id = local(node.id)
    return ast.fix_missing_locations(stub)


def _shown(default: ast.expr) -> ast.expr:
    """A constant of some module is not repeated here."""
    return default if isinstance(default, ast.Constant) else ast.Constant(...)


def _docstring(definition: ast.FunctionDef | ast.ClassDef) -> ast.Expr:
    return ast.Expr(ast.Constant(ast.get_docstring(definition, clean=False) or ""))


def _parsed(owner: object) -> ast.Module:
    return ast.parse(inspect.getsource(owner))  # type: ignore[arg-type]


def _formatted(source: str) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    sort = [*ruff, "check", "--quiet", "--select", "I", "--fix", "--stdin-filename", str(STUB), "-"]
    shape = [*ruff, "format", "--quiet", "--line-length", LINE, "--stdin-filename", str(STUB), "-"]
    for command in (sort, shape):
        source = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    return source


if __name__ == "__main__":
    STUB.write_text(async_stub(), encoding="utf-8")
