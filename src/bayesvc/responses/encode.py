"""From the response that callers hold to an encoded one."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bayesvc._parts import Registry, missing_members
from bayesvc._text import counted, quoted
from bayesvc._validation import check_choice
from bayesvc.data.exact import as_float, refuse_rounding
from bayesvc.data.interop import (
    as_array,
    as_narwhals,
    is_missing,
    refuse_masked,
    refuse_scalar,
    without_wide_integers,
)
from bayesvc.data.sparse import is_sparse
from bayesvc.responses.base import EncodedResponse, Response
from bayesvc.responses.gaussian import Gaussian
from bayesvc.responses.probit import Probit
from bayesvc.responses.surv import as_intervals
from bayesvc.responses.survival import Survival

# In the order in which "auto" asks them; a registered one is only taken by name.
RESPONSES: Registry[Response] = Registry("response", [Survival(), Probit(), Gaussian()])

_MEMBERS = tuple(name for name in vars(Response) if not name.startswith("_"))


def encode_y(
    y: Any,
    response: str | Response = "auto",
    *,
    n_rows: int | None = None,
    keep: NDArray[np.bool_] | None = None,
) -> EncodedResponse:
    """Return a response as float64 numbers; a binary one as 0 and 1.

    Parameters
    ----------
    y : array, series, list or Surv
        Numbers, booleans, two classes of any kind, or censored times. What was encoded before is
        returned as it is.
    response : {"auto", "continuous", "binary", "survival"} or Response
        "auto" takes `Surv` and structured arrays of scikit-survival for survival; booleans, text
        and categories with two classes, and numbers that are all 0 or 1 for binary; everything
        else for continuous.
    n_rows : int, optional
        Rows of X, which y must match.
    keep : array of bool, optional
        Rows to take, where not all of them.

    Examples
    --------
    >>> from bayesvc.responses.encode import encode_y
    >>> encoded = encode_y(["no", "yes", "no"])
    >>> encoded.response, encoded.values.tolist()
    ('binary', [0.0, 1.0, 0.0])
    """
    if isinstance(y, EncodedResponse):
        return y if keep is None else y.take(keep)
    model = None if isinstance(response, str) and response == "auto" else check_response(response)
    intervals = as_intervals(y)
    values = _response_array(y) if intervals is None else intervals
    if n_rows is not None and len(values) != n_rows:
        raise ValueError(
            f"`y` must have one value per row of X, {n_rows}. Got {len(values)} values instead."
        )
    if keep is not None:
        values = values[keep]
    _check_no_missing(values)
    if intervals is None and values.dtype.kind not in "fiubU":
        raise TypeError(
            f"`y` must hold numbers or two classes. Got dtype {values.dtype} instead. Convert it, "
            "for example with y.astype(float)."
        )
    if model is None:
        own = (kind for name, kind in RESPONSES.items() if RESPONSES.is_own(name))
        model = next(kind for kind in own if kind.detects(values))
    elif intervals is not None and not model.detects(values):
        raise ValueError(
            "`response` must be 'survival' or 'auto' for censored times. Got "
            f"{model.name!r} instead. Leave it out, or pass the times alone as y."
        )
    return model.encode(values)


def check_response(response: Any) -> Response:
    """Return the kind of response of this name, or the object itself.

    Examples
    --------
    >>> from bayesvc.responses import check_response
    >>> check_response("binary").description
    'a probit model of a sum of trees'
    """
    if not hasattr(response, "encode") or isinstance(response, str | type):
        return RESPONSES[check_choice("response", response, ("auto", *RESPONSES))]
    if missing := missing_members(response, _MEMBERS):
        raise TypeError(
            "`response` must be a name, or an object that meets `bayesvc.responses.Response`. Got "
            f"a {type(response).__name__} without {', '.join(missing)} instead."
        )
    RESPONSES.check_name(response)
    return cast(Response, response)


def register(response: Response) -> Response:
    """Make a kind of response of your own known by its name, also to files that name it.

    Parameters
    ----------
    response : Response

    Returns
    -------
    Response
        What was passed.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from bayesvc.responses import Gaussian, check_response, register
    >>> @dataclass(frozen=True)
    ... class Yield(Gaussian):
    ...     name = label = "yield"
    >>> register(Yield())
    Yield()
    >>> check_response("yield")
    Yield()
    """
    RESPONSES.add(check_response(response))
    return response


def _response_array(y: Any) -> NDArray[Any]:
    if is_sparse(y):
        raise TypeError(
            f"`y` must be one-dimensional. Got a sparse {type(y).__name__} instead. Pass "
            "y.toarray().ravel()."
        )
    refuse_masked(y, "y")
    series = as_narwhals(y, "y")
    values = as_array(y, "y") if series is None else _series_array(series)
    if values.ndim == 0:
        refuse_scalar("y", y, "an array, a series or a list with one value per row of X")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(
            "`y` must be one-dimensional, with one value per row of X. Got shape "
            f"{values.shape} instead."
        )
    if values.dtype == object:
        return _plain_objects(values)
    return values.astype(str) if values.dtype.kind == "T" else values


def _series_array(series: Any) -> NDArray[Any]:
    import narwhals as nw

    if isinstance(series, nw.DataFrame):
        if len(series.columns) != 1:
            raise ValueError(
                f"`y` must be one column. Got a data frame with {len(series.columns)} columns "
                "instead. Pass the column to explain."
            )
        series = series.get_column(series.columns[0])
    missing = int(series.is_null().sum())
    if missing:
        raise ValueError(_no_missing(f"{counted(missing, 'missing value')}"))
    series = without_wide_integers(series, "y")
    if series.dtype.is_numeric() and not series.dtype.is_decimal():
        return np.asarray(series.to_numpy())
    return np.array(series.to_list(), dtype=None if series.dtype == nw.Boolean else object)


def _plain_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Give an object array the dtype its elements share, if it is a useful one."""
    missing = sum(map(is_missing, values))
    if missing:
        raise ValueError(_no_missing(f"{counted(missing, 'missing value')}"))
    kinds = {type(value).__name__ for value in values}
    if all(isinstance(value, str) for value in values):
        return values.astype(str)
    if all(isinstance(value, bool | np.bool_) for value in values):
        return values.astype(bool)
    try:
        if any(isinstance(value, str | bytes) for value in values):
            raise TypeError
        numbers = np.array([as_float(value) for value in values])
    except (TypeError, ValueError):
        raise TypeError(
            "`y` must hold numbers, booleans or text, of one type. Got values of type "
            f"{quoted(sorted(kinds))} instead."
        ) from None
    refuse_rounding("`y`", numbers, values)
    return numbers


def _no_missing(found: str) -> str:
    return f"`y` must have no missing values. Got {found} instead. Drop these rows from X and y."


def _check_no_missing(values: NDArray[Any]) -> None:
    if values.dtype.kind != "f":
        return
    missing, infinite = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    if missing or infinite:
        found = f"{counted(missing, 'missing value')} (NaN) and {counted(infinite, 'infinite one')}"
        raise ValueError(_no_missing(found))
