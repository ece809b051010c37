"""The six data sets: what each is, where it comes from, and what is asked of its release."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["KS", "SETS", "Set"]

KS = (2, 5, 10, 25, 50)


@dataclass(frozen=True)
class Set:
    """A data set; beside this file, the folder of its name holds what its reader types.

    `files` are those beside the checkout, by the names that they get in the reader's folder; `after` tells how to read
    the rows of the release, `question` what `analyse.py` asks, and `unit` what it counts.
    """

    name: str
    title: str
    about: str
    get: str
    data: str
    files: dict[str, str]
    after: str
    question: str
    unit: str

    @property
    def folder(self) -> Path:
        """The reader's files."""
        return Path(__file__).with_name(self.name)

    @property
    def commands(self) -> tuple[str, ...]:
        """What the reader types, once the data are there."""
        return (
            *(("python prepare.py",) if (self.folder / "prepare.py").exists() else ()),
            "shoal risk",
            f"shoal compare --methods default --k {','.join(map(str, KS))}",
            "shoal run",
            f"shoal verify release --config shoal.toml --against {self.data}",
            f"shoal attack release --config shoal.toml --against {self.data}",
            "python analyse.py",
        )


ADULT = ("age", "education", "marital-status", "native-country", "race", "salary-class", "sex")
SETS = (
    Set(
        name="adult",
        title="Adult: a table",
        about="A part of the US census of 1994, and the table on which most papers are measured. The job is what "
        "nobody should learn; the pay counts among what others may know. The hierarchies are those of ARX.",
        get="# adult.csv and adult_hierarchy_*.csv: the folder data of github.com/arx-deidentifier/arx",
        data="adult.csv",
        files={
            "adult.csv": "adult/adult.csv",
            **{f"adult_hierarchy_{name}.csv": f"adult/adult_hierarchy_{name}.csv" for name in ADULT},
        },
        after="Whoever is in a crowd stays as exact as before; whoever is not becomes coarser, class by class.",
        question="Which share of people earns more than 50,000 dollars, by schooling?",
        unit="%",
    ),
    Set(
        name="survey",
        title="Current Population Survey: a table with weights",
        about="Tax units of the six states of New England in 2014. Each record has a sampling weight, and units that "
        "live together have the same household number; at least five *households* must look alike.",
        get="pip download --no-deps --no-binary :all: taxcalc==6.8.0\n"
        "tar xzf taxcalc-6.8.0.tar.gz --strip-components 2 taxcalc-6.8.0/taxcalc/cps.csv.gz",
        data="survey.csv",
        files={"cps.csv.gz": "cps_taxunits/cps.csv.gz"},
        after="Household numbers and weights are left out; wages are published in bands of 20,000 dollars.",
        question="Which share of tax units has wages of 60,000 dollars or more, by age?",
        unit="%",
    ),
    Set(
        name="visits",
        title="BMS-WebView-1: baskets",
        about="The pages that visitors of a web shop looked at, one line a visitor. Somebody may know two pages that a "
        "visitor saw, and must find at least five visitors who may be meant.",
        get="# visits.dat: data/BMS1.dat of github.com/mohameddouad/ClosedOverlap, where each id is larger by one",
        data="visits.dat",
        files={"visits.dat": "bms_webview1/BMS-WebView-1.dat.gz"},
        after="A group means: at least one of its pages; `groups.json` says which pages it has.",
        question="Which two pages are seen together most often? Of the release: in how many rows may the pair stand?",
        unit="",
    ),
    Set(
        name="mushroom",
        title="Mushroom: baskets of which all is known",
        about="Mushrooms with 23 features each, poisonous or not. They stand for people about whom somebody may know "
        "everything, such as the one who collected the data: each row is then a vote of five similar mushrooms.",
        get="# mushroom.dat: datasets/mushroom.dat of github.com/guyfrancoeur/ciclad",
        data="mushroom.dat",
        files={"mushroom.dat": "mushroom/mushroom.dat.gz"},
        after="Each row says which of its items are uncertain, and how many of those are wrong at most.",
        question="Which share of the mushrooms of a habitat is poisonous?",
        unit="%",
    ),
    Set(
        name="informs",
        title="INFORMS 2008: a table with baskets",
        about="People of the US Medical Expenditure Panel Survey of 2005, from a contest of INFORMS, with their "
        "diagnoses as ICD-9 codes. At least ten people look alike, also to whoever knows a diagnosis.",
        get="# demographics05test.csv.gz and conditions05.csv.gz: "
        "data of github.com/qiyuangong/Mondrian at commit f649d5f",
        data="patients.csv",
        files={
            f"{name}.csv.gz": f"informs2005/{name}.csv.gz" for name in ("demographics05test", "conditions05")
        },
        after="Years of birth become ranges; a group of codes means: at least one of them.",
        question="How many diagnoses do people have on average? The release says how many at least.",
        unit="",
    ),
    Set(
        name="synthea",
        title="Synthea: record trees",
        about="Patients with their visits, and the conditions that were found at each. These patients are simulated; "
        "the form is that of a hospital. Somebody may know two facts of a patient, and that they belong together. 615 "
        "patients are few for that: see what it costs.",
        get="# synthea_r4_trees.ndjson.gz: the FHIR bundles of github.com/smart-on-fhir/generated-sample-data, "
        "one patient a line\n# with gender, birthDate and encounters, of which each has its class and its conditions",
        data="patients.ndjson",
        files={"synthea_r4_trees.ndjson.gz": "synthea/synthea_r4_trees.ndjson.gz"},
        after="A condition is published as it is or as its group, for everybody in the same way.",
        question="Which groups of conditions most often meet in one patient?",
        unit="",
    ),
)
