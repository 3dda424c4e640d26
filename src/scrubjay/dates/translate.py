"""Translates German, Spanish and French time words into English, so that one grammar reads them all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from scrubjay.dates.grammar import ALSO_VERBS, MONTHS, NUMBERS, SEASONS, WEEKDAYS, any_of
from scrubjay.text import word_lists
from scrubjay.text.languages import has_english_stop_words, language_of, stop_words_of, without_accents

__all__ = ["in_english"]

MIN_KNOWN_WORDS = 2  # a single word of a language may be a name


def _as_month(month: str) -> str:
    """With a capital letter, so that "May" and "March" are read as months and not as verbs."""
    return month.capitalize() if month in ALSO_VERBS else month


WORDS = {
    "en": " ".join([*map(_as_month, word_lists.MONTHS), *WEEKDAYS])
    + """
        spring summer autumn winter
        day days week weeks month months year years weekend quarter half today yesterday christmas
        two three four five six seven eight nine ten first second third fourth
        since until between and before after
    """,
    "de": """
        januar februar märz april mai juni juli august september oktober november dezember
        montag dienstag mittwoch donnerstag freitag samstag sonntag frühling sommer herbst winter
        tag tage woche wochen monat monate jahr jahre wochenende quartal halbjahr heute gestern weihnachten
        zwei drei vier fünf sechs sieben acht neun zehn ersten zweiten dritten vierten
        seit bis zwischen und vor nach
    """,
    "es": """
        enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
        lunes martes miércoles jueves viernes sábado domingo primavera verano otoño invierno
        día días semana semanas mes meses año años finde trimestre semestre hoy ayer navidad
        dos tres cuatro cinco seis siete ocho nueve diez primer segundo tercer cuarto
        desde hasta entre y antes después
    """,
    "fr": """
        janvier février mars avril mai juin juillet août septembre octobre novembre décembre
        lundi mardi mercredi jeudi vendredi samedi dimanche printemps l'été automne hiver
        jour jours semaine semaines mois mois an ans week-end trimestre semestre aujourd'hui hier noël
        deux trois quatre cinq six sept huit neuf dix premier deuxième troisième quatrième
        depuis jusque entre et avant après
    """,
}
# Other forms of these words, and phrases; _ stands for a space.
MORE = {
    "de": """
        stunde=hour stunden=hours tagen=days monaten=months jahren=years monats=month jahres=year kw=week
        jänner=january frühjahr=spring sonnabend=saturday vorgestern=day_before_yesterday gestern_abend=last_night
        heute_morgen=this_morning heute_früh=this_morning heiligabend=christmas_eve
        einem=one einer=one paar=few silvester=new_year's_eve am=on an=on im=in vom=from zum=on ab=since
        anfang=early mitte=mid ende=late erste=first zweite=second hälfte=half
        letzte=last letzten=last letzter=last letztes=last letztem=last
        vergangene=last vergangenen=last vergangenes=last
        diese=this diesen=this dieser=this dieses=this diesem=this
    """,
    "es": """
        anteayer=day_before_yesterday antier=day_before_yesterday anoche=last_night esta_mañana=this_morning
        fin_de_semana=weekend nochevieja=new_year's_eve nochebuena=christmas_eve
        hora=hour horas=hours un=one una=one unos=few unas=few el=on en=in del=of de=of al=to
        antes_de=before antes_del=before después_de=after después_del=after a_principios_de=early principios_de=early
        a_mediados_de=mid mediados_de=mid a_finales_de=late finales_de=late primera=first segunda=second mitad=half
        pasado=last pasada=last último=last última=last últimos=last últimas=last este=this esta=this hace=ago
    """,
    "fr": """
        année=year années=years avant-hier=day_before_yesterday hier_soir=last_night ce_matin=this_morning
        heure=hour heures=hours mois=month en_été=in_summer cet_été=this_summer le=on en=in au=in du=of de=of
        un=one une=one quelques=few quinze=fifteen vingt=twenty trente=thirty
        jusqu'à=until jusqu'au=until jusqu'en=until début=early mi=mid fin=late première=first moitié=half
        dernier=last dernière=last derniers=last dernières=last passé=last passée=last ce=this cet=this cette=this
        il_y_a=ago
    """,
}
COUNT = rf"(?:\d+|{any_of(NUMBERS)})"
UNIT = r"(?:hour|day|week|month|year)"
NAMED = rf"(?:{UNIT}|weekend|quarter|{any_of((*WEEKDAYS, *SEASONS, *MONTHS))})"
# Word order: "vor 3 Tagen" and "hace 3 días" are "3 days ago"; "semana pasada" and "mois dernier" are "last …".
ORDER = {
    r"\b(since|until|before|after|between|and|from)(?: (?:on|dem|den|der|la|les|los|las))+\b": r"\1",
    rf"\b(?:ago|before) ({COUNT} {UNIT}s?)\b": r"\1 ago",
    rf"\b({COUNT}) last ({UNIT}s?)\b": r"last \1 \2",
    rf"\b({NAMED}) last\b": r"last \1",
}


def in_english(text: str) -> str:
    """The text with its time words in English; unchanged if it is in English or an unknown language."""
    english = text.casefold()
    if (dictionary := _dictionary_for(english)) is None:
        return text
    words = "|".join(map(re.escape, sorted(dictionary, key=len, reverse=True)))
    english = re.sub(rf"(?<![\w-])(?:{words})(?![\w'-])", lambda match: dictionary[match[0]], english)
    for pattern, reordered in ORDER.items():
        english = re.sub(pattern, reordered, english, flags=re.IGNORECASE)
    return english


def _dictionary_for(text: str) -> Mapping[str, str] | None:
    """The dictionary of the text's language; if stop words do not decide it, the one that knows most of its words."""
    words = re.findall(r"\w+", text)
    if (language := language_of(words)) in MORE:
        return _dictionary(language)
    if language or has_english_stop_words(words):
        return None
    known = {
        name: sum(word in _dictionary(name) or without_accents(word) in stop_words_of(name) for word in words)
        for name in MORE
    }
    best = max(known, key=known.__getitem__)
    return _dictionary(best) if known[best] >= MIN_KNOWN_WORDS else None


@cache
def _dictionary(language: str) -> Mapping[str, str]:
    words = dict(zip(WORDS[language].split(), WORDS["en"].split(), strict=True))
    pairs = (pair.replace("_", " ").split("=") for pair in MORE[language].split())
    return words | {word: english for word, english in pairs}
