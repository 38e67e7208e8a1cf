"""English words that the text features look for: our own choice, lower case, one token each."""

from __future__ import annotations


def _words(text: str) -> list[str]:
    return text.split()


#: Words that carry no topic; also the yardstick for "is this English".
STOPWORDS = frozenset(
    _words(
        """
    a about above after again against all also although am an and any are as at be because been
    before being below between both but by can could did do does doing down during each either else
    ever every few for from further had has have having he her here hers herself him himself his how
    however i if in into is it its itself just may me might more most much must my myself neither no
    nor not of off often on once one only or other our ours out over own per rather same shall she
    should since so some such than that the their theirs them themselves then there therefore these
    they this those though through thus to too under until up upon us very was we well were what
    when where whether which while who whom whose why will with within without would yes yet you
    your yours
    """
    )
)

#: Words with which a writer holds back from a claim.
HEDGES = frozenset(
    _words(
        """
    about allegedly almost apparently approximately arguably around assume assumed believe believed
    broadly can conceivably could doubtful estimate estimated generally guess hardly hypothetically
    largely likely mainly may maybe might mostly nearly normally occasionally often partly perhaps
    possible possibly potentially presumably probable probably purportedly reportedly roughly seem
    seemed seemingly seems sometimes somewhat suggest suggested suggests suppose supposedly suspect
    tentatively typically uncertain unclear unlikely unsure unverified usually virtually
    """
    )
)

#: Words that turn a statement round; tokens that end in "n't" count as well.
NEGATIONS = frozenset(
    _words(
        """
    cannot cant dont doesnt didnt false isnt lack lacks neither never no nobody none nor not nothing
    nowhere unable wasnt werent without wont wouldnt
    """
    )
)

#: Words of a question whose answer changes with the day it is asked on.
TIME_WORDS = frozenset(
    _words(
        """
    current currently lately latest live newest now nowadays ongoing present presently recent
    recently still today tomorrow tonight upcoming updated yesterday yet
    """
    )
)

#: Words that make one of the units after them depend on the day: "this year", "next week".
TIME_POINTERS = frozenset({"this", "last", "next", "past", "coming"})
TIME_UNITS = frozenset(
    _words(
        "day week weekend month quarter season semester year decade summer winter spring autumn "
        "fall morning evening night"
    )
)

#: Written numbers that support a numeral; "one" is left out, for it is mostly a pronoun.
NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        _words(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen seventeen eighteen nineteen twenty"
        )
    )
    if word != "one"
}

#: Names of the months, and their usual short forms.
MONTHS = {
    "january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4, "apr": 4,
    "may": 5, "june": 6, "jun": 6, "july": 7, "jul": 7, "august": 8, "aug": 8, "september": 9,
    "sept": 9, "sep": 9, "october": 10, "oct": 10, "november": 11, "nov": 11, "december": 12,
    "dec": 12,
}  # fmt: skip
