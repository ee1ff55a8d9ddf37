"""Linear and whole-number programs of a component, for Mirkin's distance.

x is 1 for a pair of profiles apart and 0 for one together, and x_pq ≤ x_pr + x_rq: triangles that
are violated are added as they are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.many.consensus.bounds import solve_lp
from clusterdiff.meet.join import components

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints

ROUNDS = 60
ADDED = 3000
"""Triangles that are added in a round, the most violated first."""
NODES = 300
"""Branches of a whole-number program before it is given up."""
TRIES = 6
"""Whole-number programs with more triangles each time, before they are given up."""


class TriangleProgram:
    """The program of one component, from what each pair of its profiles leans to."""

    def __init__(self, lean: Floats) -> None:
        self.size = len(lean)
        self.pairs = np.triu_indices(self.size, 1)
        self.number = np.zeros(lean.shape, np.int64)
        self.number[self.pairs] = np.arange(self.pairs[0].size)
        self.number += self.number.T
        self.scale = float(np.abs(lean).max(initial=0.0)) or 1.0
        self.cost = lean[self.pairs] / self.scale
        self.majority = float(np.minimum(self.cost, 0.0).sum())
        """What pairs cost that all have their way, beside the cost of none apart."""
        self.triangles = np.zeros((0, 3), np.int64)
        """Numbers of pairs: the first is at most the sum of the other two."""

    def relaxed(self) -> tuple[Floats, float]:
        """The best fractional solution, and what every partition costs more than majorities do."""
        x, proved = (self.cost < 0).astype(np.float64), self.majority
        for _ in range(ROUNDS):
            if not self._violated(x):
                break
            x, better = solve_lp(self.cost, self._conditions(), np.zeros(len(self.triangles)), 1.0)
            proved = max(proved, better)
        return x, (proved - self.majority) * self.scale

    def rounded(self, x: Floats) -> Ints:
        """Profiles less than half apart are together."""
        near = x < 0.5
        return components(self.pairs[0][near], self.pairs[1][near], self.size)

    def whole(self) -> tuple[Ints | None, float]:
        """The best partition, if it is found, and the bound, by branch and cut."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        proved = self.majority
        for _ in range(TRIES):
            rows = LinearConstraint(self._conditions(), -np.inf, 0.0)
            solved: Any = milp(
                self.cost,
                integrality=np.ones(self.cost.size, np.int64),
                bounds=Bounds(0, 1),
                constraints=rows if len(self.triangles) else None,
                options={"node_limit": NODES, "mip_rel_gap": 0.0},
            )
            if solved.mip_dual_bound is not None and np.isfinite(solved.mip_dual_bound):
                proved = max(proved, float(solved.mip_dual_bound) - 1e-7)
            if solved.x is None or solved.status != 0:
                break
            x = np.round(solved.x)
            if not self._violated(x):
                return self.rounded(x), float(self.cost @ x - self.majority) * self.scale
        return None, (proved - self.majority) * self.scale

    def _conditions(self) -> Any:
        from scipy.sparse import coo_array

        many = len(self.triangles)
        rows = np.tile(np.arange(many), 3)
        signs = np.repeat([1.0, -1.0, -1.0], many)
        shape = (many, self.cost.size)
        return coo_array((signs, (rows, self.triangles.T.ravel())), shape=shape).tocsr()

    def _violated(self, x: Floats) -> bool:
        """Add triangles that these values violate; whether there are any."""
        apart = np.zeros((self.size, self.size))
        apart[self.pairs] = x
        apart += apart.T
        found, worst = [], []
        for r in range(self.size):
            over = apart - apart[:, r, None] - apart[None, r, :]
            p, q = np.nonzero(np.triu(over > 1e-6, 1))
            kept = (p != r) & (q != r)
            p, q = p[kept], q[kept]
            found.append(np.stack([self.number[p, q], self.number[p, r], self.number[q, r]], 1))
            worst.append(over[p, q])
        every, by = np.concatenate(found), np.concatenate(worst)
        chosen = every[np.argsort(-by, kind="stable")[:ADDED]]
        self.triangles = np.unique(np.concatenate([self.triangles, chosen]), axis=0)
        return bool(len(chosen))
