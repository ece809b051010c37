"""Names of people by their form: a title, or given names that many people have."""

import re
from collections.abc import Iterable, Sequence

from shoal.publish.study.propose.lexicon import fold

__all__ = ["people"]

_TITLED = re.compile(
    r"(?i:(?:[^\W\d_]+, )?(?:mr|mrs|ms|miss|mme|mlle|dr|prof|herr|frau|sr|sra|srta|sig|sig\.ra|dott|dott\.ssa"
    r"|don|donna|bay|bayan|sayin)\b\.? )"
    r"[^\W\d_].{1,60}"
)
_WORDED = re.compile(r"[^\W\d_][\w'’.-]*(?:,? [^\W\d_][\w'’.-]*){0,4}")
_PLACES = frozenset("san santa saint sainte st sankt port fort mount new villa".split())
_HAN = re.compile(r"[\u3400-\u9fff]{2,4}")
_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹"
    "薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常张陳劉楊黃趙吳孫馬許鄭謝"
)
_GIVEN = frozenset(
    # English
    "james john robert michael william david richard joseph thomas charles christopher daniel matthew "
    "anthony mark donald steven paul andrew joshua kenneth kevin brian george timothy ronald edward jason "
    "jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel "
    "gregory alexander frank patrick raymond jack dennis jerry tyler aaron henry peter adam nathan mary "
    "patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty margaret sandra "
    "ashley kimberly emily donna michelle carol amanda dorothy melissa deborah stephanie rebecca sharon "
    "laura cynthia kathleen amy angela shirley anna brenda pamela emma nicole helen samantha katherine "
    "christine rachel carolyn janet catherine maria heather diane ruth julie olivia joyce alice bob grace "
    "sophia amelia harry oliver noah liam mia ella lucy hannah chloe evelyn zoe owen ethan logan lucas "
    "oscar leo "
    # German
    "hans peter wolfgang klaus jurgen juergen dieter manfred uwe gunter guenter horst bernd heinz karl "
    "otto fritz stefan andreas markus matthias michael martin jens sven torsten tobias florian lukas leon "
    "finn jonas felix maximilian paul ben elias moritz jan lars ursula monika petra sabine renate helga "
    "karin brigitte ingrid erika andrea gisela claudia susanne gabriele christa heike birgit anja nadine "
    "katrin sandra julia lena lea hannah marie sophie johanna greta frieda ida klara clara anke silke "
    "kerstin ute heidi "
    # French
    "jean pierre michel philippe alain nicolas christophe patrick daniel bernard stephane frederic "
    "olivier laurent sebastien julien antoine guillaume francois jacques luc louis hugo gabriel arthur "
    "jules raphael mathieu thierry pascal gerard rene yves claude marie nathalie isabelle sylvie "
    "catherine francoise valerie christine monique sandrine veronique nicole celine camille manon chloe "
    "lea ines jade louise juliette aurelie emilie elodie brigitte martine jacqueline anne helene sophie "
    "pauline margaux "
    # Spanish
    "antonio jose manuel francisco juan david javier carlos daniel jesus alejandro miguel rafael pedro "
    "pablo angel sergio fernando jorge luis alberto alvaro diego adrian raul ivan ruben enrique ramon "
    "vicente andres joaquin santiago eduardo ricardo roberto carmen maria josefa isabel dolores pilar "
    "teresa ana francisca laura antonia cristina marta mercedes lucia rosario elena paula sofia martina "
    "valentina camila gabriela alba rocio beatriz silvia irene nuria raquel patricia guadalupe juana rosa "
    # Italian
    "giuseppe giovanni antonio mario luigi francesco angelo vincenzo pietro salvatore carlo franco "
    "domenico bruno paolo giorgio marco andrea stefano alessandro matteo lorenzo davide riccardo simone "
    "federico luca fabio roberto massimo giulio enzo sergio anna maria giuseppina rosa angela giovanna "
    "teresa lucia carmela caterina francesca antonietta carla elena giulia chiara sara martina federica "
    "alessia silvia elisa valentina paola laura roberta simona giorgia aurora beatrice alice ginevra "
    # Turkish
    "mehmet mustafa ahmet ali huseyin hasan ibrahim ismail osman yusuf murat omer ramazan halil suleyman "
    "abdullah emre burak can cem kemal serkan hakan fatih eren mert kaan deniz furkan onur tolga volkan "
    "umut baris fatma ayse emine hatice zeynep elif meryem serife zehra sultan hanife merve zeliha busra "
    "esra ozlem yasemin gul selin ece defne derya sevgi melek asli ebru pinar tugba gizem irem nur nazli "
    # Chinese in Latin letters, Arabic, Slavic, Nordic, Indian
    "wei fang min jing ming hui ying xiu mohammed muhammad mohamed ahmed fatima aisha omar hassan layla "
    "khalid ivan olga natalia anastasia dmitri sergei vladimir tatiana svetlana piotr krzysztof katarzyna "
    "agnieszka erik lars anders ingrid astrid bjorn raj priya amit sunita rahul anita sanjay deepak pooja "
    "ravi ".split()
)


def people(values: Sequence[str]) -> float | None:
    """The share of values that look like names of people; None where the values do not.

    Names of towns and jobs have the same capitals and commas, so a title or a frequent given name is needed.

    >>> people(["Dr. Anna Weber", "Mr. John Smith", "Frau Else Kern"])
    1.0
    >>> people(["Paris, France", "Rome, Italy", "Bern, Switzerland", "Turin, Italy", "Lyon, France"])
    """
    distinct = sorted(set(values))
    if len(distinct) < 3:
        return None
    titled = _share(bool(_TITLED.fullmatch(value)) for value in distinct)
    if titled >= 0.5:
        return titled
    han = _share(bool(_HAN.fullmatch(value)) and value[0] in _SURNAMES for value in distinct)
    if han >= 0.9 and len(distinct) >= 10:
        return han
    worded = [value for value in distinct if _WORDED.fullmatch(value)]
    if len(worded) < 0.9 * len(distinct) or len(distinct) < 5:
        return None
    given = _share(_has_given(value) for value in worded)
    return given if given >= 0.5 else None


def _has_given(value: str) -> bool:
    words = re.findall(r"[a-z]+", fold(value).lower())
    return bool(words) and len(words) <= 5 and words[0] not in _PLACES and not _GIVEN.isdisjoint(words)


def _share(found: Iterable[bool]) -> float:
    every = list(found)
    return sum(every) / len(every)
