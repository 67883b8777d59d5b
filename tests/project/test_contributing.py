"""CONTRIBUTING says how the code is laid out; here it is held against the code."""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "veridag"
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
LAYERS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]["layers"]
FOLDERS = sorted(path.parent for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE)
STEP = re.compile(r"^(?P<indent> *)(?P<path>[\w/]+\.(?:py|cpp|hpp)) +(?P<symbol>[\w.]+) {2,}(?P<words>\S.*)$")


def section(title: str) -> str:
    return re.split(r"^## ", TEXT.split(f"\n## {title}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


def members(layer: str) -> list[str]:
    return [name.strip(" ()") for name in re.split(r"[|:]", layer)]


def layer_of(path: str) -> int:
    """How far down a file of the package is."""
    top = Path(path).parts[0].removesuffix(".py")
    return next(i for i, layer in enumerate(LAYERS) if top in members(layer))


def test_the_layers_are_those_that_lint_checks():
    shown = section("The layers").split("```text\n")[1].split("```")[0].splitlines()
    assert [members(line.split("  ")[0]) for line in shown] == [members(layer) for layer in LAYERS]
    assert len(LAYERS) <= 11


def test_import_rules_have_no_exceptions():
    [contract] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    assert contract["exhaustive"]
    assert not {"ignore_imports", "exhaustive_ignores"} & set(contract)


def test_the_tree_names_every_folder_and_nothing_else():
    shown = re.findall(r"^\| `([\w/.]+)`", section("The tree"), re.MULTILINE)
    named = [path for path in shown if path.startswith("src/veridag/")]
    assert all((ROOT / path).exists() for path in shown)
    tops = {f"src/veridag/{path.name}/" for path in FOLDERS if path.parent == PACKAGE}
    modules = {f"src/veridag/{path.name}" for path in PACKAGE.glob("*.py") if not path.name.startswith("_")}
    assert {
        path for path in named if path.count("/") <= 3 and (path.endswith("/") or path.count("/") == 2)
    } == tops | modules


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(PACKAGE)))
def test_a_folder_says_what_lives_there_and_what_may_not(folder):
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8")))
    assert text is not None
    assert len(re.findall(r"[.!?:](?=\s|$)", text)) >= 2, "one sentence for what lives there, one for what may not"


def test_few_modules_lie_flat_and_nowhere_is_a_dumping_ground():
    flat = [path.name for path in PACKAGE.glob("*.py") if not path.name.startswith("_")]
    assert len(flat) <= 8, flat
    names = {part for path in PACKAGE.rglob("*.py") for part in path.relative_to(PACKAGE).with_suffix("").parts}
    assert not names & {"utils", "util", "helpers", "helper", "common", "misc"}


# ---- the walks


@dataclass(frozen=True)
class Step:
    depth: int
    path: str
    symbol: str

    @property
    def source(self) -> str:
        base = ROOT / "src" if self.path.startswith("core/") else PACKAGE
        return (base / self.path).read_text("utf-8")

    @property
    def is_python(self) -> bool:
        return self.path.endswith(".py")


def walks() -> dict[str, list[Step]]:
    found = {}
    for title, block in re.findall(
        r"^### (.+?)\n.*?```text\n(.*?)```", section("Three walks"), re.MULTILINE | re.DOTALL
    ):
        matches = [STEP.match(line) for line in block.splitlines()]
        assert all(matches), [line for line, match in zip(block.splitlines(), matches, strict=True) if not match]
        found[title] = [Step(len(m["indent"]) // 2, m["path"], m["symbol"]) for m in matches if m]
    return found


def calls() -> list[tuple[str, Step, Step]]:
    """Each step of a walk with the one that it is called from: the nearest line above that is indented less."""
    pairs = []
    for title, steps in walks().items():
        for k, step in enumerate(steps):
            above = [other for other in steps[:k] if other.depth < step.depth]
            if above:
                assert above[-1].depth == step.depth - 1, f"{title}: {step} is indented too far"
                pairs.append((title, above[-1], step))
    return pairs


def test_there_are_the_walks_that_people_ask_for():
    assert [title.split("`")[1] for title in walks()] == ["veridag learn", "veridag report", "veridag study run"]
    assert all(len(steps) >= 8 for steps in walks().values())


EVERY_STEP = list(dict.fromkeys(step for steps in walks().values() for step in steps))  # every process has this order


@pytest.mark.parametrize("step", EVERY_STEP, ids=lambda step: f"{step.path}-{step.symbol}")
def test_a_step_of_a_walk_is_where_it_is_said_to_be(step):
    if not step.is_python:
        assert re.search(rf"\b{re.escape(step.symbol)}\b", step.source)
        return
    scope: ast.AST = ast.parse(step.source)
    for name in step.symbol.split("."):
        [scope] = [node for node in scope.body if name in names_of(node)][-1:]


def names_of(node: ast.stmt) -> list[str]:
    """What a statement defines."""
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [getattr(node, "name", "")]


@pytest.mark.parametrize(("title", "caller", "step"), calls(), ids=lambda value: getattr(value, "symbol", ""))
def test_a_walk_goes_from_caller_to_called_and_never_upwards(title, caller, step):
    module = ".".join(["veridag", *Path(step.path).with_suffix("").parts])  # started as a process by this name
    called = step.symbol.split(".")[-1]
    mentioned = rf"\b{called}\b" if called != "main" else re.escape(module)
    assert re.search(mentioned, caller.source), f"{title}: {caller.path} does not mention {called}"
    if caller.is_python and step.is_python:
        assert layer_of(step.path) >= layer_of(caller.path), f"{title}: {step.path} is above {caller.path}"
