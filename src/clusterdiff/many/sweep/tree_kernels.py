"""Compiled walk up a dendrogram."""

from __future__ import annotations

from clusterdiff.compiled import compiled


@compiled
def climb(left, right, heights, leaf, height, used):  # type: ignore[no-untyped-def]  # pragma: no cover
    """A leaf of either side of each merge, and the largest height inside; the first row that names
    a node that is not there or was joined before, -1 if none does.
    """
    leaves = left.size + 1
    for i in range(left.size):
        height[i] = heights[i]
        for side in range(2):
            node = left[i] if side == 0 else right[i]
            if node < 0 or node >= leaves + i or used[node]:
                return i
            used[node] = True
            if node < leaves:
                leaf[side, i] = node
            else:
                leaf[side, i] = leaf[0, node - leaves]
                height[i] = max(height[i], height[node - leaves])
    return -1
