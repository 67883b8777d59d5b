"""Mathematics as MathML, made while the site is built: `$q_i$`, `$$ ... $$ (label)` and, in docstrings, `:math:`.

Browsers draw it themselves, so a page needs no script and no font. The TeX is kept in an annotation, where copying and
screen readers find it. TeX that cannot be rendered fails the build.
"""

from __future__ import annotations

import re
from html import escape
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

_LEFT_OVER = re.compile(r"\\[a-zA-Z]+")
# Spaces as TeX has them: after a function's name, and none around bars.
_FUNCTION = re.compile(r"(<mi>(?:log|exp|max|min|det)</mi>)(?=<m[isf]|<mo [^>]*>&#x0007C;)")
_BAR = re.compile(r"<mo( stretchy=\"false\")?>(?=&#x0007C;</mo>)")
_CONTENT = re.compile(r"<math[^>]*>(.*)</math>", re.DOTALL)


class CannotRender(ValueError):
    """TeX that has no MathML here."""


def to_mathml(tex: str, display: str = "inline") -> str:
    """TeX as a `math` element with the TeX in an annotation."""
    tex = tex.strip()
    bare = tex.replace(r"\{", "").replace(r"\}", "")
    if bare.count("{") != bare.count("}"):
        raise CannotRender(f"{tex!r}: the braces do not match")
    try:
        made = convert(tex, display=display)
        texts = "".join(ElementTree.fromstring(made).itertext())
    except Exception as error:  # of many kinds, and not documented
        raise CannotRender(f"{tex!r}: {error!r}") from error
    unknown = _LEFT_OVER.findall(texts)
    if unknown:
        raise CannotRender(f"{tex!r}: {', '.join(unknown)} is not known to latex2mathml")
    content = _FUNCTION.sub(r'\1<mspace width="0.17em"/>', _CONTENT.search(made)[1])
    content = _BAR.sub('<mo stretchy="false" lspace="0" rspace="0">', content)
    return (
        f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="{display}"><semantics><mrow>{content}</mrow>'
        f'<annotation encoding="application/x-tex">{escape(tex, quote=False)}</annotation></semantics></math>'
    )


def _rendered(node: nodes.Element, display: str) -> str:
    try:
        return to_mathml(node.astext(), display)
    except CannotRender as error:
        logging.getLogger(__name__).warning("cannot render the mathematics %s", error, location=node)
        return escape(node.astext())


def _inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(f'<span class="math">{_rendered(node, "inline")}</span>')
    raise nodes.SkipNode


def _block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(translator.starttag(node, "div", CLASS="math equation"))
    translator.body.append(_rendered(node, "block"))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append("</div>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
