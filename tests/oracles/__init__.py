"""Oracles: measures written from their definitions, object by object, slow and plain.

Every oracle takes two mappings, object to cluster label, truth first.  `adjusted` takes a score
before them; `ceaf_m_f_values` and `ceaf_e_f_values` give a set of numbers: they are not oracles.
"""

from collections.abc import Callable
from fractions import Fraction

from . import bcubed, coreference, elements, information, matching, pairs, splitmerge
from .chance import adjusted, expected
from .common import partitions
from .coreference import ceaf_e_f_values, ceaf_m_f_values

__all__ = [
    "ORACLES",
    "adjusted",
    "ceaf_e_f_values",
    "ceaf_m_f_values",
    "expected",
    "partitions",
]

ORACLES: dict[str, Callable[..., Fraction | float]] = {
    "rand": pairs.rand,
    "adjusted_rand": pairs.adjusted_rand,
    "pair_precision": pairs.pair_precision,
    "pair_recall": pairs.pair_recall,
    "pair_f": pairs.pair_f,
    "pair_jaccard": pairs.pair_jaccard,
    "fowlkes_mallows": pairs.fowlkes_mallows,
    "mirkin_distance": pairs.mirkin_distance,
    "accuracy": matching.accuracy,
    "partition_distance": matching.partition_distance,
    "van_dongen": matching.van_dongen,
    "purity": matching.purity,
    "inverse_purity": matching.inverse_purity,
    "purity_f": matching.purity_f,
    "exact_precision": matching.exact_precision,
    "exact_recall": matching.exact_recall,
    "exact_f": matching.exact_f,
    "mutual_information": information.mutual_information,
    "nmi": information.nmi,
    "adjusted_mutual_information": information.adjusted_mutual_information,
    "vi_distance": information.vi_distance,
    "vi_similarity": information.vi_similarity,
    "vi_similarity_k": information.vi_similarity_k,
    "homogeneity": information.homogeneity,
    "completeness": information.completeness,
    "v_measure": information.v_measure,
    "bcubed_precision": bcubed.bcubed_precision,
    "bcubed_recall": bcubed.bcubed_recall,
    "bcubed_f": bcubed.bcubed_f,
    "elm_precision": bcubed.elm_precision,
    "elm_recall": bcubed.elm_recall,
    "elm_f": bcubed.elm_f,
    "split_merge": splitmerge.split_merge,
    "muc_precision": coreference.muc_precision,
    "muc_recall": coreference.muc_recall,
    "muc_f": coreference.muc_f,
    "ceaf_m_precision": coreference.ceaf_m_precision,
    "ceaf_m_recall": coreference.ceaf_m_recall,
    "ceaf_m_f": coreference.ceaf_m_f,
    "ceaf_e_precision": coreference.ceaf_e_precision,
    "ceaf_e_recall": coreference.ceaf_e_recall,
    "ceaf_e_f": coreference.ceaf_e_f,
    "blanc_precision": coreference.blanc_precision,
    "blanc_recall": coreference.blanc_recall,
    "blanc_f": coreference.blanc_f,
    "lea_precision": coreference.lea_precision,
    "lea_recall": coreference.lea_recall,
    "lea_f": coreference.lea_f,
    "conll": coreference.conll,
    "element_similarity": elements.element_similarity,
}
