"""Records of an XML file, one at a time: no entities, no network, no document type, bounded depth and size."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from shoal.errors import InputError

__all__ = ["elements", "records"]

_MOST = 1_000_000  # elements of one record
_ATTRIBUTES = 1_000  # of one element: each is looked for among all of them
_BESIDE = "{}: it holds something besides records, which no release does; it was changed"


def records(plain: Path, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give each element below the root as a nested record, with its line; errors are those of `elements`.

    Attributes and elements are fields by their names, without namespaces. An element with neither attributes nor
    elements is a value; text beside others is the field `text`. Elements of one name are a list.
    """
    for place, element in elements(plain, name):
        value = _value(element)
        yield place, value if isinstance(value, dict) else {_name(element): value}


def elements(plain: Path, name: str, *, bare: str | None = None) -> Iterator[tuple[str, Any]]:
    """Give each element below the root, with its line; it is gone once the next is asked for.

    Where the name of a `bare` root is given, nothing may stand beside the elements: no comment, no processing
    instruction, and at the root no other name, no attribute and no text.

    Raises
    ------
    InputError
        The file is not well-formed, or it holds a document type declaration: with it come entities, and with those
        come bombs.
    """
    with plain.open("rb") as file:
        context = etree.iterparse(
            file,
            events=("start", "end") if bare is None else ("start", "end", "comment", "pi"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=bare is None,
            remove_pis=bare is None,
        )
        try:
            yield from _below_root(context, name, bare is not None)
            if bare is not None:
                _require_bare(context.root, bare, name)
        except etree.XMLSyntaxError as error:
            raise InputError(
                f"{name}, line {error.lineno}: not well-formed XML, or nested too deeply; write it again"
            ) from None


def _below_root(context: Any, name: str, bare: bool) -> Iterator[tuple[str, Any]]:
    """The elements below the root as they end, each let go once it was read; `bare` ones have no text between them."""
    depth = size = 0
    for event, element in context:
        if event in ("comment", "pi"):
            raise InputError(
                f"{name}: holds a comment or a processing instruction, which no release does; it was changed"
            )
        if event == "start":
            if depth == 0 and element.getroottree().docinfo.doctype:
                raise InputError(
                    f"{name}: holds a document type declaration; remove it, entities are not read"
                )
            if len(element.attrib) > _ATTRIBUTES:
                raise InputError(
                    f"{name}, line {element.sourceline}: an element with more than {_ATTRIBUTES} attributes; write "
                    "them as elements"
                )
            depth, size = depth + 1, size + 1
            if size > _MOST:
                raise InputError(f"{name}: a record with more than {_MOST} elements; write smaller records")
            continue
        depth -= 1
        if depth == 1:
            yield f"line {element.sourceline}", element
            size = 0
            element.clear(keep_tail=True)
            while (before := element.getprevious()) is not None:
                if bare and before.tail and before.tail.strip():
                    raise InputError(_BESIDE.format(name))
                element.getparent().remove(before)


def _require_bare(root: Any, tag: str, name: str) -> None:
    """Refuse a root that says anything itself."""
    texts = (root.text, *(child.tail for child in root))
    beside = [*root.itersiblings(), *root.itersiblings(preceding=True)]
    if root.tag != tag or root.attrib or root.nsmap or beside or any(text and text.strip() for text in texts):
        raise InputError(f"{name}: it holds something besides records, which no release does; it was changed")


def _value(top: Any) -> Any:
    """An element as text, or as an object of its attributes, elements and text; without recursion."""
    made: dict[Any, Any] = {}
    for element in top.iter():
        made[element] = None
    for element in reversed(list(made)):  # children come before their parents
        made[element] = _object(element, made)
    return made[top]


def _object(element: Any, made: dict[Any, Any]) -> Any:
    text = (element.text or "").strip()
    lists: dict[str, list[Any]] = {_local(key): [value] for key, value in element.attrib.items()}
    for child in element:
        lists.setdefault(_name(child), []).append(made[child])
    fields = {key: some[0] if len(some) == 1 else some for key, some in lists.items()}
    tails = [text, *((child.tail or "").strip() for child in element)]
    whole = " ".join(part for part in tails if part)
    if not fields:
        return whole or None
    return {**fields, **({"text": whole} if whole and "text" not in fields else {})}


def _name(element: Any) -> str:
    return _local(element.tag)


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
