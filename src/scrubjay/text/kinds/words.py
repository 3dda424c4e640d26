"""Words that several rules have in common, as parts of patterns."""

from __future__ import annotations

__all__ = [
    "CALLING",
    "COUNTED",
    "DAY",
    "DONE",
    "ERRAND",
    "HAPPENED",
    "KIN",
    "KIN_NEEDS",
    "MONTH",
    "NAME",
    "NO_CALLING",
    "OFTEN",
    "SOON",
    "THEN",
    "THEN_NEEDS",
    "THINGS",
    "WHO",
]

# Who states something about themselves or about somebody: a pronoun, "the user", or a name.
NAME = r"(?-i:(?!(?:The|A|An|This|That|It|Nobody|There|Each|Every|All)\b)[A-Z][a-z]+)"
WHO = rf"(?:i|we|you|he|she|they|(?:the )?user|(?:the |our )(?:team|client|customer|boss|manager)|{NAME})"
OFTEN = (
    r"(?: (?:really|strongly|always|usually|generally|only|also|still|very much|both|all|do not|don't|does not|doesn't"
    r"|would))?"
)
DONE = rf"^(?:(?:i|we|{NAME}) )?(?:(?:have|has|just) )?"
KIN = (
    r"(?:(?:step|half-|god|grand|great-)?(?:mother|father|brother|sister|son|daughter|parent)|wife|husband|fianc[ée]e?"
    r"|girlfriend|boyfriend|mum|mom|dad|grand(?:ma|pa)|uncle|aunt|cousin|niece|nephew|twin|sibling|spouse|neighbou?r"
    r"|landlord|landlady|boss|manager|mentor|friend|colleague|co-?worker|room-?mate|flatmate|supervisor|advis[eo]r"
    r"|tutor|teacher|assistant|deputy|successor|predecessor|guardian|ex)s?"
)
COUNTED = r"(?:an?|one|two|three|four|five|six|\d+|no)"
# "I am a bit under the weather" tells no calling, "I am the maintainer" does.
NO_CALLING = r"(?:bit|little|lot|few|couple|fan|big|huge|good|bad|better|great|firm)"
CALLING = (
    r"(?:(?!(?:other|after|under|never|ever|over|whether|either|for|weather)\b)[a-z-]{2,20}(?:er|or|ist|ian)|"
    r"student|consultant|architect|nurse"
    r"|scientist|analyst|parent|artist|chef|lead|coach|graduate|ceo|cto)"
)
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn"
    r"|winter)"
)
# When something happened; not "on Mondays", which is when it happens.
THEN = (
    rf"(?:on (?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}|on {MONTH} \d"
    rf"|(?:on|last|this|over the) (?:{DAY}|weekend)\b"
    rf"|(?:in|last|this) {MONTH}\b|in (?:19|20)\d\d\b|today\b|tonight\b|this (?:morning|afternoon|evening)\b|ago\b)"
)
HAPPENED = (
    r"(?:(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bget )[a-z]{2,}ed|held|took|ran|broke|went|flew|met|left|came|began|got"
    r"|struck|had|won|lost|bought|sold|gave|saw|fell|sent|was|were)"
)
SOON = (
    rf"(?:(?:on|by|before|until|for|this|next) (?:{DAY}|week|month|quarter|year|weekend)|tomorrow|tonight|by the end"
    r"|by \d+|before the|at (?:\d|noon|one|two|three|four|five|six|seven|eight|nine|ten|eleven))"
)
ERRAND = (
    r"(?:book|buy|call|phone|pick up|fetch|bring|send|order|email|schedule|renew|finish|prepare|reply to|return|pay|"
    r"get"
    r"|follow up|water|clean|measure|update|upgrade)"
)
THINGS = (
    r"(?:branch(?:es)?|commits?|pull requests|prs|tests|files|functions|modules|endpoints|columns|tables|variables"
    r"|flags|class(?:es)?|releases|migrations|messages|names|titles|tags|constants|components|tickets|reviews|"
    r"deployments|imports|secrets|timestamps)"
)

# Each match of a rule about relatives, or about when something happened, has one of these in it.
KIN_NEEDS = (
    "mother|father|brother|sister|son|daughter|parent|wife|husband|fianc|girlfriend|boyfriend|mum|mom|dad|grand|uncle"
    "|aunt|cousin|niece|nephew|twin|sibling|spouse|neighbo|landlord|landlady|boss|manager|mentor|friend|colleague"
    "|worker|mate|supervisor|advis|tutor|teacher|assistant|deputy|cessor|guardian| ex"
)
THEN_NEEDS = (
    "january|february|march|april| may|june|july|august|september|october|november|december|spring|summer|autumn"
    "|winter|day|weekend|in 19|in 20|tonight|morning|afternoon|evening| ago"
)
