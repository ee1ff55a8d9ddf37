"""Estimators in the manner of scikit-learn whose clusterings are uncertain.

>>> from clusterdiff_lab.estimators import FuzzyCMeans
>>> FuzzyCMeans(2, random_state=0).fit([[0.0], [1.0], [9.0], [10.0]]).clustering_
Fuzzy(4 objects, 2 clusters, 4 uncertain)
"""

from importlib import import_module

from clusterdiff.errors import ClusterdiffError

try:
    import_module("sklearn")
except ImportError:
    raise ClusterdiffError(
        "estimators need scikit-learn, which is not installed.",
        'pip install "clusterdiff[sklearn]"',
    ) from None

from clusterdiff_lab.estimators.evidential import EvidentialCMeans
from clusterdiff_lab.estimators.fuzzy import FuzzyCMeans
from clusterdiff_lab.estimators.possibilistic import PossibilisticCMeans
from clusterdiff_lab.estimators.rough import RoughKMeans

__all__ = ["EvidentialCMeans", "FuzzyCMeans", "PossibilisticCMeans", "RoughKMeans"]
