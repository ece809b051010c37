"""Figures 2, 4, 6 of the paper on record trees, rebuilt from its prose: the text copy has no figures.

What the prose fixes: r2 was treated for gastritis, with antibiotics, in Hospital2 (Fig. 7). Only r3 holds both
Hospital1 over flu and Hospital2 over antibiotics (Fig. 3). Hospital2 stands under the root of r1, r2, r3 (Ex. 4),
Hospital1 over a lung disease in r2, r3, r4 (Ex. 5). The published r1 has the paths hospital > level 1, one leaf
alone, hospital > level 1 > level 1, and r2 twice the last, once the others (Ex. 1); there are 12 leaves and 6 nodes
above them (Ex. 1), three levels up to the common root (Ex. 3). The cut and the disassociations are in Sec. 3.3.
What is ours: which leaves below hospitals the prose does not name, the names Surgery and Maternity.
"""

GROUPS = {
    "hospital": {"General Hospital": ("Hospital1", "Hospital2"), "Maternity": ("Rea", "Gaia")},
    "disease": {"Lung Disease": ("Flu", "Bronchitis"), "Stomach Disorder": ("Gastritis", "Diarrhea")},
    "treatment": {"Medicine": ("Painkillers", "Antibiotics"), "Surgery": ("Neurological", "Orthopedic")},
}
ROOTS = {"hospital": "Hospital", "disease": "Disease", "treatment": "Treatment"}
GENERALIZED = {
    "Flu": "Lung Disease",
    "Bronchitis": "Lung Disease",
    "Painkillers": "Medicine",
    "Antibiotics": "Medicine",
}
DISASSOCIATED = (("Hospital1", "Gastritis"), ("Hospital2", "Gastritis"))


def hospital(name, *diseases):
    return ("hospital", name, *diseases)


def disease(name, *treatments):
    return ("disease", name, *(("treatment", treatment) for treatment in treatments))


FIGURE_2 = (
    (
        hospital("Hospital1", disease("Gastritis", "Antibiotics")),
        hospital("Hospital2", disease("Flu", "Painkillers")),
    ),
    (
        hospital("Hospital1", disease("Bronchitis", "Antibiotics")),
        hospital("Hospital2", disease("Gastritis", "Antibiotics"), disease("Bronchitis", "Painkillers")),
    ),
    (
        hospital("Hospital1", disease("Flu", "Painkillers")),
        hospital("Hospital2", disease("Bronchitis", "Antibiotics"), disease("Gastritis")),
    ),
    (hospital("Hospital1", disease("Flu", "Antibiotics")),),
)

_lung = disease("Lung Disease", "Medicine")

FIGURE_4 = (
    (disease("Gastritis"), hospital("Hospital1", ("treatment", "Medicine")), hospital("Hospital2", _lung)),
    (
        disease("Gastritis"),
        hospital("Hospital1", _lung),
        hospital("Hospital2", ("treatment", "Medicine"), _lung),
    ),
    (disease("Gastritis"), hospital("Hospital1", _lung), hospital("Hospital2", _lung)),
    (hospital("Hospital1", _lung),),
)


def paths(name):
    """The rows of a class's hierarchy, leaf first."""
    return [[leaf, group, ROOTS[name]] for group, leaves in GROUPS[name].items() for leaf in leaves]
