"""An acyclic orientation, and the layer of every node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

from .geometry import NODE_GAP, Pair

# --- an acyclic orientation --------------------------------------------------------------------------------


def downward(n: int, arcs: list[Pair], edges: list[Pair]) -> list[Pair]:
    """Every joined pair once, as (upper, lower), without directed cycles."""
    below = _without_cycles(n, arcs)
    place = _search_order(n, below, edges)
    pairs = {(i, j) for i in range(n) for j in below[i]}
    pairs.update((i, j) if place[i] < place[j] else (j, i) for i, j in edges)
    return sorted(pairs)


def _without_cycles(n: int, arcs: list[Pair]) -> list[list[int]]:
    """Children of every node after turning round each arc that closes a cycle in a depth-first walk."""
    children: list[list[int]] = [[] for _ in range(n)]
    has_parent = [False] * n
    for i, j in arcs:
        children[i].append(j)
        has_parent[j] = True
    below: list[set[int]] = [set() for _ in range(n)]
    state = [0] * n  # 0 not seen, 1 on the current path, 2 done
    # Roots first: then only arcs inside a cycle can be turned, and the walk enters a cycle from above.
    for start in sorted(range(n), key=lambda v: (has_parent[v], v)):
        stack = [(start, iter(children[start]))] if state[start] == 0 else []
        state[start] = state[start] or 1
        while stack:
            v, rest = stack[-1]
            w = next(rest, None)
            if w is None:
                state[v] = 2
                stack.pop()
            elif state[w] == 1:
                below[w].add(v)
            else:
                below[v].add(w)
                if state[w] == 0:
                    state[w] = 1
                    stack.append((w, iter(children[w])))
    return [sorted(s) for s in below]


def _search_order(n: int, below: list[list[int]], edges: list[Pair]) -> list[int]:
    """Position of every node in a topological order that is also a maximum cardinality search over the edges.

    On the chordal components of a CPDAG such an order orients the edges without new v-structures, so that
    the layers are those of a member of the class.
    """
    beside: list[list[int]] = [[] for _ in range(n)]
    for i, j in edges:
        beside[i].append(j)
        beside[j].append(i)
    waiting = [0] * n
    for v in range(n):
        for w in below[v]:
            waiting[w] += 1
    met = [0] * n
    heap: list[tuple[int, int, int]] = []
    place = [-1] * n
    for v in range(n):
        if waiting[v] == 0:
            heappush(heap, (0, -len(beside[v]), v))
    count = 0
    while heap:
        v = heappop(heap)[2]
        if place[v] >= 0:
            continue
        place[v] = count
        count += 1
        for w in below[v]:
            waiting[w] -= 1
        for w in beside[v]:
            met[w] += 1
        for w in (*below[v], *beside[v]):
            if waiting[w] == 0 and place[w] < 0:
                heappush(heap, (-met[w], -len(beside[w]), w))
    return place


def split_components(n: int, pairs: list[Pair]) -> tuple[list[int], list[tuple[list[int], list[Pair]]]]:
    """The isolated nodes, and the nodes and pairs of every larger connected component."""
    near: list[list[int]] = [[] for _ in range(n)]
    for i, j in pairs:
        near[i].append(j)
        near[j].append(i)
    label = [-1] * n
    members: list[list[int]] = []
    for start in range(n):
        if label[start] >= 0 or not near[start]:
            continue
        label[start] = len(members)
        reached = [start]
        for v in reached:
            for w in near[v]:
                if label[w] < 0:
                    label[w] = label[start]
                    reached.append(w)
        members.append(sorted(reached))
    inside: list[list[Pair]] = [[] for _ in members]
    for pair in pairs:
        inside[label[pair[0]]].append(pair)
    return [v for v in range(n) if not near[v]], list(zip(members, inside, strict=True))


# --- layers ------------------------------------------------------------------------------------------------


def assign_layers(n: int, pairs: list[Pair], widths: Sequence[float]) -> list[int]:
    """The layer of every node of a connected acyclic graph, with the least total length of arcs.

    This is the network simplex method of Gansner et al. (1993), section 2.3. Moving a subtree S of the
    spanning tree changes the total length in proportion to the arcs out of S minus those into S, which is
    the cut value up to its sign and a plain sum over S.
    """
    above, below = adjacency(n, pairs)
    layer = _longest_paths(n, above, below)
    tree = _tight_tree(n, pairs, layer)
    for _ in range(4 * n + 100):  # degenerate steps may cycle, and every state on the way is a valid layering
        if not _improve(layer, tree, above, below):
            break
    top = min(layer)
    layer = [k - top for k in layer]
    _spread(layer, above, below, widths)
    return layer


def adjacency(n: int, pairs: Iterable[Pair]) -> tuple[list[list[int]], list[list[int]]]:
    """The upper and the lower neighbours of every node."""
    above: list[list[int]] = [[] for _ in range(n)]
    below: list[list[int]] = [[] for _ in range(n)]
    for i, j in pairs:
        below[i].append(j)
        above[j].append(i)
    return above, below


def _longest_paths(n: int, above: list[list[int]], below: list[list[int]]) -> list[int]:
    layer = [0] * n
    waiting = [len(a) for a in above]
    ready = [v for v in range(n) if not above[v]]
    for v in ready:
        for w in below[v]:
            layer[w] = max(layer[w], layer[v] + 1)
            waiting[w] -= 1
            if waiting[w] == 0:
                ready.append(w)
    return layer


def _tight_tree(n: int, pairs: list[Pair], layer: list[int]) -> list[set[int]]:
    """A spanning tree of pairs in neighbouring layers; shifts nodes in `layer` until there is one."""
    tree: list[set[int]] = [set() for _ in range(n)]
    inside = [v == 0 for v in range(n)]
    for _ in range(n - 1):
        slack, i, j = min((layer[j] - layer[i] - 1, i, j) for i, j in pairs if inside[i] != inside[j])
        shift = slack if inside[i] else -slack
        if shift:
            for v in range(n):
                layer[v] += shift if inside[v] else 0
        inside[i] = inside[j] = True
        tree[i].add(j)
        tree[j].add(i)
    return tree


def _improve(layer: list[int], tree: list[set[int]], above: list[list[int]], below: list[list[int]]) -> bool:
    """Move the subtree that shortens the arcs most, as far as it can go; False at the optimum."""
    parent = {0: -1}
    order = [0]
    for v in order:
        for w in sorted(tree[v]):
            if w != parent[v]:
                parent[w] = v
                order.append(w)
    surplus = [len(b) - len(a) for a, b in zip(above, below, strict=True)]
    best, child = 0, -1
    for v in reversed(order[1:]):
        up = parent[v]
        surplus[up] += surplus[v]
        cut = surplus[v] if layer[v] < layer[up] else -surplus[v]
        if cut < best:
            best, child = cut, v
    if child < 0:
        return False
    _exchange(layer, tree, above, below, child, parent[child])
    return True


def _exchange(
    layer: list[int],
    tree: list[set[int]],
    above: list[list[int]],
    below: list[list[int]],
    child: int,
    parent: int,
) -> None:
    """Cut the subtree of `child` off, move it away from `parent` till an arc stops it, and join it there."""
    tree[child].discard(parent)
    tree[parent].discard(child)
    moved = {child}
    reached = [child]
    for v in reached:
        fresh = [w for w in tree[v] if w not in moved]
        moved.update(fresh)
        reached.extend(fresh)
    upward = layer[child] < layer[parent]
    stops = above if upward else below
    slack, v, w = min((abs(layer[v] - layer[w]) - 1, v, w) for v in moved for w in stops[v] if w not in moved)
    for u in moved:
        layer[u] += -slack if upward else slack
    tree[v].add(w)
    tree[w].add(v)


def _spread(layer: list[int], above: list[list[int]], below: list[list[int]], widths: Sequence[float]) -> None:
    """Move nodes that cost the same in several layers to the narrowest of them."""
    filled = [0.0] * (max(layer) + 1)
    for v, k in enumerate(layer):
        filled[k] += widths[v] + NODE_GAP
    for v in sorted(range(len(layer)), key=lambda v: (-widths[v], v)):
        if len(above[v]) != len(below[v]):
            continue
        first = max(layer[w] for w in above[v]) + 1
        last = min(layer[w] for w in below[v])
        filled[layer[v]] -= widths[v] + NODE_GAP
        layer[v] = min(range(first, last), key=lambda k: (filled[k], k))
        filled[layer[v]] += widths[v] + NODE_GAP
