"""Read tables from files: CSV, TSV, Parquet, Feather and Excel, plain or gzipped."""

from __future__ import annotations

import csv
import gzip
import io
import math
import zipfile
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from bayesvc._text import quoted
from bayesvc.cli.errors import BadInput

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".feather", ".arrow", ".xlsx", ".xls", ".ods")

_MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"]
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SAMPLE = 1 << 18
_BYTES_PER_CELL = 40  # text, frame, linear model and codes at the same time, at most
_BYTES_PER_NUMBER = 8  # of the linear model
_BYTES_PER_BYTE = 3  # the file, unpacked, and what polars makes of it
_PART = 1 << 20


@dataclass(frozen=True)
class TableFile:
    """A table, and sentences on what was guessed about its file.

    A Parquet file is not read yet: its columns are, a few at a time, when they are asked for.
    """

    frame: pl.LazyFrame
    notes: list[str] = field(default_factory=list)


def read_table(path: Path, separator: str | None = None, encoding: str = "utf-8") -> TableFile:
    """Read a table; errors say what is wrong with the file."""
    polars_or_refuse()
    if not path.exists():
        raise BadInput(f"{path} does not exist. {_nearest_file(path)}")
    if path.is_dir():
        raise BadInput(f"FILE must be a file. Got the folder {path} instead.")
    zipped = path.suffix == ".gz"
    suffix = Path(path.stem).suffix if zipped else path.suffix
    readers: dict[str, Callable[[], TableFile]] = {
        ".parquet": lambda: TableFile(_binary(path, zipped, "scan_parquet")),
        ".feather": lambda: TableFile(_binary(path, zipped, "scan_ipc")),
        ".arrow": lambda: TableFile(_binary(path, zipped, "scan_ipc")),
        ".xlsx": lambda: TableFile(_excel(path).lazy()),
        ".xls": lambda: TableFile(_excel(path).lazy()),
        ".ods": lambda: TableFile(_excel(path).lazy()),
    }
    if path.stat().st_size == 0:
        raise BadInput(f"{path} is empty. Give a table with a header and rows.")
    if suffix.lower() in readers:
        found = readers[suffix.lower()]()
    elif suffix.lower() in SUFFIXES:
        try:
            found = _text_table(path, zipped, separator, encoding)
        except (zlib.error, gzip.BadGzipFile, EOFError) as error:
            raise BadInput(f"{path} is not gzipped, or it is damaged ({error}).") from None
        except csv.Error as error:
            raise BadInput(f"{path} cannot be read as a table ({error}).") from None
    else:
        raise BadInput(
            f"The name of FILE must end in {', '.join(SUFFIXES)}, or one of these and .gz. "
            f"Got {path} instead."
        )
    _check_table(path, found.frame)
    return found


def polars_or_refuse() -> Any:
    """Import polars; an error says what to install."""
    try:
        import polars
    except ModuleNotFoundError:
        raise BadInput("Reading tables needs polars. Run: pip install 'bayesvc[cli]'") from None
    return polars


def _check_table(path: Path, frame: pl.LazyFrame) -> None:
    names = frame.collect_schema().names()
    if not names or count_rows(frame) == 0:
        raise BadInput(f"{path} has no rows. Give a table with a header and rows.")
    if len(names) == 1:
        raise BadInput(
            f"{path} must have at least two columns, a target and one to select from. Got the "
            f"single column {names[0]!r}. If columns are separated by another character, "
            "give it with --separator."
        )


def count_rows(frame: pl.LazyFrame) -> int:
    """Return the number of rows."""
    pl = polars_or_refuse()
    return int(frame.select(pl.len()).collect().item())


def column_parts(frame: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """Yield the columns of a table, a few at a time."""
    from bayesvc.data.column_source import block_width

    names = frame.collect_schema().names()
    width = block_width((count_rows(frame), len(names)))
    for first in range(0, len(names), width):
        yield frame.select(names[first : first + width]).collect()


def _nearest_file(path: Path) -> str:
    import difflib

    there = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, there, 1)
    return f"Did you mean {str(path.with_name(close[0]))!r}?" if close else "Check the path."


def _binary(path: Path, zipped: bool, scan: str) -> pl.LazyFrame:
    pl = polars_or_refuse()
    try:
        rows = getattr(pl, scan)(_unpacked(path) if zipped else path)
        shape = count_rows(rows), len(rows.collect_schema())
        in_parts = scan == "scan_parquet" and not zipped
        each = _bytes_per_coded_cell(*shape) if in_parts else _BYTES_PER_CELL
        _check_memory(path, math.prod(shape) * each)
        return rows if in_parts else rows.collect().lazy()  # type: ignore[no-any-return]
    except (pl.exceptions.PolarsError, OSError, EOFError, zlib.error) as error:
        raise BadInput(
            f"{path} cannot be read ({_first_line(error)}). It may be damaged."
        ) from None


def _bytes_per_coded_cell(n_rows: int, n_columns: int) -> int:
    """Return what codes and linear model take, of a table that is not held as a whole."""
    from bayesvc.data.column_layout import code_bytes

    has_linear_model = n_columns <= n_rows  # one of them is the target
    return code_bytes(n_rows) + (_BYTES_PER_NUMBER if has_linear_model else 0)


def _excel(path: Path) -> pl.DataFrame:
    pl = polars_or_refuse()
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                size = sum(member.file_size for member in archive.infolist())
            _check_memory(path, size * _BYTES_PER_BYTE)
        return pl.read_excel(path)  # type: ignore[no-any-return]
    except BadInput:
        raise
    except ModuleNotFoundError:
        raise BadInput("Excel files need fastexcel. Run: pip install 'bayesvc[io]'") from None
    except Exception as error:  # fastexcel has errors of its own
        raise BadInput(
            f"{path} cannot be read ({_first_line(error)}). It may be damaged."
        ) from None


def _text_table(path: Path, zipped: bool, separator: str | None, encoding: str) -> TableFile:
    pl = polars_or_refuse()
    head = _head(path, zipped, encoding)
    mark = _guess_separator(head) if separator is None else _one_character(separator)
    notes = []
    usual = "\t" if path.name.removesuffix(".gz").endswith(".tsv") else ","
    if separator is None and mark != usual:
        notes.append(f"columns are separated by {_SEPARATORS[mark]}.")
    names = _check_header(path, head, mark)
    nameless = [str(place) for place, name in enumerate(names, 1) if not name]
    if nameless:
        places = ", ".join(nameless[:10])
        notes.append(f"columns without a name are named after their position: {places}.")
    source: Any = path
    if zipped:
        source = _unpacked(path, mark)
    else:
        _check_size(path, head, mark)
    comma = mark == ";" and _has_decimal_commas(head)
    if comma:
        notes.append("numbers have decimal commas.")
    if encoding.lower().replace("-", "") != "utf8":
        raw = source.getvalue() if zipped else path.read_bytes()
        source = io.BytesIO(raw.decode(encoding).encode())
    try:
        frame = pl.read_csv(
            source, separator=mark, null_values=_MISSING, infer_schema_length=None,
            try_parse_dates=True, decimal_comma=comma, glob=False,
        )  # fmt: skip
    except pl.exceptions.PolarsError as error:
        if "utf-8" in str(error):
            raise BadInput(_wrong_encoding(path, encoding, "a later row")) from None
        raise BadInput(
            f"{path} cannot be read as a table separated by {mark!r} ({_first_line(error)}). Check "
            "that all rows have the same length, and --separator."
        ) from None
    if len(names) != frame.width:  # a header longer than the sample
        names = [name.strip() for name in frame.columns]
    names = [name or f"column {place}" for place, name in enumerate(names, 1)]
    _refuse_repeated(path, names)
    frame.columns = names
    return TableFile(frame.lazy(), notes)


def _one_character(separator: str) -> str:
    mark = {"\\t": "\t", "tab": "\t"}.get(separator, separator)
    if len(mark.encode()) != 1 or mark in '"\r\n':
        raise BadInput(
            f"--separator must be one character, such as ';' or '\\t'. Got {separator!r} instead."
        )
    return mark


def _wrong_encoding(path: Path, encoding: str, where: str, hint: str = "latin-1 or cp1252") -> str:
    return f"{path} is not encoded in {encoding} ({where}). Give its --encoding, such as {hint}."


def _head(path: Path, zipped: bool, encoding: str) -> list[str]:
    """Decode the first lines."""
    raw: bytes
    with path.open("rb") as file:
        raw = (gzip.GzipFile(fileobj=file) if zipped else file).read(_SAMPLE)
    try:
        text = raw.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except LookupError:
        raise BadInput(
            "--encoding must be a known encoding such as utf-8 or latin-1. "
            f"Got {encoding!r} instead."
        ) from None
    except UnicodeDecodeError as error:
        if error.start < len(raw) - 4:  # else a character was cut off at the end of the sample
            hint = "utf-16" if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "latin-1 or cp1252"
            where = f"byte {error.start}"
            raise BadInput(_wrong_encoding(path, encoding, where, hint)) from None
        text = raw[: error.start].decode(encoding)
    end = "\n" if "\n" in text else "\r"
    lines = text.removesuffix(end).split(end)  # a name may hold any other separator
    if "\x00" in text:
        raise BadInput(
            f"{path} must be a text file. Is it encoded in UTF-16? Then give --encoding utf-16."
        )
    if not any(line.strip() for line in lines):
        raise BadInput(f"{path} is empty. Give a table with a header and rows.")
    # the last line may be cut off
    return lines[:-1] if len(raw) == _SAMPLE and len(lines) > 1 else lines


def _guess_separator(head: list[str]) -> str:
    """Find the separator that splits the most lines into the same number of parts."""

    def evenness(mark: str) -> tuple[float, int]:
        widths = [len(row) for row in csv.reader(head[:50], delimiter=mark) if row]
        if not widths or widths[0] == 1:
            return (0.0, 0)
        return (sum(width == widths[0] for width in widths) / len(widths), widths[0])

    return max(_SEPARATORS, key=evenness)


def _check_header(path: Path, head: list[str], separator: str) -> list[str]:
    """Return the names of the columns, which must be unique."""
    header = next(csv.reader(io.StringIO("\n".join(head)), delimiter=separator))
    names = [name.strip() for name in header]
    _refuse_repeated(path, names)
    return names


def _refuse_repeated(path: Path, names: list[str]) -> None:
    repeated = [name for name, times in Counter(names).items() if name and times > 1]
    if repeated:
        raise BadInput(
            f"Columns of {path} must have unique names. Repeated: {quoted(repeated, 10)}. Rename "
            "them."
        )


def _check_size(path: Path, head: list[str], separator: str) -> None:
    """Refuse a file that needs more memory than is available, before it is read."""
    size, length = path.stat().st_size, sum(map(len, head)) + len(head)
    cells = len(next(csv.reader(head[:1], delimiter=separator))) * len(head) * size / length
    _check_memory(path, cells * _BYTES_PER_CELL, f"({size / 1e9:.1f} GB) needs about")


def _unpacked(path: Path, separator: str = "") -> io.BytesIO:
    """Unpack a gzipped file, and stop when its table would need more memory than is available."""
    from bayesvc._validation import available_memory

    available = available_memory()
    text, cells = io.BytesIO(), 0
    marks = [mark.encode() for mark in (separator, "\n") if separator]
    with gzip.open(path) as file:
        while part := file.read(_PART):
            cells += sum(part.count(mark) for mark in marks)
            needed = max(cells * _BYTES_PER_CELL, (text.tell() + len(part)) * _BYTES_PER_BYTE)
            if available is not None and needed > available:
                _refuse_size(path, needed, available, "needs, unpacked, at least")
            text.write(part)
    text.seek(0)
    return text


def _check_memory(path: Path, needed: float, needs: str = "needs about") -> None:
    from bayesvc._validation import available_memory

    available = available_memory()
    if available is not None and needed > available:
        _refuse_size(path, needed, available, needs)


def _refuse_size(path: Path, needed: float, available: int, needs: str) -> NoReturn:
    raise BadInput(
        f"{path} {needs} {needed / 1e9:.0f} GB of memory, but only {available / 1e9:.0f} GB are "
        "available. Remove columns or rows from it first."
    )


def _has_decimal_commas(head: list[str]) -> bool:
    cells = [cell for row in csv.reader(head[1:50], delimiter=";") for cell in row]
    with_comma = sum(_is_number(cell.replace(",", ".", 1)) for cell in cells if "," in cell)
    return with_comma > 0 and not any("." in cell and _is_number(cell) for cell in cells)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
