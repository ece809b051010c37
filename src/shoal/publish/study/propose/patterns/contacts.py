"""How people are reached: mail, telephone, web, network, street, place on the map."""

from shoal.publish.study.propose.patterns.pattern import Pattern

__all__ = ["NETWORK", "PHONES", "STREETS"]

_BYTE = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_LAT = r"[-+]?(?:[0-8]?\d|90)\.\d+"
_LON = r"[-+]?(?:1[0-7]\d|180|\d?\d)\.\d+"
_FINE = r"[-+]?\d{1,3}\.\d{4,}"  # degrees with so many digits tell a house
_PAIR = rf"(?:{_LAT}\s*[,;]\s*{_LON}|{_LON}\s*[,;]\s*{_LAT}|{_FINE} +{_FINE})"
_GAP = r"[ .\-/]"
_EXTENSION = r"(?:\s*(?:x|ext\.?)\s*\d+)?"


NETWORK = (
    Pattern(
        what="mail address",
        regex=r"(?:mailto:)?[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>.\d]{2,}|.{1,60}<[^\s@<>]+@[^\s@<>]+\.\w{2,}>",
        share=0.3,
    ),
    Pattern(what="web page", regex=r"(?i:(?:https?|ftps?)://\S+|www\.[^\s.]+\.\S+)", share=0.3),
    Pattern(
        what="web page",
        regex=r"(?i:(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|info|io|eu|de|at|ch|fr|es|it|tr|cn|uk|us)(?:/\S*)?)",
    ),
    Pattern(what="social handle", regex=r"@[A-Za-z]\w{1,29}", least=3),
    Pattern(what="IP address", regex=rf"{_BYTE}(?:\.{_BYTE}){{3}}(?::\d{{1,5}}|/\d{{1,2}})?"),
    Pattern(
        what="IP address",
        regex=r"(?=(?:[^:]*:){7}[^:]*$|.*::)[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:[/%]\w+)?",
    ),
    Pattern(
        what="MAC address",
        regex=r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}",
        some=r".*[A-Fa-f].*",
    ),
    Pattern(
        what="UUID",
        regex=r"(?:urn:uuid:)?\{?[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\}?",
        share=0.5,
    ),
    Pattern(
        what="coordinate pair",
        regex=rf"{_PAIR}|\(\s*{_PAIR}\s*\)|\[\s*{_PAIR}\s*\]"
        r"|(?i:(?:srid=\d+;)?point\s*\(.*\))|[-+]?\d{1,3}°.{1,30}",
        least=2,
    ),
)

# Writings that only phone numbers have, and, below, digits that begin as the mobiles of a country do.
PHONES = (
    Pattern(
        what="phone number",
        regex="|".join(
            (
                rf"(?:tel:)?\+\s?[1-9](?:{_GAP}{{0,2}}\(?\d\)?){{6,14}}{_EXTENSION}",
                rf"00[1-9](?:{_GAP}?\d){{7,14}}{_EXTENSION}",
                rf"0?\(0?\d{{1,5}}\)\s?[-/]?\s?\d(?:{_GAP}?\d){{4,9}}{_EXTENSION}",
                rf"(?:1[ .-])?[2-9]\d\d[ .-]\d{{3}}[ .-]\d{{4}}{_EXTENSION}",  # North America
                rf"0[1-9]\d{{0,4}}\s?{_GAP}\s?\d(?:{_GAP}?\d){{4,9}}",
            )
        ),
        share=0.6,
    ),
    Pattern(what="phone number", regex=r"0[1-9]\d{8,10}", least=5),
    Pattern(what="phone number", regex=r"1[3-9]\d ?-?\d{4} ?-?\d{4}", share=0.99, least=20),  # China
    Pattern(what="phone number", regex=r"5\d{2} ?\d{3} ?\d{2} ?\d{2}", share=0.99, least=20),  # Turkey
    Pattern(
        what="phone number", regex=r"[67]\d\d(?:(?: ?\d\d){3}|(?: ?\d{3}){2})", share=0.99, least=20
    ),  # Spain
    Pattern(what="phone number", regex=r"3\d{2} ?\d{6,7}", share=0.99, least=20),  # Italy
    Pattern(what="phone number", regex=r"[2-9]\d\d[2-9]\d{6}", share=0.99, least=20),  # North America
)

STREETS = (
    Pattern(
        what="street address",
        regex="|".join(
            (
                r"(?i:\d+[a-z]?,? .{2,40}\b(?:street|st|road|rd|avenue|ave|boulevard|blvd|lane|drive|dr|court|ct)\b.*)",
                r"(?i:.{2,40}(?:str\.|straße|strasse|weg|platz|allee|gasse|ring|damm) ?\d+ ?[a-z]?(?:[ ,].*)?)",
                r"(?i:\d+[a-z]?,? (?:bis |ter )?(?:rue|avenue|boulevard|place|allée|chemin|impasse|quai) .{2,60})",
                r"(?i:(?:calle|c/|avenida|avda\.?|plaza|paseo|via|viale|piazza|corso|largo|vicolo) .{2,40}\d+.*)",
                r"(?i:.{2,60}\b(?:sok|sokak|sokağı|cad|cadde|caddesi|mah|mahallesi|bulvarı)\b.{0,60}\d+.*)",
                r"[\u4e00-\u9fff]{2,20}(?:路|街|道|巷|弄)\d+号.{0,20}",
            )
        ),
        share=0.6,
        least=3,
    ),
)
