"""Every tuned number of the search, in one place.

Each entry says what it is (with its unit), where it stands in the formula, and where its value comes from:

- *fitted*: chosen on one half of the scopes of the public sets and reported on the other (docs/figures/quality.md).
- *chosen*: set by hand; nothing was fitted.

`python -m bench.constants` tells what the search would find if one of these were four fifths or five fourths of what it
is; `python -m bench.leave_out` how the fusion does on sets left out. How much words and
meaning count is a setting, with its defaults in `scrubjay.types.WEIGHTS`. The store has limits of its own on the work
that one search may cause (stores/sqlite/text_index.py and vector_index.py): they bound time, not rank.
"""

from __future__ import annotations

# Candidates

# How many candidates each way of searching gives: max(CANDIDATES_PER_RESULT * limit, MIN_CANDIDATES). Enough that the
# best of one way is seldom missing among those of the other. Chosen.
CANDIDATES_PER_RESULT = 3
MIN_CANDIDATES = 30
# In vector mode nothing is fused, so fewer do: VECTOR_CANDIDATES_PER_RESULT * limit + VECTOR_CANDIDATES_MARGIN.
# Chosen.
VECTOR_CANDIDATES_PER_RESULT = 2
VECTOR_CANDIDATES_MARGIN = 5
# The turns just before and after the first LEADING_CANDIDATES by word and by meaning become candidates, too. Chosen.
LEADING_CANDIDATES = 10
# Factor on `limit` when near-identical results leave places free and the search is repeated, once. Chosen.
WIDEN_FACTOR = 16

# Words: BM25 divided by the most that the question's words could give

# k1 of BM25: how fast more occurrences of a word stop counting. Fitted.
BM25_K1 = 1.2
# b of BM25: how much a long text is penalised, 0..1. Fitted.
BM25_B = 0.9
# Words added to every length, (length + x) / (average + x): between short texts length tells little. Fitted.
BM25_EXTRA_WORDS = 20

# The match by words of a memory is coverage * (BM25 share) ** WORD_SCORE_POWER, where coverage is the share of the
# question's information, unknown words included, that the memory holds. Chosen by leaving whole sets out
# (docs/figures/leave_out.md); anything from a third to one does about as well.
WORD_SCORE_POWER = 0.5

# Meaning

# Taken from the best cosine of a text, times ln(pieces): of many pieces, one is near by chance. Fitted.
LONG_TEXT_PENALTY = 0.125
# Meaning counts by its distance, (cosine - mean) / deviation of the question's cosines with a sample of all memories;
# times DISTANCE_SCALE it is a score from 0 to 1. Ten deviations are as far as anything gets.
DISTANCE_SCALE = 0.1
# Mean, deviation and weight, in memories, of what is usual for a model: counted in beside the sample, which in a small
# store tells little. Measured over the public sets.
USUAL_BACKGROUND = {"all-MiniLM-L6-v2/int8": (0.08, 0.1, 8)}
# Memories: for a model of which nothing is known, a smaller sample tells nothing, and the cosine itself counts. Chosen.
MIN_BACKGROUND = 10
# The least deviation: memories that all say the same have none. Chosen.
MIN_DEVIATION = 0.04
# Words: a turn of at most this many, directly after another such turn, is understood together with it. Chosen.
SHORT_TURN_WORDS = 60
# Its vector is v + PREVIOUS_TURN_WEIGHT * (vector of the turn before), normalised. Fitted.
PREVIOUS_TURN_WEIGHT = 0.5

# Conversations

# How much the words of the turn at that place (-1: just before) count when a turn is read with its neighbours.
# Fitted.
NEIGHBOUR_WORD_WEIGHTS = {-2: 0.18, -1: 0.13, 1: 0.28, 2: 0.18}
# And what share of their length is added to its own. Fitted.
NEIGHBOUR_LENGTH_SHARE = 0.35
# keyword = (OWN * own words + words with neighbours + SESSION * best of the conversation) / (OWN + 1 + SESSION).
# Fitted.
OWN_WORDS_WEIGHT, SESSION_WEIGHT = 0.58, 1.0

# Scores

# A sum of several signals is left as it is up to here, and bent towards 1 above. Chosen.
SATURATION_START = 0.8
# k of reciprocal rank fusion, 1 / (k + rank). The value in common use.
RRF_K = 60
# The score of a memory that merely contains the text as typed. Chosen.
SUBSTRING_SCORE = 0.1
# Added for a memory of the project at hand. Chosen.
PROJECT_LIFT = 0.05
# Added for a turn of somebody whom the question names. Fitted, leaving sets out: 0.2 to 0.25.
SPEAKER_LIFT = 0.2
# Taken from what an assistant said, unless it is asked for: people state, assistants explain. Fitted.
ASSISTANT_PENALTY = 0.05
# Added for each confirmation, and at most. Chosen.
CONFIRMED_LIFT = (0.05, 0.15)
# Added for each use, and at most: decides between equals only, or what is found would be found again. Chosen.
USED_LIFT = (1e-7, 1e-6)
# The share of its score that a faded memory keeps at least. Chosen: old age decides between matches that are about
# as good, and never puts one behind another that is half as good.
MIN_FADED_SHARE = 0.75
# The share of a passage's score that a memory needs to take its place among the results. Chosen.
NEARLY_AS_GOOD = 0.5

# Time

# The share of its score that a memory loses at most for being of another time than the question names. Fitted.
OTHER_TIME_PENALTY = 0.4
# The share of the score that stands for being of that time, where the question asks for nothing else. Chosen.
TIME_ONLY_SHARE = 0.5
# Days: nearness falls by a factor e for each so many before and after the named time. People tell of a thing after it
# happened rather than before. Fitted.
DAYS_BEFORE, DAYS_AFTER = 3.0, 7.0
# How many texts are searched for a time of their own: TEXTS_READ_PER_RESULT * limit, the best first. Chosen: reading
# a time takes longer than finding a memory.
TEXTS_READ_PER_RESULT = 8

# How likely a result answers

# confidence = sigmoid(base + distance * distance in meaning + match * match by words + behind * how far its score is
# below the best + memories * ln(memories)), by the ways of searching that were used. Fitted by `python -m bench.fit`
# to the first ten results of all sets, for questions with and without an answer.
CONFIDENCE_FIT = {
    "hybrid": {"base": -0.31, "distance": 1.05, "match": 4.38, "behind": -5.18, "memories": -0.88},
    "keyword": {"base": 0.67, "distance": 0.0, "match": 6.3, "behind": -8.81, "memories": -0.62},
    "vector": {"base": 0.24, "distance": 1.41, "match": 0.0, "behind": -6.79, "memories": -1.16},
}
# A result is likely from min(LIKELY_OF_FIFTY * (50 / memories) ** LIKELY_POWER, LIKELY_AT_MOST) on. Chosen on the open
# half of the precision set: a lower line tells more that does not answer, a higher one misses more that does.
LIKELY_OF_FIFTY, LIKELY_POWER, LIKELY_AT_MOST = 0.2, 0.35, 0.45
# The confidence of what is of the time that a question asks for, where it asks for nothing else. Chosen.
OF_THAT_TIME = 0.5

# Near-identical results

# The share of the longer text's words that the shorter one may lack, if it has all its own in the same order. Of the
# 18,000 texts of the public sets this joins nine pairs, all of them restatements. Sets of words that overlap by 0.9,
# with or without a cosine of 0.97, join more, and different statements among them. Chosen.
MAX_EXTRA_WORDS_SHARE = 0.1
# Characters: longer texts are not compared. Chosen.
MAX_COMPARED_CHARACTERS = 20_000

# Corrections of what a turn states

# How many memories that share its words are looked at. Chosen.
CORRECTION_CANDIDATES = 6
# The share of a replaced memory's words that the turn must hold. Chosen.
CORRECTION_WORD_OVERLAP = 0.6

# Sentences that explain a result

# A share of the score: from here on meaning is called close. Chosen.
CLOSE_IN_MEANING = 0.1
# A share of the score: smaller parts are not mentioned. Chosen.
MIN_SHOWN_SHARE = 0.005
