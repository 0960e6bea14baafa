# SPDX-License-Identifier: Apache-2.0
"""Writes reference.json with the results of SciPy, or of mpmath or exact enumeration if SciPy has no such function.

    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install scipy==1.17.1 mpmath==1.4.1
    /tmp/reference/bin/python Tests/AxiomStatisticsTests/Reference/make-reference.py
"""

import itertools
import json
import math
import pathlib
from fractions import Fraction

import mpmath
import numpy as np
import scipy
from scipy import stats

mpmath.mp.dps = 40
random = np.random.default_rng(20)


def rounded(count, digits):
    return [float(x) for x in np.round(random.normal(0.4, 1.0, count), digits)]


def walsh(values):
    return sorted((a + b) / 2 for i, a in enumerate(values) for b in values[i:])


def signed_rank_counts(n):
    counts = [1]
    for rank in range(1, n + 1):
        grown = counts + [0] * rank
        for total, count in enumerate(counts):
            grown[total + rank] += count
        counts = grown
    return counts


def signed_rank_exact(values, alternative):
    """The permutation distribution of the midranks, in exact integer counts."""
    moved = [v for v in values if v != 0]
    doubled = [int(2 * r) for r in stats.rankdata([abs(v) for v in moved])]
    counts = {0: 1}
    for rank in doubled:
        grown = dict(counts)
        for total, count in counts.items():
            grown[total + rank] = grown.get(total + rank, 0) + count
        counts = grown
    seen = sum(r for r, v in zip(doubled, moved) if v > 0)
    whole = 2 ** len(moved)
    greater = Fraction(sum(c for t, c in counts.items() if t >= seen), whole)
    less = Fraction(sum(c for t, c in counts.items() if t <= seen), whole)
    both = min(Fraction(1), 2 * min(greater, less))
    return float({"greater": greater, "less": less, "two-sided": both}[alternative])


def signed_rank_interval(values, confidence):
    n = len(values)
    counts = signed_rank_counts(n)
    outside = Fraction((1 - confidence) / 2) * 2**n
    left, total = -1, 0
    for statistic, count in enumerate(counts):
        if total + count > outside:
            break
        total += count
        left = statistic
    averages = walsh(values)
    return {
        "value": float(np.median(averages)),
        "lower": averages[left],
        "upper": averages[len(averages) - 1 - left],
        "confidence": float(1 - 2 * Fraction(total, 2**n)),
    }


def signed_ranks():
    cases = []
    for count, digits in [(5, 6), (8, 6), (10, 6), (15, 1), (20, 6), (24, 1), (40, 6), (50, 0), (99, 6), (150, 6), (300, 1)]:
        values = rounded(count, digits)
        method = "exact" if count <= 100 else "approx"
        p = {}
        for alternative in ["greater", "less", "two-sided"]:
            if count > 100:
                p[alternative] = stats.wilcoxon(
                    values, zero_method="wilcox", correction=True, alternative=alternative, method="asymptotic"
                ).pvalue
            else:
                p[alternative] = signed_rank_exact(values, alternative)
                if digits == 6:
                    scipy_p = stats.wilcoxon(values, alternative=alternative, method="exact").pvalue
                    assert math.isclose(p[alternative], scipy_p, rel_tol=1e-10), (count, p, scipy_p)
        case = {"values": values, "method": method, "p": p}
        if count <= 100:
            case["interval"] = signed_rank_interval(values, 0.9)
        cases.append(case)
    return cases


def mann_whitney():
    cases = []
    for m, n, digits in [(3, 4, 6), (5, 9, 6), (12, 10, 6), (8, 7, 0), (30, 30, 6), (20, 11, 6), (80, 70, 6), (60, 45, 0)]:
        first, second = rounded(m, digits), [x + 0.5 for x in rounded(n, digits)]
        if digits == 0:
            second = [float(x) for x in np.round(np.array(second))]
        p = {}
        for alternative in ["greater", "less", "two-sided"]:
            if m + n > 60:
                p[alternative] = stats.mannwhitneyu(
                    second, first, alternative=alternative, method="asymptotic", use_continuity=True
                ).pvalue
            elif digits == 0:
                p[alternative] = stats.mannwhitneyu(
                    second, first, alternative=alternative, method=stats.PermutationMethod(n_resamples=10**9)
                ).pvalue
            else:
                p[alternative] = stats.mannwhitneyu(second, first, alternative=alternative, method="exact").pvalue
        cases.append(
            {
                "first": first,
                "second": second,
                "u": stats.mannwhitneyu(second, first).statistic,
                "exact": m + n <= 60,
                "p": p,
                "shift": float(np.median([b - a for a, b in itertools.product(first, second)])),
            }
        )
    return cases


def distributions():
    probabilities = [1e-300, 1e-20, 1e-9, 1e-4, 0.01, 0.3, 0.5, 0.6, 0.975, 0.999, 1 - 1e-9]
    normal = [{"p": p, "x": float(mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(p) - 1))} for p in probabilities[3:]]
    normal += [{"p": p, "x": float(stats.norm.ppf(p))} for p in probabilities[:3]]
    student, beta, binomial = [], [], []
    for degrees in [1, 2.5, 9, 19, 100, 12345]:
        for x in [-30, -6, -1.5, -0.01, 0, 0.7, 3, 12]:
            exact = mpmath.betainc(mpmath.mpf(degrees) / 2, 0.5, 0, degrees / (degrees + mpmath.mpf(x) ** 2), True) / 2
            student.append({"degrees": degrees, "x": x, "p": float(exact if x <= 0 else 1 - exact)})
    for a, b in [(0.5, 0.5), (1, 3), (2.5, 7), (40, 2), (120, 130), (1000, 10), (5000, 5200)]:
        mean = a / (a + b)
        for x in [1e-6, mean / 2, mean * 0.95, mean, min(mean * 1.05, 0.9999), (1 + mean) / 2]:
            exact = mpmath.betainc(a, b, 0, mpmath.mpf(x), True)
            beta.append({"a": a, "b": b, "x": x, "p": float(exact)})
    for n, p in [(1, 0.3), (10, 0.5), (100, 0.01), (1000, 0.99), (1000000, 0.99)]:
        for level in [0.005, 0.05, 0.5, 0.95, 0.995]:
            binomial.append({"n": n, "p": p, "level": level, "k": int(stats.binom.ppf(level, n, p))})
    quantiles = [
        {"degrees": d, "p": p, "x": float(stats.t.ppf(p, d))} for d in [1, 4, 9, 29, 200] for p in [1e-8, 0.01, 0.2, 0.8, 0.975]
    ]
    return {"normal": normal, "student": student, "student_quantile": quantiles, "beta": beta, "binomial": binomial}


def clopper_pearson():
    cases = []
    for k, n in [(0, 1), (0, 100), (0, 300), (0, 1000), (3, 40), (40, 40), (150, 1000)]:
        both = stats.binomtest(k, n).proportion_ci(0.9, "exact")
        cases.append({"successes": k, "trials": n, "lower": float(both.low), "upper": float(both.high)})
    return cases


def detectable():
    cases = []
    for deviation, count, alpha, power in [(0.02, 10, 0.01, 0.8), (0.05, 20, 0.0005, 0.8), (0.1, 7, 0.05, 0.95)]:
        effect = (stats.t.ppf(1 - alpha, count - 1) + stats.t.ppf(power, count - 1)) * deviation / math.sqrt(count)
        cases.append({"deviation": deviation, "count": count, "alpha": alpha, "power": power, "effect": float(effect)})
    return cases


def families():
    p = [0.01, 0.04, 0.03, 0.005, 0.9, 0.01, 1.0, 0.0, 0.2]
    order = sorted(range(len(p)), key=lambda i: p[i])
    holm, largest = [0.0] * len(p), 0.0
    for position, index in enumerate(order):
        largest = max(largest, (len(p) - position) * p[index])
        holm[index] = min(1.0, largest)
    return {"p": p, "holm": holm, "benjamini_hochberg": [float(x) for x in stats.false_discovery_control(p)]}


def autocorrelations():
    series = [0.0]
    for _ in range(99):
        series.append(0.6 * series[-1] + float(random.normal()))
    centred = np.array(series) - np.mean(series)
    whole = np.correlate(centred, centred, "full")[len(series) - 1 :]
    return {"series": series, "coefficients": [float(x) for x in (whole / whole[0])[:10]]}


reference = {
    "scipy": scipy.__version__,
    "mpmath": mpmath.__version__,
    "signed_rank": signed_ranks(),
    "signed_rank_cumulative": [
        {"n": n, "w": w, "p": float(Fraction(sum(signed_rank_counts(n)[: w + 1]), 2**n))}
        for n, w in [(1, 0), (10, 8), (10, 27), (25, 89), (50, 434), (100, 1500), (100, 2525)]
    ],
    "mann_whitney": mann_whitney(),
    "families": families(),
    "autocorrelation": autocorrelations(),
    "clopper_pearson": clopper_pearson(),
    "detectable": detectable(),
    **distributions(),
}
path = pathlib.Path(__file__).with_name("reference.json")
path.write_text(json.dumps(reference, indent=1) + "\n")
