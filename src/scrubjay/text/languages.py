"""Words that say nothing, in languages besides English: they are left out of a question, and tell its language."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from unicodedata import combining, normalize

from scrubjay.text.words import STOP_WORDS

__all__ = ["ENGLISH", "folded", "is_english", "is_foreign", "language_of", "silent", "small_words"]

SURE = 3  # letters: shorter words are those of many a language
LEAST = 2  # a name may have a "de" in it; nobody asks in Spanish with one small word

# As the index cuts and folds them: without accents, l'homme as two words.
SPANISH = """
    a al algo antes asi aun como con contra cual cuales cuando cuanta cuantas cuanto cuantos de del desde donde dos
    durante el ella ellas ellos en entre era eran es esa esas ese eso esos esta estaba estan estas este esto estos
    fue fueron ha habia hace hacia han hasta hay la las le les lo los mas me mi mis mucho muy nada ni no nos nuestra
    nuestro o os otra otro para pero poco por porque que quien quienes se sea ser si sin sobre son su sus tambien
    tan te tiene tienen todo todos tu tus un una uno unos usted y ya yo
"""
PORTUGUESE = """
    a ao aos as ate com como da das de dela dele deles depois do dos e ela elas ele eles em entre era eram essa esse
    esta estao estava este eu foi foram ha isso isto ja la lhe mais mas me mesmo meu meus minha muito na nao nas nem
    no nos nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque quais qual quando quanto quantos
    que quem sao se sem ser seu seus so sua suas tambem te tem tinha um uma voce
"""
FRENCH = """
    a ai alors apres au aucun aussi autre aux avait avant avec avoir c ce cela ces cet cette chez ci comme comment d
    dans de depuis des donc dont du elle elles en encore entre est et etaient etait ete etre eu fait fut il ils j je
    l la le les leur leurs lui m ma mais me meme mes moi mon n ne ni nos notre nous on ont ou par pas pendant plus
    pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son sont sous sur t ta
    tes toi ton tous tout toute tres tu un une vos votre vous y
"""
ITALIAN = """
    a ad agli ai al alla alle allo anche avere aveva c che chi ci come con cosa cui d da dagli dai dal dalla dalle
    dei del della delle dello di dopo dove e ed era erano essere fu gli ha hanno ho i il in io l la le lei li lo
    loro lui ma mi mia mio ne negli nei nel nella nelle no noi non nostro o per perche piu quale quali quando quanti
    quanto quella quello questa queste questi questo se si sia sono stata stato su sua sue sugli sui sul sulla sulle
    suo suoi ti tra tu un una uno vi voi
"""
GERMAN = """
    aber alle als also am an auch auf aus bei beim bin bis da damit dann das dass dem den der des die dies diese
    diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas euch fur gegen gibt
    habe haben hat hatte hatten hier ich ihm ihn ihr ihre ihrem ihren ihrer im in ist ja kann kein keine mehr mein
    meine mich mir mit nach nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind so
    uber um und uns unser unsere unter viel viele vom von vor wann war waren warum was weil welche welchem welchen
    welcher welches wem wen wenn wer werden wie wieviel wir wird wo wurde wurden zu zum zur zwischen
"""
DUTCH = """
    aan al als bij dan dat de deze die dit doch door een en er haar had hadden heb hebben heeft hem hen het hier hij
    hoe hoeveel hun ik in is ja je jij jou jouw kan kon maar me meer men met mij mijn naar niet niets nog nu of om
    omdat ons onze ook op over te toen tot tussen u uit uw van veel voor waar waarom wanneer waren was wat we wel
    welk welke werd werden wie wij worden wordt zei zich zij zijn zo zonder zou
"""
RUSSIAN = """
    а без был была были было быть в вам вас весь во вот все всего всех вы где да для до его ее если есть еще её же
    за здесь и из или им их к как какая какие какой какую когда кого кто ли меня мне мной мой моя мы на над нам нас
    наш не него нее нет ни них но ну о об он она они оно от очень по под почему при про с свой себя сколько со так
    также там те тем то того тоже той только том ты у уже чего чей чем что чтобы эта эти это этого этой этом этот я
    ёще
"""
POLISH = """
    a ale by byc był była było były co czy czyli dla do gdy gdzie go i ich ile im ja jak jaka jaki jakie jako je
    jego jej jest jestem juz kiedy kto ktora ktore ktory ktorzy lub ma mi mnie moj moje na nad nas nasz nie nim o od
    oraz po pod przed przez przy sa sie ta tak takze tam te tego tej ten to tu ty tym w we wie z za ze
"""
SWEDISH = """
    alla ar att av blev bli dar de dem den denna dess det detta dig din du efter ej eller en er ett for fran ha hade
    han har hon hur i icke ingen inte jag kan man med mellan men mig min mitt mot mycket nar ni nu och om oss over
    pa sedan sig sin skulle som till under upp ut vad var varfor varit vem vi vid vilka vilken vilket
"""
ENGLISH = ("the", "and", "it", "with", "that", "this", "you", "have")  # common in English texts, and in no others
LANGUAGES = {
    "es": SPANISH,
    "pt": PORTUGUESE,
    "fr": FRENCH,
    "it": ITALIAN,
    "de": GERMAN,
    "nl": DUTCH,
    "ru": RUSSIAN,
    "pl": POLISH,
    "sv": SWEDISH,
}


def silent(words: Collection[str]) -> frozenset[str]:
    """The stop words of a question: English ones, and those of its own language."""
    language = language_of(words)
    return STOP_WORDS | small_words(language) if language else STOP_WORDS


def is_english(words: Collection[str]) -> bool | None:
    """Whether a question is in English, told by its small words; None where it has none that tell."""
    if language_of(words):
        return False
    return True if _english().intersection(words) else None


def is_foreign(text: str) -> bool:
    """Whether a question is clearly in another language than English."""
    other_script = re.search(r"[^\W\d_\u0000-\u024f]", text)
    return other_script is not None or language_of(re.findall(r"\w+", text.casefold())) is not None


def language_of(words: Collection[str]) -> str | None:
    """The language that has more of a question's words than English has; None if it is English, or cannot be told."""
    asked = frozenset(map(folded, words))
    language, spoken = max(_languages().items(), key=lambda item: len(asked & item[1]))
    clearly = len(asked & spoken) >= max(LEAST, len(asked & STOP_WORDS) + 1)
    return language if clearly else None


def small_words(language: str) -> frozenset[str]:
    """The words of a language that say nothing, without accents."""
    return _languages()[language]


def folded(word: str) -> str:
    """A word of Latin letters without its accents."""
    if word.isascii():
        return word
    plain = "".join(letter for letter in normalize("NFKD", word) if not combining(letter))
    return plain if plain.isascii() else word


@cache
def _english() -> frozenset[str]:
    """The small words that no other language here has, nor probably another."""
    return frozenset(word for word in STOP_WORDS.difference(*_languages().values()) if len(word) >= SURE)


@cache
def _languages() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in LANGUAGES.items()}
