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
    assert len(LAYERS) <= 12


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
    for walk in re.split(r"^### ", section("Three walks"), flags=re.MULTILINE)[1:]:
        title, text = walk.split("\n", 1)
        steps = found.setdefault(title.strip("`"), [])
        for line in "".join(re.findall(r"```text\n(.*?)```", text, re.DOTALL)).splitlines():
            match = STEP.match(line)
            assert match, line
            steps.append(Step(len(match["indent"]) // 2, match["path"], match["symbol"]))
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
    assert list(walks()) == ["veridag learn", "veridag report", "veridag study run"]
    assert all(len(steps) >= 8 for steps in walks().values())


EVERY_STEP = list(dict.fromkeys(step for steps in walks().values() for step in steps))  # every process has this order


@pytest.mark.parametrize("step", EVERY_STEP, ids=lambda step: f"{step.path}-{step.symbol}")
def test_a_step_of_a_walk_is_where_it_is_said_to_be(step):
    if not step.is_python:
        assert all(re.search(rf"\b{name}\b", step.source) for name in step.symbol.split("."))
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
    called = step.symbol.split(".")[-1]
    if called == "main":  # a process, started by the name of its module
        called = ".".join(["veridag", *Path(step.path).with_suffix("").parts])
    text = reached(caller) if caller.is_python else caller.source
    assert re.search(rf"\b{re.escape(called)}\b", text), f"{title}: {caller.symbol} does not call {called}"
    if caller.is_python and step.is_python:
        assert layer_of(step.path) >= layer_of(caller.path), f"{title}: {step.path} is above {caller.path}"


def reached(step: Step) -> str:
    """The source of a function, class or constant, and of all that it uses from the same file."""
    tree = ast.parse(step.source)
    own = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    waiting, seen = [step.symbol.split(".")[-1]], set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            used = [use for node in [*own, *constants(tree)] if name in names_of(node) for use in ast.walk(node)]
            waiting += [getattr(use, "id", getattr(use, "attr", "")) for use in used]
    return "\n".join(
        ast.unparse(node) for node in [*own, *constants(tree)] if getattr(node, "name", None) in {*seen, None}
    )


def constants(tree: ast.Module) -> list[ast.stmt]:
    """What stands at the head of a file besides imports, such as a table of functions."""
    return [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]


def test_the_lines_below_a_step_are_in_the_order_of_the_calls():
    for title, steps in walks().items():
        for k, caller in enumerate(steps):
            below = []
            for step in steps[k + 1 :]:
                if step.depth <= caller.depth:
                    break
                if step.depth == caller.depth + 1:
                    below.append(step.symbol.split(".")[-1])
            places = [place for place in (first_use(caller, name) for name in below) if place is not None]
            assert places == sorted(places), f"{title}: {below} below {caller.symbol}"


def first_use(caller: Step, name: str) -> int | None:
    """The line in which the function itself first uses the name; None if others of its file do that for it."""
    if not caller.is_python:
        return None
    node: ast.AST = ast.parse(caller.source)
    for part in caller.symbol.split("."):
        [node] = [n for n in node.body if part in names_of(n)][-1:]
    inside = [n for statement in getattr(node, "body", []) for n in ast.walk(statement)]
    uses = [n.lineno for n in inside if name in (getattr(n, "id", None), getattr(n, "attr", None))]
    return min(uses, default=None)
