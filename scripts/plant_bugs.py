"""Plant bugs in a copy of the core, one at a time, and list the quick tests that go red.

Run it from the environment of `make test`: `.venv/bin/python scripts/plant_bugs.py [NAME ...]`.
It prints the table of docs/development.md. A bug that no test catches is an error.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
TESTS = ("move_ratios", "prior_only", "exact_posterior", "exhaustion", "geweke", "sbc")


@dataclass(frozen=True)
class Bug:
    """A piece of one file and what stands there instead."""

    title: str
    file: str
    right: str
    wrong: str


BUGS = {
    "birth": Bug(
        "wrong sign in a birth ratio",
        "cpp/leaf_model.cpp",
        "inverse) + gain * inverse * variance)",
        "inverse) - gain * inverse * variance)",
    ),
    "birth-terminal": Bug(
        "a child's probability to be terminal on the wrong side of a birth ratio",
        "cpp/moves.cpp",
        "if (right.splittable) factor *= stay;",
        "if (right.splittable) factor /= stay;",
    ),
    "change": Bug(
        "change forgets the number of cutpoints of the rules below it",
        "cpp/deep_moves.cpp",
        "  log_prior -= fixed_math::log(node.n_choices);\n",
        "",
    ),
    "swap": Bug(
        "swap without the prior of the rules below it",
        "cpp/deep_moves.cpp",
        "proposal.log_ratio = new_log_prior - old_log_prior +",
        "proposal.log_ratio = (change ? new_log_prior - old_log_prior : 0.0) +",
    ),
    "explicit": Bug(
        "`s` update ignores exhaustion (explicit form)",
        "cpp/sweep.cpp",
        "state.splitting->update(state.rng, restricted);",
        "state.splitting->update(state.rng, {});",
    ),
    "collapsed": Bug(
        "`s` update ignores exhaustion (collapsed form: no ghosts)",
        "cpp/exhaustion.cpp",
        "state.rng, ghosts);\n",
        "state.rng, ghosts);\n    ghosts.clear();\n",
    ),
    "cutpoints": Bug(
        "off by one in the cutpoints: the last admissible one is never drawn",
        "cpp/cutpoints.cpp",
        "i + min_rows_ <= size; ++i)",
        "i + min_rows_ < size; ++i)",
    ),
    "stump": Bug(
        "the forced birth at a stump is not in the ratio",
        "cpp/moves.cpp",
        "context.leaves_before == 1 ? 1.0 : moves[0]",
        "moves[0]",
    ),
    "perturb-window": Bug(
        "perturb places more of its window above the cutpoint than below",
        "cpp/cutpoints.cpp",
        "const std::uint32_t below = rng.below(width + 1);",
        "const std::uint32_t below = rng.below(width / 2 + 1);",
    ),
    "perturb-range": Bug(
        "perturb ignores the rules below the node",
        "cpp/perturb.cpp",
        "    range = between_rules_below(tree, proposal.node, range);\n",
        "",
    ),
    "perturb-admissible": Bug(
        "perturb draws again where its cutpoint is inadmissible",
        "cpp/moves.cpp",
        "if (proposal.kind == Move::perturb &&",
        "if (false &&",
    ),
    "leaf-value": Bug(
        "leaf values drawn with twice their variance",
        "cpp/leaf_model.cpp",
        "std::sqrt(shrink * noise_variance) * normal",
        "std::sqrt(2.0 * shrink * noise_variance) * normal",
    ),
    "leaf-sd-jacobian": Bug(
        "learned leaf sd: the density of its logarithm lacks the Jacobian",
        "cpp/leaf_model.cpp",
        "return log_values + log_sd - log",
        "return log_values - log",
    ),
    "leaf-sd-squares": Bug(
        "learned leaf sd: the sum of squared leaf values is not halved",
        "cpp/leaf_model.cpp",
        "0.5 * sum_of_squares / variance",
        "sum_of_squares / variance",
    ),
    "leaf-sd-prior": Bug(
        "learned leaf sd: the prior forgets its scale",
        "cpp/leaf_model.cpp",
        "variance / (scale_ * scale_)",
        "variance",
    ),
    "leaf-sd-limit": Bug(
        "learned leaf sd: the same upper limit for a binary response as for a continuous one",
        "cpp/leaf_model.cpp",
        "high = log(limit_ * scale_)",
        "high = log(sd_ > 2.0 * scale_ ? sd_ : 2.0 * scale_)",  # or it looks for ever
    ),
    "sigma": Bug(
        "`sigma` update forgets the prior's degrees of freedom",
        "cpp/response/gaussian.cpp",
        "double df = nu_;",
        "double df = 0;",
    ),
    "student-shape": Bug(
        "Student-t errors: the error adds nothing to the shape of a mixing weight",
        "cpp/response/student.cpp",
        "0.5 * (likelihood_ ? df_ + 1.0 : df_)",
        "0.5 * df_",
    ),
    "student-weight": Bug(
        "Student-t errors: the weight of a row is forgotten in its error",
        "cpp/response/student.cpp",
        "row_weights_.empty() ? inverse : row_weights_[i] * inverse",
        "inverse",
    ),
    "student-stale": Bug(
        "Student-t errors: the trees keep the precisions of the start",
        "cpp/forest_state.cpp",
        "  if (due.precisions) residual->set_precisions(response->precisions());\n",
        "  if (due.precisions && n_sweeps == 0)\n"
        "    residual->set_precisions(response->precisions());\n",
    ),
    "student-prior": Bug(
        "Student-t errors: the prior of the degrees of freedom is forgotten",
        "cpp/response/student.cpp",
        "prior_shape * log_df - prior_rate * df",
        "0.0",
    ),
    "student-given-weights": Bug(
        "Student-t errors: old mixing weights stay after new degrees of freedom",
        "cpp/response/student.cpp",
        "  draw_precisions(rng);\n}",
        "  if (n_updates_ % (2 * redraw_interval) == 0) draw_precisions(rng);\n}",
    ),
    "interval-side": Bug(
        "censored values: those beyond a limit are drawn below it",
        "cpp/response/interval.hpp",
        "open_.push_back({i, low, high});",
        "std::isinf(high) ? open_.push_back({i, -high, low})\n"
        "                                    : open_.push_back({i, low, high});",
    ),
    "interval-weight": Bug(
        "censored values: the precision of a row is forgotten in its latent",
        "cpp/response/interval.hpp",
        "this->precisions_.empty() ? 1.0 : std::sqrt(this->precisions_[i])",
        "1.0",
    ),
    "interval-student": Bug(
        "censored values: mixing weights do not follow the latents",
        "cpp/response/interval.hpp",
        "if (errors_are_due()) Errors::redraw",
        "if (errors_are_due() && n_updates_ == 0) Errors::redraw",
    ),
    "latents": Bug(
        "probit latents on the wrong side of zero",
        "cpp/response/probit.cpp",
        "y_[i] > 0.5 ?",
        "y_[i] < 0.5 ?",
    ),
}


def copy_repository(tree: Path) -> None:
    """Copy what is needed to build and test."""
    for name in ("cpp", "bind", "src", "tests", "CMakeLists.txt", "pyproject.toml", "README.md"):
        source = REPOSITORY / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tree / name)


@contextmanager
def planted(bug: Bug, tree: Path) -> Iterator[None]:
    """Put the bug into the copy, and take it out again."""
    path = tree / bug.file
    text = path.read_text()
    if text.count(bug.right) != 1:
        raise SystemExit(f"{bug.file} does not hold {bug.right!r} exactly once: mend BUGS")
    path.write_text(text.replace(bug.right, bug.wrong))
    try:
        yield
    finally:
        path.write_text(text)


def build(tree: Path) -> None:
    """Compile the extension next to the Python files of the copy."""
    cmake = Path(sysconfig.get_path("scripts")) / "cmake"
    ninja = cmake.with_name("ninja")
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    command = [cmake, "-S", tree, "-B", tree / "build", "-G", "Ninja"]
    options = [f"-DCMAKE_MAKE_PROGRAM={ninja}", f"-DPython_EXECUTABLE={sys.executable}"]
    subprocess.run([*command, *options], **quiet)
    subprocess.run([cmake, "--build", tree / "build", "--target", "_core"], **quiet)
    for module in (tree / "build").glob("_core*.so"):
        shutil.copy(module, tree / "src" / "bayesvc")


def red_tests(tree: Path) -> Counter[str]:
    """Names of the test functions that fail, with the number of their cases that do."""
    files = [f"tests/stat/test_{name}.py" for name in TESTS]
    environment = os.environ | {"PYTHONPATH": str(tree / "src")}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--timeout", "600", *files]
    run = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    return Counter(re.findall(r"^(?:FAILED|ERROR) \S+::(\w+)", run.stdout, flags=re.M))


def main() -> None:
    """Plant each bug named on the command line, or all."""
    missed = []
    print("| planted bug | quick tests that go red (cases) |\n|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        copy_repository(tree)
        for name in sys.argv[1:] or BUGS:
            with planted(BUGS[name], tree):
                build(tree)
                red = red_tests(tree)
            missed += [] if red else [name]
            tests = ", ".join(f"`{test}` ({count})" for test, count in sorted(red.items()))
            print(f"| {BUGS[name].title} | {tests or 'none'} |", flush=True)
    if missed:
        raise SystemExit(f"no test caught: {', '.join(missed)}")


if __name__ == "__main__":
    main()
