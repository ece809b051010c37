import pytest

from shoal.errors import InputError
from shoal.io.read.trees import TreeSpec, read_trees

PATIENTS = """<?xml version="1.0"?>
<!-- two patients -->
<patients xmlns="urn:x">
  <patient id="1"><sex>F</sex>
    <visit><hospital>H1</hospital><ill severity="2">flu</ill><ill>gout</ill></visit>
    <visit><hospital>H2</hospital></visit>
  </patient>
  <patient id="2"><sex/></patient>
</patients>
"""


@pytest.fixture
def read(tmp_path):
    def run(text, **spec):
        path = tmp_path / "patients.xml"
        path.write_text(text, encoding="utf-8")
        return read_trees(path, TreeSpec(**spec))

    return run


def test_elements_and_attributes_are_fields(read):
    trees = read(PATIENTS, drop=["id"])
    assert trees.n == 2
    assert trees.tree(0) == (
        ("sex", "F"),
        (
            "visit.hospital",
            "H1",
            ("visit.ill", "gout"),
            ("visit.ill.severity", "2", ("visit.ill.text", "flu")),
        ),
        ("visit.hospital", "H2"),
    )
    assert trees.tree(1) == ()


def test_bombs_and_files_of_the_machine_stay_outside(read, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret", encoding="utf-8")
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<!DOCTYPE p [<!ENTITY l0 "ha">{laughs}]><p><q><a>&l9;</a></q></p>'
    outside = f'<!DOCTYPE p [<!ENTITY x SYSTEM "file://{secret}">]><p><q><a>&x;</a></q></p>'
    for text in (bomb, outside, "<!DOCTYPE p><p><q><a>1</a></q></p>"):
        with pytest.raises(InputError, match="document type declaration"):
            read(text)


def test_faults_name_the_line(read):
    with pytest.raises(InputError, match=r"patients.xml, line 3: not well-formed") as caught:
        read("<p>\n<q><a>1</a></q>\n<q><a>secret</b></q>\n</p>")
    assert "secret" not in str(caught.value)
    with pytest.raises(InputError, match="not well-formed"):
        read("<p><q><a>&nothere;</a></q></p>")
    with pytest.raises(InputError, match="not well-formed"):
        read("")


def test_a_file_of_many_records_is_streamed(read):
    trees = read("<p>" + "<q><a>1</a><b><c>2</c></b></q>" * 3000 + "</p>")
    assert trees.n == 3000
    assert trees.tree(2999) == (("a", "1"), ("b.c", "2"))


def test_depth_200(read):
    text = "x"
    for _ in range(200):
        text = f"<n>{text}</n>"
    assert len(read(f"<p><q>{text}</q></p>").items) == 1


def test_too_deep_is_refused(read):
    with pytest.raises(InputError, match="not well-formed"):
        read("<p>" + "<n>" * 5000 + "</n>" * 5000 + "</p>")
