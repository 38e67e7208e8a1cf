"""The risk model, its explanation and the text features, beside the obvious ways to get them."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.table import Row, once, seconds
from core.residuals.beeswarm import beeswarm_sample
from core.residuals.boosting import DEPTH, LEARNING_RATE, ROUNDS
from core.residuals.explain import explain
from core.residuals.risk_model import fit_risk_model
from core.residuals.text_features import text_features

N, FEATURES = 100_000, 12
SIZE = f"{N:,} × {FEATURES}"
#: Records of the slowest alternative, whose time is multiplied up to N.
FEW = 10_000


def made() -> tuple[pd.DataFrame, np.ndarray]:
    """Features with gaps; disagreement follows the first three, two of them together."""
    generator = np.random.default_rng(4)
    x = generator.normal(size=(N, FEATURES))
    logit = x[:, 0] + x[:, 1] * x[:, 2] - 1
    residual = (generator.random(N) < 1 / (1 + np.exp(-logit))).astype(float)
    x[generator.random(x.shape) < 0.05] = np.nan
    return pd.DataFrame(x, columns=[f"feature {at}" for at in range(FEATURES)]), residual


def sklearn_scores(features: pd.DataFrame, residual: np.ndarray) -> np.ndarray:
    """Such trees from scikit-learn: out-of-fold scores on two cores, then a fit on all records."""
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.model_selection import KFold, cross_val_predict

    model = HistGradientBoostingRegressor(
        max_iter=ROUNDS, learning_rate=LEARNING_RATE, max_depth=DEPTH, early_stopping=False
    )
    values, target = features.to_numpy(), residual**2
    folds = KFold(5, shuffle=True, random_state=0)
    scores = cross_val_predict(model, values, target, cv=folds, n_jobs=2)
    model.fit(values, target)
    return np.asarray(scores)


def texts(n: int) -> pd.DataFrame:
    """Made-up short question–answer records: about 100 words each."""
    source = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(source.choices(letters, k=source.randint(2, 9))) for _ in range(5_000)]
    words += ["the", "is", "not", "of", "perhaps", "today"] * 300
    words += ["12", "1,500", "1999", "5 March 2021"] * 40

    def text(length: int) -> str:
        return " ".join(source.choices(words, k=length)) + "."

    sizes = {"question": 12, "answer": 40, "reference": 20, "explanation": 30}
    return pd.DataFrame({name: [text(size) for _ in range(n)] for name, size in sizes.items()})


def run() -> list[Row]:
    import shap

    features, residual = made()
    fit = partial(fit_risk_model, features, residual)
    model = fit()
    values = explain(model, features).values
    shap_time = once(
        lambda: shap.TreeExplainer(model.trees.booster).shap_values(
            features.iloc[:FEW].to_numpy(dtype=np.float32)
        )
    )
    words = texts(N)
    return [
        Row("risk model, 5 folds and all records", SIZE, once(fit),
            "scikit-learn's, 2 jobs", once(partial(sklearn_scores, features, residual)),
            "15 s"),
        Row("SHAP values of every record", SIZE, seconds(partial(explain, model, features)),
            f"shap.TreeExplainer, from {FEW:,}", shap_time * N / FEW, "5 s"),
        Row("beeswarm sample", SIZE, seconds(partial(beeswarm_sample, values))),
        Row("text features, 100 words a record", f"{N:,}", once(partial(text_features, words))),
    ]  # fmt: skip
