"""The visits at which a condition was found, and groups of conditions by words in their names."""

import gzip
import json

groups = {
    "pregnancy": ["pregnan", "miscarriage", "fetus", "eclampsia", "ovum"],
    "tumours": ["neoplasm", "carcinoma", "cancer", "polyp", "tumor"],
    "injuries": ["sprain", "fracture", "laceration", "concussion", "whiplash", "burn", "injury", "wound"],
    "airways": [
        "sinusitis",
        "pharyngitis",
        "bronchitis",
        "throat",
        "asthma",
        "rhinitis",
        "emphysema",
        "pneumonia",
    ],
    "heart": ["hypertension", "heart", "stroke", "atrial", "cardiac", "myocardial"],
    "metabolism": ["mass index", "diabet", "lipid", "glyc", "metabolic", "gout", "thyroid"],
    "joints": ["osteo", "arthritis", "myalgia"],
    "nerves": ["migraine", "seizure", "epilepsy", "alzheimer", "attention", "brain", "spinal", "pain"],
}
found = {}
with gzip.open("synthea_r4_trees.ndjson.gz", "rt") as lines, open("patients.ndjson", "w") as out:
    for line in lines:
        person = json.loads(line)
        visits = []
        for visit in person["encounters"]:
            names = [
                ill["text"].replace(" (disorder)", "").replace(" (finding)", "")
                for ill in visit["conditions"]
            ]
            if names:
                visits.append({"class": visit["class"], "conditions": names})
            for name in names:
                own = (
                    group for group, parts in groups.items() if any(part in name.lower() for part in parts)
                )
                found[name] = next(own, "other")
        born = int(person["birthDate"][:4])
        print(json.dumps({"gender": person["gender"], "born": born, "visits": visits}), file=out)
with open("conditions.csv", "w") as out:
    print(*(f"{name};{group};*" for name, group in sorted(found.items())), sep="\n", file=out)
