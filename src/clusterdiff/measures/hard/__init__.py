"""Measures of partitions: pairs, BCubed, information, matching, coreference, chance."""
