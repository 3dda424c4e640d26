"""Every tuned number of the search, in one place.

Each entry says what it is (with its unit), where it stands in the formula, and where its value comes from:

- *fitted*: chosen on one half of the scopes of the public sets and reported on the other (docs/figures/quality.md).
- *chosen*: set by hand; nothing was fitted.

The figures behind "nDCG" are the mean nDCG@10 over the public sets if the number is multiplied by 0.8 and by 1.25; it
is .4662 as it stands. `python -m bench.constants` measures them again (docs/figures/constants.md). How much words and
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
# Candidates: the turns just before and after the first so many of each way become candidates, too. Chosen.
LEADING_CANDIDATES = 10
# Factor on `limit` when near-identical results leave places free and the search is repeated, once. Chosen.
WIDEN_FACTOR = 16

# Words: BM25 divided by the most that the question's words could give

# k1 of BM25: how fast more occurrences of a word stop counting. Fitted; nDCG .4642 and .4645.
BM25_K1 = 1.2
# b of BM25: how much a long text is penalised, 0..1. Fitted; nDCG .4643 and .4670.
BM25_B = 0.9
# Words added to every length, (length + x) / (average + x): between short texts length tells little. Fitted; nDCG
# .4659 and .4658.
BM25_EXTRA_WORDS = 20

# keyword_trust = least + (1 - least) * sigmoid(a + b + c): how much words count beside meaning

# The least, 0..1, for a question in English. Fitted; nDCG .4653 and .4658.
MIN_KEYWORD_TRUST = 0.06
# The least for a question in another language: what English memories share with it are names and numbers. Fitted;
# nDCG .4656 and .4670.
MIN_KEYWORD_TRUST_FOREIGN = 0.2
# a = (coverage - midpoint) / width, where coverage is the largest share of the question's information that one
# candidate holds. Fitted; nDCG .4637 and .4686, .4666 and .4656.
COVERAGE_MIDPOINT, COVERAGE_WIDTH = 0.53, 0.084
# b = (commonness - midpoint) / width, where commonness is the share of memories expected to hold any of its words.
# Fitted; nDCG .4652 and .4674, .4644 and .4663.
COMMONNESS_MIDPOINT, COMMONNESS_WIDTH = 0.26, 0.108
# c = max(far - best cosine, 0) / width with far = FAR_COSINE + FAR_COSINE_PER_LOG_MEMORIES * ln(memories): where
# nothing is near in meaning, words count more; among many memories one is near by chance. Fitted; nDCG .4679 and
# .4643, .4678 and .4652, .4651 and .4671.
FAR_COSINE, FAR_COSINE_PER_LOG_MEMORIES, FAR_COSINE_WIDTH = 0.24, 0.02, 0.015

# Meaning

# Taken from the best cosine of a text, times ln(pieces): of many pieces, one is near by chance. Fitted; nDCG .4648
# and .4653.
LONG_TEXT_PENALTY = 0.125
# Words: a turn of at most so many that follows another such turn is understood together with it. Chosen.
SHORT_TURN_WORDS = 60
# Its vector is v + PREVIOUS_TURN_WEIGHT * (vector of the turn before), normalised. Fitted; nDCG .4656 and .4659.
PREVIOUS_TURN_WEIGHT = 0.5

# Conversations

# How much the words of the turn at that place (-1: just before) count when a turn is read with its neighbours.
# Fitted.
NEIGHBOUR_WORD_WEIGHTS = {-2: 0.18, -1: 0.13, 1: 0.28, 2: 0.18}
# And what share of their length is added to its own. Fitted; nDCG .4661 and .4660.
NEIGHBOUR_LENGTH_SHARE = 0.35
# keyword = (OWN * own words + words with neighbours + SESSION * best of the conversation) / (OWN + 1 + SESSION).
# Fitted; nDCG .4663 and .4661, .4649 and .4669.
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
# Added for a turn of somebody whom the question names. Fitted; nDCG .4661 and .4662.
SPEAKER_LIFT = 0.01
# Taken from what an assistant said, unless it is asked for: people state, assistants explain. Fitted; nDCG .4659 and
# .4668.
ASSISTANT_PENALTY = 0.05
# Added for each confirmation, and at most. Chosen.
CONFIRMED_LIFT = (0.05, 0.15)
# Added for each use, and at most: decides between equals only, or what is found would be found again. Chosen.
USED_LIFT = (1e-7, 1e-6)
# The share of its score that a faded memory keeps at least. Chosen.
MIN_FADED_SHARE = 0.1
# The share of a passage's score that a memory needs to take its place among the results. Chosen.
NEARLY_AS_GOOD = 0.5

# Time

# The share of its score that a memory loses at most for being of another time than the question names. Fitted; nDCG
# .4660 and .4662.
OTHER_TIME_PENALTY = 0.4
# The share of the score that stands for being of that time, where the question asks for nothing else. Chosen.
TIME_ONLY_SHARE = 0.5
# Days: nearness falls by a factor e for each so many before and after the named time. People tell of a thing after it
# happened rather than before. Fitted; nDCG .4662 and .4662, .4657 and .4662.
DAYS_BEFORE, DAYS_AFTER = 3.0, 7.0
# How many texts are searched for a time of their own: TEXTS_READ_PER_RESULT * limit, the best first. Chosen: reading
# a time takes longer than finding a memory.
TEXTS_READ_PER_RESULT = 8
# What may tell of a landmark ("the move"): memories with this share of the best score, and with this score at least.
# Fitted; nDCG .4662 and .4662 for both.
LANDMARK_SHARE_OF_BEST = 0.8
LANDMARK_MIN_SCORE = 0.2

# How likely an answer is

# confidence = sigmoid(base + meaning * vector score + coverage * share of the question's information that it holds +
# rank / rank + memories * ln(memories)). Fitted to the first ten results of all sets, for questions with and without
# an answer, in stores of four to five thousand memories.
CONFIDENCE_FIT = {"base": -4.74, "meaning": 4.15, "coverage": 2.33, "rank": 3.0, "memories": -0.28}
# The confidence from which the figures of docs/figures/quality.md call a result likely. Chosen.
LIKELY_CONFIDENCE = 0.2
# answer_probability = sigmoid(base + nearest * best cosine + coverage * best coverage + memories * ln(memories)), by
# model: other models have other cosines. Fitted to questions asked of the store they belong to, and of others, in
# stores of thirty to five thousand memories.
ANSWERED_FIT = {"all-MiniLM-L6-v2/int8": {"base": -4.79, "nearest": 14.13, "coverage": 1.75, "memories": -0.33}}
# Below the first probability the results say that nothing seems to answer; below the second only a few are shown.
# Chosen.
DOUBT_BELOW, CUT_BELOW = 0.5, 0.12
# Results shown then. Chosen.
RESULTS_WHEN_CUT = 3
# Memories: with no more than these, a search never abstains. Chosen.
MIN_MEMORIES_TO_ABSTAIN = 20
# Words besides stop words: short queries embed poorly, so a query of fewer is never cut. Chosen.
MIN_WORDS_TO_CUT = 3
# The share of memories that must hold one of the common English words for a store to count as English. Chosen.
COMMON_WORD_SHARE = 0.05

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
# keyword_trust: from here on the question's words are called common. Chosen.
COMMON_WORDS_FROM = 0.5
