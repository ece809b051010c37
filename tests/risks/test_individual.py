"""Grouping equal tuples."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_losses as naive
import shoal
from shoal.base.errors import InputError
from shoal.io.read.cells import factorize
from shoal.io.read.table import read
from shoal.risks.column_sets import measure_column_sets, special_uniques
from shoal.risks.look_alikes import describe_classes
from shoal.risks.population_uniques import pitman, population_size, zayatz
from shoal.utility import class_ids

WIDE = st.one_of(st.integers(-2, 2), st.integers(-(2**62), 2**62))


@settings(max_examples=60)
@given(st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[WIDE] * d), max_size=8)), st.integers(1, 3))
def test_equal_tuples_get_equal_numbers_in_tuple_order(rows, copies):
    rows = rows * copies
    width = len(rows[0]) if rows else 1
    columns = [np.array([row[j] for row in rows], dtype=np.int64) for j in range(width)]
    order = sorted(set(rows))
    assert class_ids(columns).tolist() == [order.index(row) for row in rows]


def test_more_columns_than_a_packed_key_holds():
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 2**30, 40).astype(np.int32) for _ in range(7)]
    twice = [np.r_[column, column] for column in columns]
    ids = class_ids(twice)
    assert np.array_equal(ids[:40], ids[40:])
    assert sorted(ids[:40].tolist()) == list(range(40))


def test_no_columns_are_refused():
    with pytest.raises(InputError, match="no columns to group by"):
        class_ids([])


# Risk against its slow twin and by hand.

ROWS = st.lists(st.tuples(st.integers(-3, 4), st.integers(10, 15)), min_size=1, max_size=14)


def same(found, expected):
    flat, wanted = (
        facts | {f"below {t}": share for t, share in facts["below"].items()} for facts in (found, expected)
    )
    del flat["below"], wanted["below"]
    return flat == pytest.approx(wanted, rel=1e-12)


@settings(max_examples=80)
@given(ROWS)
def test_agrees_with_its_definition(rows):
    classes, persons = (list(part) for part in zip(*rows, strict=True))
    limits = (2, 5, 10, 20)
    alone = naive.risk(classes, list(range(len(rows))), limits)
    assert same(describe_classes(np.array(classes)), alone)
    assert alone["average"] == pytest.approx(alone["classes"] / alone["records"])
    shared = naive.risk(classes, persons, limits)
    assert same(describe_classes(np.array(classes), np.array(persons)), shared)


def test_no_rows_no_risk():
    found = describe_classes(np.empty(0, dtype=np.int64))
    assert (found["records"], found["highest"], found["average"], found["below"]["5"]) == (0, 0, 0, 0)
    assert describe_classes(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)) == found


def test_persons_of_another_length_are_refused():
    with pytest.raises(InputError, match="2 persons for 3 rows"):
        describe_classes(np.array([0, 0, 1]), np.array([1, 2]))


# Risk as ARX and sdcMicro measure it: figures of their own code for the Adult table, recomputed here.
#
# Those of ARX were printed by ARX at commit aacd487 (RiskModelAttributes, RiskModelSampleSummary at the threshold 0.2
# and RiskModelPopulationUniqueness, with their defaults), compiled from its public repository, on its files adult.csv
# and adult_subset.csv. Where ARX prints 0 for Pitman's estimate it says that it has none.
# Those of SUDA were printed by the C++ code of sdcMicro at commit cf32510 (suda2, original scores) on adult_subset.csv.

ADULT = Path(__file__).parents[2].parent / "shared" / "data" / "adult"
on_adult = pytest.mark.skipif(not ADULT.is_dir(), reason="Adult is not at hand")
ALL = "sex age race marital-status education native-country workclass occupation salary-class"

SETS = {  # columns: distinction, separation
    "salary-class": (6.630860022544923e-05, 0.3739325606425852),
    "sex": (6.630860022544923e-05, 0.43828434814896455),
    "race": (0.0001657715005636231, 0.2510168705580825),
    "workclass": (0.00023208010078907233, 0.4384710833330085),
    "marital-status": (0.00023208010078907233, 0.6572008210359416),
    "occupation": (0.00046416020157814467, 0.8946220036154093),
    "education": (0.0005304688018035939, 0.8074379804137617),
    "native-country": (0.0013593263046217095, 0.16789461132116162),
    "age": (0.0023871096081161725, 0.9781172561484958),
    "sex age": (0.004707910616006896, 0.9875711178204718),
    "age education": (0.030833499104833895, 0.9953820581133797),
    "age native-country": (0.03928784563357868, 0.9818830684362905),
    "age native-country occupation": (0.09621377892712685, 0.9979008923357694),
    "age education occupation": (0.16723028976858298, 0.9993357202186957),
    "sex age race education": (0.104502353955308, 0.9980043136139699),
    "age education native-country occupation": (0.23420197599628673, 0.999421986694086),
    ALL: (0.6465751607983555, 0.999906322421153),
}

UNIQUE = {  # file and columns: by sampling fraction, the share of the population by Pitman and by Zayatz
    ("adult.csv", ALL): {
        0.001: (0.0755339729494482, 0.26523834289560255),
        0.01: (0.1446083531167384, 0.2717127199363312),
        0.05: (0.22768719405149696, 0.29639589893327734),
        0.1: (0.27684993883653597, 0.3207402393466189),
        0.2: (0.33662801701732237, 0.3577099234829125),
        0.5: (0.43590279806404286, 0.43194944819318987),
        0.9: (0.5145063671913978, 0.4999852250958078),
    },
    ("adult.csv", "sex age race education"): {
        0.001: (0.0003283888452930961, 0.0016954719250890124),
        0.01: (0.0016533887791612821, 0.002573038230581314),
        0.05: (0.005117319762997188, 0.0054899278148267125),
        0.1: (0.008324565508967081, 0.008038125300649093),
        0.2: (0.013541930956547583, 0.012432408513530063),
        0.5: (0.02576494054774674, 0.02355710548178802),
        0.9: (0.03892512825529869, 0.03676083524558272),
    },
    ("adult.csv", "age native-country occupation"): {
        0.001: (0.002524246382448844, 0.003841909012814627),
        0.01: (0.00704594083215745, 0.006285471344902361),
        0.05: (0.014439258349140349, 0.018576334835475668),
        0.1: (0.01966736787480361, 0.028374670715216696),
        0.2: (0.026788450609437707, 0.037769302811330785),
        0.5: (0.04030436992825528, 0.04903318202505615),
        0.9: (0.052378902618132724, 0.05807948920156733),
    },
    ("adult_subset.csv", ALL): {
        0.001: (0.11572730000132007, 0.6681773622228463),
        0.01: (0.24045554833305818, 0.6698430111094793),
        0.05: (0.4008916071247052, 0.6771627315062283),
        0.1: (0.4996130621166498, 0.6861234134000964),
        0.2: (0.6226451424809406, 0.7034304011967762),
        0.5: (0.8329634512530092, 0.750819882887343),
        0.9: (0.0, 0.8051096296337943),
    },
}

SUDA = {  # columns: rows with a score, the three highest scores, their sum, the contribution of each column
    "sex race marital-status education workclass": (
        278,
        [12, 18, 24],
        822,
        [0.28223844282235894, 0.497566909975663, 0.5961070559610766, 0.8381995133820073, 0.5948905109489184],
    ),
    "sex race marital-status education workclass occupation salary-class": (
        884,
        [384, 408, 720],
        38002,
        [
            0.16575443397715134,
            0.34758696910688186,
            0.46137045418663153,
            0.6705173411925828,
            0.4077680122098726,
            0.6270459449502647,
            0.14520288405872286,
        ],
    ),
}


def columns_of(file, names):
    frame = read(ADULT / file).frame
    return [factorize(frame[name])[1] for name in names.split()]


@on_adult
def test_distinction_and_separation():
    names = ALL.split()
    found = {one.columns: one for one in measure_column_sets(columns_of("adult.csv", ALL)).sets}
    for words, (distinction, separation) in SETS.items():
        one = found[tuple(sorted(names.index(name) for name in words.split()))]
        assert one.distinction == pytest.approx(distinction, rel=1e-12)
        assert one.separation == pytest.approx(separation, rel=1e-12)


@on_adult
@pytest.mark.parametrize("names", SUDA)
def test_special_uniques(names):
    rows, highest, total, contribution = SUDA[names]
    special = special_uniques(measure_column_sets(columns_of("adult_subset.csv", names)), len(names.split()))
    assert (special.score > 0).sum() == rows
    assert np.sort(special.score)[-3:].tolist() == highest
    assert special.score.sum() == total
    assert special.contribution == pytest.approx(contribution, rel=1e-9)


@pytest.mark.parametrize(
    ("rows", "scores", "contribution"),
    [
        (
            [
                *[("20s", "male", "50k+", "high")] * 2,
                *[("20s", "male", "50k-", "high")] * 2,
                ("20s", "female", "50k-", "university"),
                ("20s", "female", "50k-", "high"),
                ("20s", "female", "50k-", "middle"),
                ("60s", "male", "50k-", "university"),
            ],
            [0, 0, 0, 0, 4, 2, 6, 8],
            None,
        ),
        ([(2, 0, 0), (1, 3, 6), (1, 0, 0)], None, (0.5, 0.375, 0.375)),
    ],
)
def test_special_uniques_that_tests_of_sdcmicro_print(rows, scores, contribution):
    """`test_suda2.R` of sdcMicro 5.8.1."""
    columns = [np.unique(column, return_inverse=True)[1] for column in zip(*rows, strict=True)]
    special = special_uniques(measure_column_sets(columns), len(columns))
    assert scores is None or special.score.tolist() == scores
    assert contribution is None or special.contribution == contribution


@on_adult
def test_prosecutor_and_marketer():
    found = describe_classes(class_ids(columns_of("adult.csv", ALL)), below=[5])
    assert found["below"]["5"] == pytest.approx(0.7781314236456468, rel=1e-12)
    assert found["highest"] == 1
    assert found["average"] == pytest.approx(0.6465751607983555, rel=1e-12)


@on_adult
@pytest.mark.parametrize(("file", "names"), UNIQUE)
def test_population_uniqueness(file, names):
    sizes = np.bincount(class_ids(columns_of(file, names)))
    for fraction, (by_pitman, by_zayatz) in UNIQUE[file, names].items():
        population = population_size(int(sizes.sum()), fraction)
        assert zayatz(sizes, population) == pytest.approx(by_zayatz, rel=1e-12)
        assert (pitman(sizes, population) or 0) == pytest.approx(by_pitman, rel=1e-8)


@on_adult
@pytest.mark.parametrize(
    ("names", "above", "average"),
    [
        (ALL, 0.7765251989389921, 0.6409309888373869),
        ("sex age race education", 0.12234748010610079, 0.10691276097036706),
    ],
)
def test_journalist(names, above, average):
    """The subset is the sample, Adult the population: ARX's JournalistRisk of the subset's view."""
    roles = dict.fromkeys(names.split(), "quasi") | {"*": "drop"}
    sample = shoal.read(
        ADULT / "adult_subset.csv", roles=roles, hierarchies={name: {"fanout": 5} for name in names.split()}
    )
    found = shoal.risk(sample, population=ADULT / "adult.csv").as_dict()
    assert found["journalist"]["above"] == pytest.approx(above, rel=1e-12)
    assert found["journalist"]["average"] == pytest.approx(average, rel=1e-12)
    assert found["journalist"]["absent"] == 0


@on_adult
def test_pitman_with_a_negative_alpha():
    """Few people, of whom few are alone: ARX stops within 1e-6 of the maximum."""
    sizes = np.array([1] * 8 + [2] * 3 + [3, 4])
    assert pitman(sizes, 5000) == pytest.approx(2.082466352463418e-07, rel=1e-5)
