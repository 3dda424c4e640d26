"""Word lists that several rooms use.

Lists that only one rule uses are in its module: words about secrets in `secret_scan/languages.py`, words that announce
a change in `memory/contradictions.py`, time words of other languages in `dates/translate.py`.
"""

from __future__ import annotations

__all__ = [
    "DETERMINERS",
    "MONTHS",
    "MONTH_ABBREVIATIONS",
    "NUMBERS",
    "OTHER_STOP_WORDS",
    "PRONOUNS",
    "STOP_WORDS",
    "WEEKDAYS",
]

MONTHS = tuple("january february march april may june july august september october november december".split())
MONTH_ABBREVIATIONS = {  # with the number of the month
    **{name[:3]: number for number, name in enumerate(MONTHS, start=1) if name != "may"},
    "sept": 9,
}
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
NUMBERS = tuple(
    "zero one two three four five six seven eight nine ten eleven twelve".split()
)  # the index is the number
DETERMINERS = tuple("the my our your his her its their".split())  # they mark a specific thing: "the release"
PRONOUNS = tuple("we i you he she they".split())

# English words that carry no meaning of their own in a search.
STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below between both but
    by can could did do does doing don down during each few for from further had has have having he her here hers
    him his how i if in into is it its itself just me more most my myself no nor not now of off on once only or
    other our ours out over own s same she should so some such t than that the their theirs them then there these
    they this those through to too under until up very was we were what when where which while who whom why will
    with would you your yours
    """.split()
)

# Stop words of other languages, in the form that the index stores: without accents, l'homme as two words.
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
OTHER_STOP_WORDS = {
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
