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
# How many replaced memories are looked for, whose successor may be what is asked for. Chosen.
REPLACED_CANDIDATES = 10
# How many linked memories a search brings along at most, whatever `expand` is. Chosen.
MOST_LINKED = 20
# The share of the match of a replaced memory that its successor gets, if it does not match better itself. Chosen.
REPLACED_SHARE = 0.9
# The turns just before and after the first LEADING_CANDIDATES by word and by meaning become candidates, too. Chosen.
LEADING_CANDIDATES = 10
# Factor on `limit` when near-identical results leave places free and the search is repeated, once. Chosen.
WIDEN_FACTOR = 16

# Words: BM25 divided by the most that the question's words could give

# How fast more occurrences of a word stop counting, and how much a long text is penalised, 0..1. As commonly used.
BM25_K1, BM25_B = 1.2, 0.75
# Words added to every length, (length + x) / (average + x): between short texts length tells little. Fitted.
BM25_EXTRA_WORDS = 20

# Meaning

# Taken from the best cosine of a text, times ln(pieces): of many pieces, one is near by chance. Fitted.
LONG_TEXT_PENALTY = 0.1
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

# How much the words of the two turns before and after a turn count when it is read with them, and how much they add
# to its length. Fitted.
NEIGHBOUR_WEIGHT = 0.2
# The share of a turn's match by words that is the best match of its conversation; the rest is its own. Chosen.
CONVERSATION_SHARE = 0.5

# Scores

# k of reciprocal rank fusion, 1 / (k + rank). The value in common use.
RRF_K = 60
# The score of a memory that merely contains the text as typed. Chosen.
SUBSTRING_SCORE = 0.1
# Added for a memory of the project at hand. Chosen.
PROJECT_LIFT = 0.03
# Added for a turn of somebody whom the question names. Fitted beside questions that name the wrong one of two people.
SPEAKER_LIFT = 0.06
# Taken from what an assistant said, unless it is asked for: people state, assistants explain. Fitted.
ASSISTANT_PENALTY = 0.05
# Added for each confirmation, and at most. Chosen.
CONFIRMED_LIFT = (0.03, 0.1)
# Added for each rating as helpful beyond those as unhelpful, or taken, and at most. Chosen: less than a confirmation.
RATED_LIFT = (0.01, 0.04)
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

# confidence = sigmoid(base + distance * distance in meaning + covered * share of the question that its words cover +
# behind * how far its score is below the best + memories * ln(memories) + unnamed, if it has none of the question's
# names), by the ways of searching that were used. Fitted by `python -m bench.fit` to the first ten results of all
# sets, for questions with and without an answer.
CONFIDENCE_FIT = {
    "hybrid": {"base": -1.89, "distance": 0.91, "covered": 4.7, "behind": -12.4, "memories": -0.81, "unnamed": -0.96},
    "keyword": {"base": 0.09, "distance": 0.0, "covered": 5.4, "behind": -9.6, "memories": -0.53, "unnamed": 0.0},
    "vector": {"base": -0.16, "distance": 1.26, "covered": 0.0, "behind": -8.1, "memories": -0.93, "unnamed": 0.0},
}
# How alike a word counts as that only the turns around a turn have, 0..1. Chosen of 0, 0.25 and 0.5.
LIKENESS_AROUND = 0.5
# A result is likely from min(LIKELY_OF_FIFTY * sqrt(50 / memories), LIKELY_AT_MOST) on. Chosen on the open half of the
# precision set: a lower line tells more that does not answer, a higher one misses more that does.
LIKELY_OF_FIFTY, LIKELY_AT_MOST = 0.25, 0.45
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
CLOSE_IN_MEANING = 0.08
# A share of the score: smaller parts are not mentioned. Chosen.
MIN_SHOWN_SHARE = 0.005
