import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesvc.bench.formula import Formula

A, B = np.array([1.0, 4.0]), np.array([2.0, 0.5])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * 2", A + 2 * B),
        ("-a**2 / b", -(A**2) / B),
        ("sqrt(a) - ln(b)", np.sqrt(A) - np.log(B)),
        ("arcsin(b / 4) * pi", np.arcsin(B / 4) * np.pi),
        ("1/2*a", A / 2),
        ("2**-b", 2**-B),
        ("exp(-(a - b)**2)", np.exp(-((A - B) ** 2))),
    ],
)
def test_values(text, expected):
    np.testing.assert_allclose(Formula(text, ["a", "b"])(a=A, b=B), expected, rtol=1e-14)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "a.__class__",
        "(lambda: a)()",
        "[a for a in (1, 2)]",
        "a if b else a",
        "a; b",
        "open('x')",
        "'text'",
        "a @ b",
        "a[0]",
        "a := 3",
        "exp(a, b)",
        "exp(x=a)",
        "f'{a}'",
        "True",
        "1j",
        "a and b",
        "c + a",
        "",
        "a +",
        "-" * 1500 + "a",
        "a" * 3000,
        "1" + "0" * 400,
    ],
)
def test_nothing_else_is_read(text):
    with pytest.raises(ValueError, match="`formula` must"):
        Formula(text, ["a", "b"])


def test_a_power_of_powers_is_no_trap():
    assert np.isinf(Formula("9**9**9**9", ["a"])(a=A)).all()


@pytest.mark.parametrize("name", ["sin", "1x", "a b", "a-b", 3])
def test_names_that_cannot_stand_in_a_formula(name):
    with pytest.raises(ValueError, match="A variable of a formula must"):
        Formula("1", [name])


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        formula = Formula(text, ["a", "b"])
    except ValueError:
        return
    assert formula(a=A, b=B).dtype == np.float64
