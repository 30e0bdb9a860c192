"""Twenty equations of the Feynman lectures with the ranges of their variables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ranges = dict[str, tuple[float, float]]

EQUATIONS: dict[str, tuple[str, Ranges]] = {
    "I_6_2": (
        "exp(-(theta/sigma)**2/2)/(sqrt(2*pi)*sigma)",
        {"sigma": (1.0, 3.0), "theta": (1.0, 3.0)},
    ),
    "I_12_1": (
        "mu*Nn",
        {"mu": (1.0, 5.0), "Nn": (1.0, 5.0)},
    ),
    "I_12_5": (
        "q2*Ef",
        {"q2": (1.0, 5.0), "Ef": (1.0, 5.0)},
    ),
    "I_14_4": (
        "1/2*k_spring*x**2",
        {"k_spring": (1.0, 5.0), "x": (1.0, 5.0)},
    ),
    "I_15_1": (
        "m_0*v/sqrt(1-v**2/c**2)",
        {"m_0": (1.0, 5.0), "v": (1.0, 2.0), "c": (3.0, 10.0)},
    ),
    "I_18_12": (
        "r*F*sin(theta)",
        {"r": (1.0, 5.0), "F": (1.0, 5.0), "theta": (0.0, 5.0)},
    ),
    "I_25_13": (
        "q/C",
        {"q": (1.0, 5.0), "C": (1.0, 5.0)},
    ),
    "I_29_4": (
        "omega/c",
        {"omega": (1.0, 10.0), "c": (1.0, 10.0)},
    ),
    "I_30_5": (
        "arcsin(lambd/(n*d))",
        {"lambd": (1.0, 2.0), "d": (2.0, 5.0), "n": (1.0, 5.0)},
    ),
    "I_34_1": (
        "omega_0/(1-v/c)",
        {"c": (3.0, 10.0), "v": (1.0, 2.0), "omega_0": (1.0, 5.0)},
    ),
    "I_37_4": (
        "I1+I2+2*sqrt(I1*I2)*cos(delta)",
        {"I1": (1.0, 5.0), "I2": (1.0, 5.0), "delta": (1.0, 5.0)},
    ),
    "I_39_11": (
        "1/(GAMMA-1)*pr*V",
        {"GAMMA": (2.0, 5.0), "pr": (1.0, 5.0), "V": (1.0, 5.0)},
    ),
    "I_43_31": (
        "mob*kb*T",
        {"mob": (1.0, 5.0), "T": (1.0, 5.0), "kb": (1.0, 5.0)},
    ),
    "I_48_2": (
        "m*c**2/sqrt(1-v**2/c**2)",
        {"m": (1.0, 5.0), "v": (1.0, 2.0), "c": (3.0, 10.0)},
    ),
    "II_4_23": (
        "q/(4*pi*epsilon*r)",
        {"q": (1.0, 5.0), "epsilon": (1.0, 5.0), "r": (1.0, 5.0)},
    ),
    "II_8_31": (
        "epsilon*Ef**2/2",
        {"epsilon": (1.0, 5.0), "Ef": (1.0, 5.0)},
    ),
    "II_11_28": (
        "1+n*alpha/(1-(n*alpha/3))",
        {"n": (0.0, 1.0), "alpha": (0.0, 1.0)},
    ),
    "II_13_34": (
        "rho_c_0*v/sqrt(1-v**2/c**2)",
        {"rho_c_0": (1.0, 5.0), "v": (1.0, 2.0), "c": (3.0, 10.0)},
    ),
    "II_24_17": (
        "sqrt(omega**2/c**2-pi**2/d**2)",
        {"omega": (4.0, 6.0), "c": (1.0, 2.0), "d": (2.0, 4.0)},
    ),
    "II_34_2a": (
        "q*v/(2*pi*r)",
        {"q": (1.0, 5.0), "v": (1.0, 5.0), "r": (1.0, 5.0)},
    ),
}

_FUNCTIONS = {
    name: getattr(np, name)
    for name in ("exp", "sqrt", "sin", "cos", "tanh", "log", "arcsin", "arccos", "pi")
}


def small_problem(
    name: str, rng: np.random.Generator, n: int, n_irrelevant: int, snr: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """X, y and the number of relevant columns, which come first; as many irrelevant ones each."""
    formula, ranges = EQUATIONS[name]
    columns = {v: rng.uniform(low, high, n) for v, (low, high) in ranges.items()}
    f = np.asarray(eval(formula, {"__builtins__": {}}, {**_FUNCTIONS, **columns}))
    irrelevant = [rng.uniform(low, high, (n, n_irrelevant)) for low, high in ranges.values()]
    X = np.column_stack([*columns.values(), *irrelevant])
    return X, f + rng.normal(size=n) * f.std() / np.sqrt(snr), len(columns)
