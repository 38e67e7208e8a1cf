"""A first guess at which column plays which role, from names and contents."""

from __future__ import annotations

import re
from typing import Any, Final

import pandas as pd

from core.store.layout import (
    COLUMNS,
    FeatureColumn,
    LabelColumn,
    StratumColumn,
    is_records_format,
    read_header,
)
from core.store.mapping import Mapping
from core.store.parsing import truth_values
from core.store.readers import RawTable


def _words(text: str) -> list[str]:
    return text.split()


# Names seen in the wild, lower case, only letters and digits; the likeliest first.
_ROLES: Final = {
    "id": _words(
        "id itemid recordid exampleid sampleid testid docid uid uuid traceid questionid qid textid "
        "key index idx"
    ),
    "question": _words(
        "question query prompt questiontext userinput input instruction task request"
    ),
    "answer": _words(
        "answer candidateanswer modelanswer response output actualoutput modeloutput completion "
        "generation prediction"
    ),
    "candidate": _words("candidate candidatemodel model modelname system generator"),
    "reference": _words(
        "reference referenceanswer goldenanswer goldanswer correctanswer groundtruth "
        "expectedoutput expected target ideal gold"
    ),
    "judge": _words("judge judgemodel judgename evaluator grader"),
    "judge_kind": _words("judgekind judgetype"),
    "mode": _words("mode judgemode"),
    "uncertainty": _words(
        "uncertainty judgeuncertainty uncertainty1 mode1uncertainty uncertaintymode1 entropy "
        "predictiveentropy entropy1"
    ),
    "uncertainty_kind": _words("uncertaintykind uncertaintytype"),
    "explanation": _words(
        "explanation judgeexplanation explanation1 mode1explanation explanationmode1 rationale "
        "reasoning reason"
    ),
    "failure_cause": _words("failurecause failurecause1 failure error"),
    "uncertainty2": _words("uncertainty2 mode2uncertainty uncertaintymode2 entropy2"),
    "explanation2": _words("explanation2 mode2explanation explanationmode2"),
    "failure_cause2": _words("failurecause2 mode2failurecause"),
    "evidence": _words("evidence sources urls"),
    "evidence2": _words("evidence2 mode2evidence urls2"),
    "spans": _words("spans flaggedspans hallucinatedspans hallucinationlist"),
    "spans2": _words("spans2 mode2spans"),
    "annotator": _words("annotator annotatorid rater raterid labeler labeller"),
}
# These names leave no doubt, so their cells are taken whatever they hold: what can't be read is
# then reported, where an overlooked column would go unnoticed.
_NAMED: Final = {
    "verdict": _words("verdict judgeverdict verdict1 mode1verdict verdictmode1"),
    "verdict2": _words("verdict2 mode2verdict verdictmode2"),
    "label": _words("humanlabel humanverdict humanjudgment humanjudgement goldlabel human label"),
}
# These may mean something else, so half of their cells have to say true or false.
_LIKELY: Final = {
    "verdict": _words(
        "judgment judgement judgelabel judgedecision autolabel passed pass prediction pred"
    ),
    "label": _words("iscorrect correct gold truth annotation"),
}
_LABEL_PREFIX: Final = re.compile(r"(?:human|label|annotator|rater|gold)")
_SCORES: Final = {
    "p_true": _words("ptrue probtrue trueprob probabilitytrue pcorrect"),
    "confidence": _words("confidence judgeconfidence conf certainty"),
}
_LOGPROBS: Final = {
    "logprobtrue": "logprobfalse",
    "truelogprob": "falselogprob",
    "logptrue": "logpfalse",
    "logprobstrue": "logprobsfalse",
}
_STRATA: Final = _words("subset category domain dataset topic stratum group language intent split")


def guess_mapping(raw: RawTable) -> Mapping:
    """Guess roles from column names, and from cells where a name isn't enough.

    A column called "verdict" or "human label" is taken for one, so that cells which can't be read
    are reported. One whose name may mean something else ("passed", "gold") has to say true or
    false in half of its cells; one whose name only begins like a label's, in nine of ten.

    Parameters
    ----------
    raw : RawTable

    Returns
    -------
    Mapping
        Exact for the records format; otherwise a proposal for a person to correct.
    """
    named = [found for column in raw.columns if (found := read_header(column)) is not None]
    mapping = Mapping(
        labels=tuple(one for one in named if isinstance(one, LabelColumn)),
        features=tuple(one for one in named if isinstance(one, FeatureColumn)),
        strata=tuple(one for one in named if isinstance(one, StratumColumn)),
    )
    if is_records_format(raw.columns):
        return mapping.replace(**{role: role for role in COLUMNS if role in raw.columns})
    names = _Names(raw)
    chosen: dict[str, Any] = {}
    for words_of, share in ((_NAMED, 0), (_LIKELY, 0.5)):
        for role, words in words_of.items():
            if role not in chosen and not (role == "label" and mapping.labels):
                names.take(chosen, role, words, share)
    label = chosen.pop("label", None)
    labels = mapping.labels if label is None else (LabelColumn(label),)
    for role, words in _ROLES.items():
        names.take(chosen, role, words)
    labels = labels or _several_labels(names)
    if "uncertainty" not in chosen:
        _guess_scores(names, chosen)
    strata = [column for column in names.free if names.key[column] in _STRATA]
    return mapping.replace(
        **chosen,
        labels=labels,
        strata=(*mapping.strata, *(StratumColumn(column, column) for column in strata)),
    )


class _Names:
    """The columns without a role yet."""

    def __init__(self, raw: RawTable) -> None:
        self.frame = raw.frame
        self.free = [column for column in raw.columns if read_header(column) is None]
        self.key = {column: _key(column) for column in self.free}

    def find(self, words: list[str], share: float = 0) -> str | None:
        """The first column of these names in which a share of the cells says true or false.

        Of a column inside an object, the part after the dot counts as its name too, when no
        other column is found and the name is more than a number's.
        """
        inner = {column: _key(column.rpartition(".")[2]) for column in self.free if "." in column}
        for keys, skipped in ((self.key, ()), (inner, ("index", "idx", "key"))):
            for word in words:
                for column in self.free:
                    if keys.get(column) == word not in skipped and self.is_truth(column, share):
                        return column
        return None

    def take(self, chosen: dict[str, Any], role: str, words: list[str], share: float = 0) -> None:
        """Give a role to the column that `find` finds."""
        column = self.find(words, share)
        if column is not None:
            chosen[role] = column
            self.free.remove(column)

    def is_truth(self, column: str, share: float) -> bool:
        """True when at least this share of the filled cells says true or false."""
        if not share:
            return True
        sample: pd.Series = self.frame[column].dropna().head(2000)
        filled = int((sample.str.strip() != "").sum())
        values, _ = truth_values(sample)
        return filled > 0 and int((values == values).sum()) >= share * filled


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _several_labels(names: _Names) -> tuple[LabelColumn, ...]:
    """Columns such as human_anna and human_bert, an annotator each."""
    several = [
        column
        for column in names.free
        if _LABEL_PREFIX.match(names.key[column]) and names.is_truth(column, 0.9)
    ]
    for column in several:
        names.free.remove(column)
    return tuple(LabelColumn(column, annotator=column) for column in several)


def _guess_scores(names: _Names, chosen: dict[str, Any]) -> None:
    """Look for another score where there is no column of uncertainties."""
    for kind, words in _SCORES.items():
        for word in words:
            names.take(chosen, "uncertainty", [word, f"{word}1", f"mode1{word}"])
            if "uncertainty" in chosen:
                names.take(chosen, "uncertainty2", [f"{word}2", f"mode2{word}"])
                chosen["uncertainty_as"] = kind
                return
    for true, false in _LOGPROBS.items():
        for end in ("", "1"):
            if names.find([true + end]) and names.find([false + end]):
                names.take(chosen, "uncertainty", [true + end])
                names.take(chosen, "uncertainty_false", [false + end])
                if names.find([f"{true}2"]) and names.find([f"{false}2"]):
                    names.take(chosen, "uncertainty2", [f"{true}2"])
                    names.take(chosen, "uncertainty_false2", [f"{false}2"])
                chosen["uncertainty_as"] = "logprobs"
                return
