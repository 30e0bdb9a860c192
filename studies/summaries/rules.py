"""Every summary that was tried: from the tallies of a few fits to the variables that are selected.

A rule takes `KeptTallies` (arrays of a row per fit and a column per variable) and returns a mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import rankdata
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.mixture import GaussianMixture

from bayesvc.bench.kept import KeptTallies
from bayesvc.measures import relevance, vc_measure
from bayesvc.thresholds import clustering, gmax, gse, local, median_probability

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Rule = Callable[[KeptTallies], BoolArray]


class NotKept(Exception):
    """The rule needs fits that were not kept."""


VC_COLUMNS = ("mean count", "lower count", "mean rank", "upper rank")


def lower(tally: FloatArray) -> FloatArray:
    """Return the lower quartile over the fits."""
    return np.asarray(np.quantile(tally, 0.25, axis=0))


# ---- the VC-measure and what it is made of ---------------------------------------


def vc(fits: KeptTallies, columns: Iterable[int] = range(4)) -> BoolArray:
    """Cluster columns of the VC-measure, the first of them one of counts, as the paper does."""
    return clustering(vc_measure(fits)[:, list(columns)])


def ranks_alone(fits: KeptTallies, columns: list[int]) -> BoolArray:
    """Cluster columns of ranks, of which the low ones are selected."""
    return clustering(np.log1p(vc_measure(fits)[:, columns]), transform=False, keep="low")


def vc_points(fits: KeptTallies, log: bool = True, standardise: bool = True) -> FloatArray:
    """Return the VC-measure as points to be clustered."""
    points = vc_measure(fits)
    points = np.log1p(points) if log else points
    if standardise:
        sd = points.std(axis=0)
        points = (points - points.mean(axis=0)) / np.where(sd > 0, sd, 1)
    return points


def two_clusters(
    fits: KeptTallies, how: str, log: bool = True, standardise: bool = True
) -> BoolArray:
    """Cut the VC-measure in two in another way than by average linkage."""
    points = vc_points(fits, log, standardise)
    if how == "k-means":
        label = KMeans(2, n_init=5, random_state=0).fit_predict(points)
    elif how == "mixture":
        label = GaussianMixture(2, reg_covar=1e-3, random_state=0).fit_predict(points)
    elif how == "density":  # the bulk is one cluster, all else is selected
        label = HDBSCAN(min_cluster_size=5, copy=True).fit_predict(points)
        label = (label != np.bincount(label[label >= 0]).argmax()) if label.max() >= 0 else label
    else:
        label = fcluster(linkage(points, how), 2, "maxclust") - 1
    return higher(label > 0, fits.vc.mean(axis=0))


def whole_matrix(fits: KeptTallies, with_ranks: bool) -> BoolArray:
    """Cluster the fits themselves instead of their mean and quartile."""
    parts = [np.log1p(fits.vc.T)]
    if with_ranks:
        parts.append(np.log1p(rankdata(-fits.vc, axis=1).T))
    points = np.hstack(parts)
    sd = points.std(axis=0)
    points = (points - points.mean(axis=0)) / np.where(sd > 0, sd, 1)
    label = fcluster(linkage(points, "average"), 2, "maxclust") > 1
    return higher(label, fits.vc.mean(axis=0))


def higher(one: BoolArray, score: FloatArray) -> BoolArray:
    """Return the side with the higher mean score."""
    if one.all() or not one.any():
        return np.zeros(len(one), dtype=bool)
    return one if score[one].mean() > score[~one].mean() else ~one


# ---- counts and inclusion against a number ---------------------------------------


def at_least(fits: KeptTallies, tally: str, how: str, number: float) -> BoolArray:
    """Compare a summary over the fits with a number."""
    values = getattr(fits, tally)
    if how == "share":  # of the fits in which at least half of the draws have the variable
        return np.asarray((values >= 0.5).mean(axis=0) >= number)
    summary = {"mean": np.mean, "median": np.median}.get(how)
    found = lower(values) if summary is None else summary(values, axis=0)
    return np.asarray(found >= number)


def log_mean(fits: KeptTallies) -> FloatArray:
    """Return the mean over the fits of the logarithm of the count."""
    return np.asarray(np.log(fits.vc + 0.05).mean(axis=0))


def probable(fits: KeptTallies) -> BoolArray:
    """Select what is relevant with a probability of one half."""
    return median_probability(relevance(fits)).selected


def most_probable(fits: KeptTallies) -> BoolArray:
    """Select the same, or the most probable variable if there is none: as `dart-relevance` does."""
    return median_probability(relevance(fits), at_least_one=True).selected


# ---- other cuts of the ranking ---------------------------------------------------


def count_and_inclusion(fits: KeptTallies) -> BoolArray:
    """Cluster mean and lower quartile of counts and of inclusion."""
    parts = [fits.vc.mean(axis=0), lower(fits.vc), fits.mpvip.mean(axis=0), lower(fits.mpvip)]
    return clustering(np.column_stack(parts))


def inclusion_clusters(fits: KeptTallies) -> BoolArray:
    """Cluster mean and lower quartile of inclusion."""
    parts = [fits.mpvip.mean(axis=0), lower(fits.mpvip)]
    return clustering(np.column_stack(parts), transform=False)


def gap(fits: KeptTallies, score: Callable[[KeptTallies], FloatArray]) -> BoolArray:
    """Cut at the widest gap in the upper half of the sorted scores."""
    values = score(fits)
    ordered = np.sort(values)[::-1][: len(values) // 2 + 1]
    return values > ordered[1:][np.argmin(np.diff(ordered))]


def otsu(fits: KeptTallies) -> BoolArray:
    """Cut the mean logarithm of the count where the two sides are most alike inside."""
    values = log_mean(fits)
    ordered = np.sort(values)
    n = np.arange(1, len(ordered))
    left = np.cumsum(ordered)[:-1]
    between = (left / n - (ordered.sum() - left) / n[::-1]) ** 2 * n * n[::-1]
    return values > ordered[np.argmax(between)]


def mixture(fits: KeptTallies) -> BoolArray:
    """Fit two normal distributions to the mean logarithm of the count."""
    values = log_mean(fits)[:, None]
    model = GaussianMixture(2, reg_covar=1e-2, random_state=0).fit(values)
    return higher(model.predict(values) > 0, values[:, 0])


def noise_floor(
    fits: KeptTallies, times: float, score: Callable[[KeptTallies], FloatArray]
) -> BoolArray:
    """Select what is so many robust standard deviations above the median variable."""
    values = score(fits)
    middle = np.median(values)
    spread = 1.4826 * np.median(np.abs(values - middle)) + 1e-6
    return values > middle + times * max(spread, 0.1)


def above_bulk(fits: KeptTallies, times: float) -> BoolArray:
    """Select what has so many times the mean count of the lower nine tenths of the variables."""
    mean = fits.vc.mean(axis=0)
    bulk = np.sort(mean)[: int(0.9 * len(mean))].mean()
    return np.asarray((mean > times * (bulk + 0.02)) & (lower(fits.vc) > 0.5))


def permutation(fits: KeptTallies, cut: Callable[..., object]) -> BoolArray:
    """Compare the mean count with that in fits to permuted responses."""
    if fits.permuted is None:
        raise NotKept
    return cut(fits.vc.mean(axis=0), fits.permuted.vc).selected  # type: ignore[attr-defined, no-any-return]


def both(fits: KeptTallies, *rules: Rule) -> BoolArray:
    """Select what all rules select."""
    return np.logical_and.reduce([rule(fits) for rule in rules])


def either(fits: KeptTallies, *rules: Rule) -> BoolArray:
    """Select what a rule selects."""
    return np.logical_or.reduce([rule(fits) for rule in rules])


def _mean_count(fits: KeptTallies) -> FloatArray:
    return np.asarray(np.log(fits.vc.mean(axis=0) + 0.05))


def _named() -> dict[str, Rule]:
    found: dict[str, Rule] = {
        "probability of relevance >= 0.5, at least one": most_probable,
        "probability of relevance >= 0.5": probable,
        "VC-measure, as in the paper": vc,
    }
    for j, name in enumerate(VC_COLUMNS):
        without = [k for k in range(4) if k != j]
        found[f"VC-measure without {name}"] = partial(vc, columns=without)
    for j, name in enumerate(VC_COLUMNS[:2]):
        found[f"VC-measure, {name} alone"] = partial(vc, columns=[j])
    for j, name in enumerate(VC_COLUMNS[2:], 2):
        found[f"VC-measure, {name} alone"] = partial(ranks_alone, columns=[j])
    found["VC-measure, counts alone"] = partial(vc, columns=[0, 1])
    found["VC-measure, ranks alone"] = partial(ranks_alone, columns=[2, 3])
    for log, standardise in ((False, True), (True, False), (False, False)):
        text = f"{'with' if log else 'without'} logarithm, {'' if standardise else 'not '}"
        found[f"VC-measure {text}standardised"] = partial(
            two_clusters, how="average", log=log, standardise=standardise
        )
    for how in ("single", "complete", "ward", "k-means", "mixture", "density"):
        found[f"VC-measure, {how}"] = partial(two_clusters, how=how)
    found["clustering of all fits, counts"] = partial(whole_matrix, with_ranks=False)
    found["clustering of all fits, counts and ranks"] = partial(whole_matrix, with_ranks=True)
    for how, numbers in (
        ("lower quartile", (0.5, 1, 1.5)),
        ("median", (0.5, 1, 1.5, 2)),
        ("mean", (1, 1.5, 2, 3)),
    ):
        for number in numbers:
            found[f"{how} of counts >= {number:g}"] = partial(
                at_least, tally="vc", how=how, number=number
            )
    for how, shares in (
        ("lower quartile", (0.3, 0.5, 0.7)),
        ("median", (0.5, 0.7, 0.9)),
        ("mean", (0.4, 0.5, 0.6, 0.7, 0.8)),
        ("share", (0.5, 0.6, 0.8, 1)),
    ):
        for share in shares:
            what = "share of fits with inclusion >= 0.5" if how == "share" else f"{how} inclusion"
            found[f"{what} >= {share:g}"] = partial(at_least, tally="mpvip", how=how, number=share)
    found["clusters of counts and inclusion"] = count_and_inclusion
    found["clusters of inclusion"] = inclusion_clusters
    found["widest gap of log mean count"] = partial(gap, score=_mean_count)
    found["widest gap of mean log count"] = partial(gap, score=log_mean)
    found["least spread on both sides"] = otsu
    found["mixture of two normals"] = mixture
    for times in (3, 5, 8):
        found[f"{times} sd above the median variable"] = partial(
            noise_floor, times=times, score=log_mean
        )
    for times in (5, 10, 20):
        found[f"{times} times the bulk"] = partial(above_bulk, times=times)
    for name, cut in (("local", local), ("G.SE", gse), ("G.Max", gmax)):
        found[f"counts, permutation {name}"] = partial(permutation, cut=cut)
    half = partial(at_least, tally="mpvip", how="mean", number=0.5)
    found["VC-measure and mean inclusion >= 0.5"] = partial(_join, join=both, rules=(vc, half))
    found["VC-measure or mean inclusion >= 0.7"] = partial(
        _join, join=either, rules=(vc, partial(at_least, tally="mpvip", how="mean", number=0.7))
    )
    return found


def _join(fits: KeptTallies, join: Callable[..., BoolArray], rules: tuple[Rule, ...]) -> BoolArray:
    return join(fits, *rules)


RULES = _named()
