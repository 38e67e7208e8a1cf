"""SHAP values of shallow trees by table look-up, exact, for many records at once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.residuals.boosting import FloatMatrix
from core.validation import FloatArray

#: Records handled at once, so that what is computed for them stays in the processor's cache.
BLOCK = 8192


@dataclass(frozen=True, eq=False)
class Node:
    """An inner node: records with a value below the threshold go left, missing ones by default."""

    feature: int
    threshold: np.float32
    missing_left: bool


@dataclass(frozen=True, eq=False)
class TreeTable:
    """A tree's contributions for every outcome of all its comparisons.

    Attributes
    ----------
    nodes : tuple of Node
        Node i sets bit i of a record's pattern where the record would go left at it.
    features : int array of shape (n_used,)
        The features that the tree compares.
    values : array of shape (2 ** number of nodes, n_used)
        The features' SHAP values at each pattern.
    """

    nodes: tuple[Node, ...]
    features: NDArray[np.int64]
    values: FloatArray


def tree_values(booster: Any, matrix: FloatMatrix) -> FloatArray:
    """Return each feature's SHAP value in each record's prediction.

    Parameters
    ----------
    booster : xgboost.Booster
        Regression trees of at most a dozen inner nodes each, as :mod:`core.residuals.boosting`
        grows them (seven at depth 3).
    matrix : float32 array of shape (n, n_features)
        NaN is missing.

    Returns
    -------
    array of shape (n, n_features)

    Notes
    -----
    The "tree path dependent" values that TreeSHAP computes: a feature outside the coalition is
    averaged over both branches by the number of training records in each. A leaf's weight is a
    product over the features on its path, so its Shapley values have a closed form, and they depend
    on the record through the outcomes of the tree's few comparisons alone. All outcomes are
    tabulated once; a record then costs one look-up a tree.

    References
    ----------
    Lundberg et al., From local explanations to global understanding with explainable AI for
    trees, Nature Machine Intelligence 2 (2020).
    """
    tables = [_table(tree) for tree in _trees(booster)]
    columns = np.asfortranarray(matrix)
    result = np.zeros(matrix.shape, order="F")
    for start in range(0, len(matrix), BLOCK):
        block = columns[start : start + BLOCK]
        absent = np.isnan(block)
        out = result[start : start + BLOCK]
        for table in tables:
            pattern = np.zeros(len(block), dtype=np.intp)
            for bit, node in enumerate(table.nodes):
                left = block[:, node.feature] < node.threshold
                if node.missing_left:
                    left |= absent[:, node.feature]
                pattern |= left.astype(np.intp) << bit
            for at, feature in enumerate(table.features):
                out[:, feature] += table.values[:, at][pattern]
    return np.ascontiguousarray(result)


def _trees(booster: Any) -> list[dict[str, Any]]:
    model = json.loads(bytes(booster.save_raw("json")))
    return list(model["learner"]["gradient_booster"]["model"]["trees"])


def _table(tree: dict[str, Any]) -> TreeTable:
    left, right = tree["left_children"], tree["right_children"]
    inner = [node for node in range(len(left)) if left[node] != -1]
    bit = {node: at for at, node in enumerate(inner)}
    patterns = np.arange(1 << len(inner))
    features = np.unique(np.array([tree["split_indices"][node] for node in inner], dtype=np.int64))
    values = np.zeros((len(patterns), len(features)))
    cover = tree["sum_hessian"]

    def descend(node: int, path: dict[int, tuple[NDArray[np.bool_], float]]) -> None:
        if node not in bit:
            # In a leaf, XGBoost keeps its value where an inner node keeps the threshold.
            leaf = float(tree["split_conditions"][node])
            for feature, value in _leaf_values(leaf, path).items():
                values[:, np.searchsorted(features, feature)] += value
            return
        feature = tree["split_indices"][node]
        met, weight = path.get(feature, (np.ones(len(patterns), dtype=bool), 1.0))
        goes_left = (patterns >> bit[node] & 1).astype(bool)
        for child, goes in ((left[node], goes_left), (right[node], ~goes_left)):
            share = cover[child] / cover[node]
            descend(child, {**path, feature: (met & goes, weight * share)})

    descend(0, {})
    nodes = tuple(
        Node(
            tree["split_indices"][node],
            np.float32(tree["split_conditions"][node]),
            bool(tree["default_left"][node]),
        )
        for node in inner
    )
    return TreeTable(nodes, features, values)


def _leaf_values(
    leaf: float, path: dict[int, tuple[NDArray[np.bool_], float]]
) -> dict[int, FloatArray]:
    """Return the Shapley values, by pattern, of v(S) = leaf · Π_S met · Π_rest weight."""
    k = len(path)
    result = {}
    for feature, (met, weight) in path.items():
        others = [other for other in path if other != feature]
        total = np.zeros(len(met))
        for size in range(k):
            share = factorial(size) * factorial(k - size - 1) / factorial(k)
            for inside in combinations(others, size):
                product = np.full(len(met), share)
                for other in others:
                    product *= path[other][0] if other in inside else path[other][1]
                total += product
        result[feature] = leaf * (met - weight) * total
    return result
