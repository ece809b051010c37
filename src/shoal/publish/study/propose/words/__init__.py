"""The tables of words: what the names of columns mean in seven languages."""

from shoal.publish.study.propose.words.concept import LANGUAGES, Concept
from shoal.publish.study.propose.words.identifiers import IDENTIFIERS
from shoal.publish.study.propose.words.quasi import QUASI
from shoal.publish.study.propose.words.sensitive import SENSITIVE

__all__ = ["LANGUAGES", "MEANINGS", "Concept"]

MEANINGS: tuple[Concept, ...] = (*IDENTIFIERS, *SENSITIVE, *QUASI)
