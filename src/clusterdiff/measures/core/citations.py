"""Where the measures come from."""

from typing import Final

CITATIONS: Final = {
    "almudevar1999": "Almudevar and Field, J. Agric. Biol. Environ. Stat. 4 (1999)",
    "amigo2009": "Amigó, Gonzalo, Artiles and Verdejo, Inf. Retrieval 12 (2009)",
    "anderson2010": "Anderson, Bezdek, Popescu and Keller, IEEE Trans. Fuzzy Syst. 18 (2010)",
    "bagga1998": "Bagga and Baldwin, COLING-ACL 1998",
    "benhur2002": "Ben-Hur, Elisseeff and Guyon, Pac. Symp. Biocomput. 2002",
    "brouwer2009": "Brouwer, J. Intell. Inf. Syst. 32 (2009)",
    "campagner2019": "Campagner and Ciucci, Knowledge-Based Systems 180 (2019)",
    "campagner2023": "Campagner, Ciucci and Denœux, Information Sciences 623 (2023)",
    "campello2007": "Campello, Pattern Recognition Letters 28 (2007)",
    "collins1988": "Collins and Dent, Multivar. Behav. Res. 23 (1988)",
    "denoeux2017": "Denœux, Li and Sriboonchitta, IEEE Trans. Fuzzy Syst. 26 (2018)",
    "fowlkes1983": "Fowlkes and Mallows, J. Am. Stat. Assoc. 78 (1983)",
    "frigui2007": "Frigui, Hwang and Rhee, Pattern Recognition 40 (2007)",
    "gates2017": "Gates and Ahn, J. Mach. Learn. Res. 18 (2017)",
    "gates2019": "Gates, Wood, Hetrick and Ahn, Sci. Rep. 9 (2019)",
    "hubert1985": "Hubert and Arabie, J. Classification 2 (1985)",
    "hullermeier2012": "Hüllermeier, Rifqi, Henzgen and Senge, IEEE Trans. Fuzzy Syst. 20 (2012)",
    "luo2005": "Luo, HLT-EMNLP 2005",
    "luo2014": "Luo, Pradhan, Recasens and Hovy, ACL 2014",
    "mcdaid2011": "McDaid, Greene and Hurley, arXiv 1110.2515 (2011)",
    "meila2001": "Meila and Heckerman, Machine Learning 42 (2001)",
    "meila2007": "Meila, J. Multivariate Anal. 98 (2007)",
    "menestrina2010": "Menestrina, Whang and Garcia-Molina, PVLDB 3 (2010)",
    "mirkin1996": "Mirkin, Mathematical Classification and Clustering (1996)",
    "moosavi2016": "Moosavi and Strube, ACL 2016",
    "pradhan2012": "Pradhan, Moschitti, Xue, Uryupina and Zhang, CoNLL 2012",
    "rand1971": "Rand, J. Am. Stat. Assoc. 66 (1971)",
    "rosales2013": "Rosales-Méndez and Ramírez-Cruz, CICE-BCubed, CIARP 2013",
    "rosenberg2007": "Rosenberg and Hirschberg, EMNLP-CoNLL 2007",
    "shannon1948": "Shannon, Bell Syst. Tech. J. 27 (1948)",
    "strehl2003": "Strehl and Ghosh, J. Mach. Learn. Res. 3 (2003)",
    "vandongen2000": "van Dongen, CWI Report INS-R0012 (2000)",
    "vanheusden2022": "van Heusden, Kamps and Marx, BCubed Revisited, ICTIR 2022",
    "vilain1995": "Vilain, Burger, Aberdeen, Connolly and Hirschman, MUC-6 (1995)",
    "vinh2010": "Vinh, Epps and Bailey, J. Mach. Learn. Res. 11 (2010)",
    "xiang2012": "Xiang, Mao, Chai, Chieu, Tsang and Zhao, A Split-Merge Framework, ICML 2012",
    "yang2013": "Yang and Leskovec, WSDM 2013",
    "zhao2001": "Zhao and Karypis, Univ. of Minnesota TR 01-40 (2001)",
}


def cited(publication: str) -> str:
    """A publication as it is shown: of a key what it stands for, any other text as it is."""
    return CITATIONS.get(publication, publication)
