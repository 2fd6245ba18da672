"""English sentences, and all that may be said for each in German and in Chinese: the text from which a tiny T5 learns.

A sentence is made of a subject, a verb and what it is done to. Each of these has its forms in three languages, and
often more than one: "you" is du, ihr or Sie, a dog is 一只狗 or 一条狗. A `Choices` holds all that can be said with how
often each is said; `join` puts choices beside one another. What the grammar accepts is therefore listed and not
guessed, and one translation is drawn from it for training. Words that stand together make sense: nobody drinks a chair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from random import Random
from typing import NamedTuple

Choices = dict[str, int]  # what can be said, and how often

TO_GERMAN = "translate English to German: "
TO_CHINESE = "translate English to Chinese: "
TO_PAST = "past tense: "
KIND = "which is it, question or statement: "
TASKS = (TO_GERMAN, TO_CHINESE, TO_PAST, KIND)

# ---- Choices ----


def join(*parts: Choices | str, gap: str = " ") -> Choices:
    """Every way to say the parts one after the other; an empty part leaves no gap.

    >>> join({"er": 1, "sie": 2}, "liest")
    {'er liest': 1, 'sie liest': 2}
    """
    joined: Choices = {}
    for words in product(*([(part, 1)] if isinstance(part, str) else part.items() for part in parts)):
        text, weight = gap.join(word for word, _ in words if word), 1
        for _, times in words:
            weight *= times
        joined[text] = joined.get(text, 0) + weight
    return joined


def either(*ways: Choices) -> Choices:
    """What any of the ways says; what several say is said as often as by all of them.

    >>> either({"du": 2}, {"du": 1, "Sie": 1})
    {'du': 3, 'Sie': 1}
    """
    together: Choices = {}
    for way in ways:
        for text, weight in way.items():
            together[text] = together.get(text, 0) + weight
    return together


def fill(templates: Choices, word: Choices) -> Choices:
    """Each template with each word in the place of its braces.

    >>> fill({"给{}打电话": 1}, {"他": 1})
    {'给他打电话': 1}
    """
    return either(*({t.replace("{}", w): m * n} for t, m in templates.items() for w, n in word.items()))


def same(text: str) -> Choices:
    """The choices that stand in a text, "/" between them, the first said twice as often as any other.

    >>> same("看/读")
    {'看': 2, '读': 1}
    """
    first, *others = text.split("/")
    return {first: 2, **dict.fromkeys(others, 1)}


# ---- German words ----

# The endings of der; of ein, mein, kein; of adjectives after der, after ein, after nothing.
# Columns: masculine, feminine, neuter, plural.
DER = {"nom": "der die das die", "acc": "den die das die", "dat": "dem der dem den"}
EIN = {"nom": "- e - e", "acc": "en e - e", "dat": "em er em en"}
AFTER_DER = {"nom": "e e e en", "acc": "en e e en", "dat": "en en en en"}
AFTER_EIN = {"nom": "er e es en", "acc": "en e es en", "dat": "en en en en"}
AFTER_NOTHING = {"nom": "er e es e", "acc": "en e es e", "dat": "em er em en"}


def ending(table: dict[str, str], case: str, gender: str) -> str:
    """What the table says for a case and a gender, "m", "f", "n" or "p" for the plural.

    >>> ending(EIN, "acc", "m"), ending(EIN, "nom", "m")
    ('en', '')
    """
    return table[case].split()["mfnp".index(gender)].replace("-", "")


class German(NamedTuple):
    """A German noun."""

    word: str
    gender: str
    plural: str
    weak: bool = False  # der Junge, den Jungen

    def form(self, case: str, number: int = 1) -> str:
        """The noun in a case.

        >>> German("Kind", "n", "Kinder").form("dat", 2)
        'Kindern'
        """
        if number == 1:
            return self.plural if self.weak and case != "nom" else self.word
        return self.plural + ("n" if case == "dat" and self.plural[-1] not in "ns" else "")


def noun_phrase(determiner: str, adjective: str, noun: German, case: str, number: int = 1) -> str:
    """Determiner, adjective and noun, each as case, gender and number ask.

    Args:
        determiner: "der", a word that is declined like "ein", a number, or "" for none
        adjective: its stem, or ""

    >>> noun_phrase("ein", "rot", German("Apfel", "m", "Äpfel"), "acc")
    'einen roten Apfel'
    """
    gender = noun.gender if number == 1 else "p"
    if determiner == "der":
        first, table = ending(DER, case, gender), AFTER_DER
    elif determiner in ("ein", "kein", "mein"):
        first, table = determiner + ending(EIN, case, gender), AFTER_EIN
    else:
        first, table = determiner, AFTER_NOTHING
    described = adjective and adjective + ending(table, case, gender)
    return " ".join(word for word in (first, described, noun.form(case, number)) if word)


class Conjugated(NamedTuple):
    """A German verb: person ("1s" to "3p") to form, in the present and in the past."""

    infinitive: str
    present: dict[str, str]
    past: dict[str, str]
    participle: str
    particle: str = ""  # what stands at the end: macht ... auf


PERSONS = ("1s", "2s", "3s", "1p", "2p", "3p")


def conjugated(infinitive: str, du: str, er: str, past: str, participle: str, particle: str = "") -> Conjugated:
    """The verb, from the forms that cannot be told from its infinitive; the infinitive here has no particle.

    >>> conjugated("lesen", "liest", "liest", "las", "gelesen").present["1p"]
    'lesen'
    """
    stem = infinitive.removesuffix("en")
    ihr = stem + ("et" if stem.endswith(("t", "d", "ffn", "chn")) else "t")
    they_did = past + ("n" if past.endswith("e") else "en")
    present = dict(zip(PERSONS, (stem + "e", du, er, infinitive, ihr, infinitive), strict=True))
    did = {"1s": past, "3s": past, "1p": they_did, "3p": they_did}  # nobody says "du aßest"
    return Conjugated(particle + infinitive, present, did, participle, particle)


def weak(infinitive: str, participle: str, particle: str = "") -> Conjugated:
    """A verb with a regular past.

    >>> weak("kaufen", "gekauft").past["3s"]
    'kaufte'
    """
    stem = infinitive.removesuffix("en") + ("e" if infinitive.endswith(("ten", "ffnen", "chnen")) else "")
    return conjugated(infinitive, stem + "st", stem + "t", stem + "te", participle, particle)


def _forms(words: str) -> dict[str, str]:
    return dict(zip(PERSONS, words.split(), strict=True))


HABEN = _forms("habe hast hat haben habt haben")
SEIN = _forms("bin bist ist sind seid sind")
WAR = _forms("war warst war waren wart waren")
WERDEN = _forms("werde wirst wird werden werdet werden")
WOLLEN = _forms("will willst will wollen wollt wollen")
MOECHTE = _forms("möchte möchtest möchte möchten möchtet möchten")

# ---- Nouns ----


class Adjective(NamedTuple):
    """An adjective before a noun."""

    english: str
    german: str
    chinese: str


ADJECTIVES = {
    adjective.english: adjective
    for adjective in (
        Adjective("big", "groß", "大"),
        Adjective("small", "klein", "小"),
        Adjective("new", "neu", "新"),
        Adjective("old", "alt", "旧"),
        Adjective("red", "rot", "红色的/红"),
        Adjective("blue", "blau", "蓝色的/蓝"),
        Adjective("green", "grün", "绿色的/绿"),
        Adjective("black", "schwarz", "黑色的/黑"),
        Adjective("white", "weiß", "白色的/白"),
        Adjective("cold", "kalt", "冷/凉"),
        Adjective("hot", "heiß", "热"),
        Adjective("long", "lang", "长"),
        Adjective("fresh", "frisch", "新鲜的/新鲜"),
    )
}


class Noun(NamedTuple):
    """A noun in three languages; several German nouns where either is right; Chinese measure words."""

    english: str
    plural: str
    german: tuple[German, ...]
    chinese: str
    measure: str
    adjectives: tuple[str, ...] = ()


def _noun(english: str, german: str, chinese: str, measure: str, adjectives: str = "", plural: str = "") -> Noun:
    nouns = tuple(German(*words.split()[:3], weak=words.endswith(" weak")) for words in german.split("/"))
    return Noun(english, plural or english + "s", nouns, chinese, measure, tuple(adjectives.split()))


SIZE, AGE, COLOUR = "big small ", "new old ", "red blue black "
NOUNS = {
    noun.english: noun
    for noun in (
        _noun("apple", "Apfel m Äpfel", "苹果", "个", SIZE + "red green"),
        _noun("banana", "Banane f Bananen", "香蕉", "根/个", SIZE + "green"),
        _noun("egg", "Ei n Eier", "鸡蛋", "个", SIZE),
        _noun("cake", "Kuchen m Kuchen", "蛋糕", "个/块", SIZE),
        _noun("book", "Buch n Bücher", "书", "本", AGE + COLOUR),
        _noun("newspaper", "Zeitung f Zeitungen", "报纸", "份/张", "old"),
        _noun("letter", "Brief m Briefe", "信", "封", "long"),
        _noun("coat", "Mantel m Mäntel", "大衣", "件", AGE + COLOUR),
        _noun("hat", "Hut m Hüte", "帽子", "顶/个", AGE + COLOUR + "white"),
        _noun("shirt", "Hemd n Hemden", "衬衫", "件", AGE + COLOUR + "white"),
        _noun("umbrella", "Regenschirm m Regenschirme", "雨伞/伞", "把", AGE + COLOUR),
        _noun("bag", "Tasche f Taschen", "包", "个", SIZE + COLOUR),
        _noun("key", "Schlüssel m Schlüssel", "钥匙", "把", "small old"),
        _noun("cup", "Tasse f Tassen", "杯子", "个", SIZE + "blue white"),
        _noun("car", "Auto n Autos", "汽车/车", "辆", AGE + COLOUR),
        _noun("bicycle", "Fahrrad n Fahrräder", "自行车", "辆", AGE + COLOUR),
        _noun("chair", "Stuhl m Stühle", "椅子", "把", AGE + "white"),
        _noun("table", "Tisch m Tische", "桌子", "张", AGE + "small white"),
        _noun("lamp", "Lampe f Lampen", "灯", "盏", AGE + "small"),
        _noun("pencil", "Bleistift m Bleistifte", "铅笔", "支", "red blue green"),
        _noun("flower", "Blume f Blumen", "花", "朵", "red white blue"),
        _noun("dog", "Hund m Hunde", "狗", "只/条", SIZE + "black white"),
        _noun("cat", "Katze f Katzen", "猫", "只", SIZE + "black white"),
        _noun("bird", "Vogel m Vögel", "鸟", "只", SIZE + "blue black"),
        _noun("horse", "Pferd n Pferde", "马", "匹", SIZE + "black white"),
        _noun("tree", "Baum m Bäume", "树", "棵", SIZE),
        _noun("house", "Haus n Häuser", "房子", "座/栋", SIZE + "white"),
        _noun("window", "Fenster n Fenster", "窗户", "扇", SIZE),
        _noun("door", "Tür f Türen", "门", "扇", "green white"),
    )
}
STUFF = {  # what is not counted
    noun.english: noun
    for noun in (
        _noun("water", "Wasser n -", "水", "-", "cold hot"),
        _noun("tea", "Tee m -", "茶", "-", "hot"),
        _noun("milk", "Milch f -", "牛奶", "-", "cold hot"),
        _noun("coffee", "Kaffee m -", "咖啡", "-", "hot"),
        _noun("bread", "Brot n -", "面包", "-", "fresh"),
        _noun("cheese", "Käse m -", "奶酪", "-"),
        _noun("rice", "Reis m -", "米饭", "-"),
        _noun("meat", "Fleisch n -", "肉", "-", "fresh"),
    )
}
PEOPLE = (
    _noun("man", "Mann m Männer", "男人", "个", plural="men"),
    _noun("woman", "Frau f Frauen", "女人", "个", plural="women"),
    _noun("child", "Kind n Kinder", "孩子", "个", plural="children"),
    _noun("boy", "Junge m Jungen weak", "男孩", "个"),
    _noun("girl", "Mädchen n Mädchen", "女孩", "个"),
    _noun("teacher", "Lehrer m Lehrer/Lehrerin f Lehrerinnen", "老师", "位/个"),
    _noun("doctor", "Arzt m Ärzte/Ärztin f Ärztinnen", "医生", "位/个"),
)
FAMILY = (
    _noun("mother", "Mutter f Mütter", "妈妈/母亲", "位"),
    _noun("father", "Vater m Väter", "爸爸/父亲", "位"),
    _noun("brother", "Bruder m Brüder", "哥哥/弟弟", "个"),
    _noun("sister", "Schwester f Schwestern", "姐姐/妹妹", "个"),
    _noun("friend", "Freund m Freunde/Freundin f Freundinnen", "朋友", "个"),
)
NUMBERS = {2: ("two", "zwei", "两"), 3: ("three", "drei", "三"), 4: ("four", "vier", "四")}


class Thing(NamedTuple):
    """Something that things are done to: "a red apple", "two apples", "the apples", "cold water"."""

    determiner: str  # "a", "the", "my", "" for what is not counted
    adjective: str
    noun: Noun
    number: int = 1  # one; two, three, four; 9 for more than one after "the"

    @property
    def english(self) -> str:
        """As in English."""
        name = self.noun.english if self.number == 1 else self.noun.plural
        first = NUMBERS[self.number][0] if self.number in NUMBERS else self.determiner
        words = [word for word in (first, self.adjective, name) if word]
        if first == "a" and words[1][0] in "aeiou":
            words[0] = "an"
        return " ".join(words)

    @property
    def definite(self) -> bool:
        """Whether both sides know which one is meant."""
        return self.determiner in ("the", "my")

    def german(self, case: str, no: bool = False) -> Choices:
        """As in German, with "kein" for "ein" if nothing of the kind is there."""
        words = {"a": "kein" if no else "ein", "the": "der", "my": "mein", "": "kein" if no else ""}
        word = words[self.determiner]
        first = NUMBERS[self.number][1] if self.number in NUMBERS else word
        stem = self.adjective and ADJECTIVES[self.adjective].german
        return {noun_phrase(first, stem, noun, case, self.number): 1 for noun in self.noun.german}

    def chinese(self, bare: bool = False) -> Choices:
        """As in Chinese; where nothing hangs on how many there are ("bare"), "an apple" is 苹果, too."""
        described = self.adjective and same(ADJECTIVES[self.adjective].chinese)
        name = join(described, same(self.noun.chinese), gap="")
        measure = same(self.noun.measure)
        if self.number in NUMBERS:
            return join(NUMBERS[self.number][2], measure, name, gap="")
        if self.determiner == "a":
            return either(join("一", measure, name, gap=""), name if bare else {})
        if self.determiner == "the":
            pointing = join({"那": 2, "这": 1}, measure if self.number == 1 else "些", name, gap="")
            return either(pointing, name)
        return join("我的", name, gap="") if self.determiner == "my" else name


# ---- Who ----


class Who(NamedTuple):
    """Somebody: as who does, and as to whom it is done."""

    english: str
    english_object: str
    person: str  # of the English verb: "1s", "3s" or "p"
    readings: tuple[tuple[Choices, str], ...]  # German nominative, and the person of its verb
    accusative: Choices
    dative: Choices
    chinese: Choices
    pronoun: bool = False


def _pronoun(english: str, other: str, person: str, german: str, acc: str, dat: str, chinese: str) -> Who:
    readings = tuple(({word[:-2]: 1}, word[-2:]) for word in german.split())
    return Who(english, other, person, readings, same(acc), same(dat), same(chinese), True)


def _name(english: str, chinese: str) -> Who:
    name = {english: 1}
    return Who(english, english, "3s", ((name, "3s"),), name, name, {chinese: 1})


def _someone(determiner: str, noun: Noun) -> Who:
    thing = Thing(determiner, "", noun)
    mine = join({"我": 3, "我的": 1}, same(noun.chinese), gap="")
    chinese = mine if determiner == "my" else thing.chinese()
    readings = ((thing.german("nom"), "3s"),)
    name = thing.english
    return Who(name, name, "3s", readings, thing.german("acc"), thing.german("dat"), chinese)


WHO = (
    _pronoun("I", "me", "1s", "ich1s", "mich", "mir", "我"),
    _pronoun("you", "you", "p", "du2s ihr2p Sie3p", "dich/euch/Sie", "dir/euch/Ihnen", "你/您/你们"),
    _pronoun("he", "him", "3s", "er3s", "ihn", "ihm", "他"),
    _pronoun("she", "her", "3s", "sie3s", "sie", "ihr", "她"),
    _pronoun("we", "us", "p", "wir1p", "uns", "uns", "我们"),
    _pronoun("they", "them", "p", "sie3p", "sie", "ihnen", "他们/她们"),
    _name("Anna", "安娜"),
    _name("Tom", "汤姆"),
    *(_someone("the", noun) for noun in PEOPLE),
    *(_someone("my", noun) for noun in FAMILY),
)
IS = {"1s": "am", "3s": "is", "p": "are"}

# ---- Verbs ----


class Verb(NamedTuple):
    """Something that is done to a thing."""

    base: str
    third: str
    ing: str
    past: str
    german: tuple[Conjugated, ...]
    chinese: Choices  # while it is done, or will be; braces for the thing
    done: Choices
    undone: Choices  # after 没
    things: tuple[str, ...]
    how: str  # of "g" (is going on), "p" (past), "f" (future, wish), "h" (habit), "l" (at some place)
    case: str = "acc"


def _verb(
    english: str, german: tuple[Conjugated, ...], chinese: str, done: str, undone: str, things: str, how: str,
    case: str = "acc",
) -> Verb:  # fmt: skip
    base, third, ing, past = (form.replace("_", " ") for form in english.split())
    return Verb(
        base, third, ing, past, german, same(chinese), same(done), same(undone), tuple(things.split()), how, case
    )


BUYABLE = "book coat hat shirt umbrella bag cup car bicycle chair table lamp"
VERBS = (
    _verb("eat eats eating ate", (conjugated("essen", "isst", "isst", "aß", "gegessen"),),
          "吃{}", "吃了{}", "吃{}", "apple banana egg cake bread cheese rice meat", "gpfhl"),
    _verb("drink drinks drinking drank", (conjugated("trinken", "trinkst", "trinkt", "trank", "getrunken"),),
          "喝{}", "喝了{}", "喝{}", "water tea milk coffee", "gpfhl"),
    _verb("read reads reading read", (conjugated("lesen", "liest", "liest", "las", "gelesen"),),
          "看{}/读{}", "看了{}/读了{}", "看{}/读{}", "book newspaper letter", "gpfl"),
    _verb("write writes writing wrote", (conjugated("schreiben", "schreibst", "schreibt", "schrieb", "geschrieben"),),
          "写{}", "写了{}", "写{}", "letter", "gpfl"),
    _verb("draw draws drawing drew", (weak("zeichnen", "gezeichnet"), weak("malen", "gemalt")),
          "画{}", "画了{}", "画{}", "flower dog cat bird horse tree house", "gpf"),
    _verb("buy buys buying bought", (weak("kaufen", "gekauft"),),
          "买{}", "买了{}", "买{}", BUYABLE, "gpf"),
    _verb("sell sells selling sold", (weak("verkaufen", "verkauft"),),
          "卖{}", "卖了{}/卖掉了{}", "卖{}/卖掉{}", "car bicycle house horse lamp table", "pf"),
    _verb("see sees seeing saw", (conjugated("sehen", "siehst", "sieht", "sah", "gesehen"),),
          "看{}", "看见了{}/看到了{}", "看见{}/看到{}", "dog cat bird horse car", "p"),
    _verb("find finds finding found", (conjugated("finden", "findest", "findet", "fand", "gefunden"),),
          "找到{}", "找到了{}", "找到{}", "key book letter hat umbrella pencil cat dog bag", "p"),
    _verb("look_for looks_for looking_for looked_for", (weak("suchen", "gesucht"),),
          "找{}", "找了{}", "找{}", "key book letter hat umbrella pencil cat dog bag", "g"),
    _verb("wash washes washing washed", (conjugated("waschen", "wäschst", "wäscht", "wusch", "gewaschen"),),
          "洗{}", "洗了{}", "洗{}", "car shirt apple", "gpf"),
    _verb("repair repairs repairing repaired", (weak("reparieren", "repariert"),),
          "修{}/修理{}", "修好了{}/修了{}", "修好{}/修{}", "bicycle car chair lamp umbrella", "gpf"),
    _verb("open opens opening opened",
          (weak("öffnen", "geöffnet"), weak("machen", "aufgemacht", "auf")),
          "开{}", "打开了{}", "打开{}/开{}", "window door", "gp"),
    _verb("close closes closing closed",
          (conjugated("schließen", "schließt", "schließt", "schloss", "geschlossen"),
           weak("machen", "zugemacht", "zu")),
          "关{}", "关上了{}/关了{}", "关上{}/关{}", "window door", "gp"),
)  # fmt: skip
TO_PEOPLE = (
    _verb("help helps helping helped", (conjugated("helfen", "hilfst", "hilft", "half", "geholfen"),),
          "帮助{}/帮{}", "帮助了{}/帮了{}", "帮助{}/帮{}", "", "gpf", "dat"),
    _verb("call calls calling called", (conjugated("rufen", "rufst", "ruft", "rief", "angerufen", "an"),),
          "给{}打电话", "给{}打了电话", "给{}打电话", "", "gpf"),
    _verb("visit visits visiting visited", (weak("besuchen", "besucht"),),
          "看望{}/拜访{}", "看望了{}/拜访了{}", "看望{}/拜访{}", "", "pf"),
)  # fmt: skip

# ---- Clauses ----


def clause(
    who: Who, finite: dict[str, str], middle: Choices, end: str = "", when: Choices | None = None, order: str = "either"
) -> Choices:
    """A German main clause: the finite verb is its second part, what belongs to the verb stands at the end.

    Args:
        who: the subject
        finite: person to finite verb; a reading of the subject whose person is not there is left out
        middle: the objects
        end: infinitive, participle or particle
        when: a time or a place, in front of the verb or behind it
        order: in the middle the time comes "early", "late" or "either" way
    """
    ways = []
    for name, person in who.readings:
        if person in finite:
            verb = finite[person]
            ways += [join(name, verb, inner, end) for inner in _inner(middle, when, order)]
            ways += [join(when, verb, name, middle, end)] if when else []
    return either(*ways)


def _inner(middle: Choices, when: Choices | None, order: str) -> list[Choices]:
    if not when:
        return [middle]
    early, late = join(when, middle), join(middle, when)
    return {"early": [early], "late": [late], "either": [early, late]}[order]


def question(who: Who, finite: dict[str, str], middle: Choices, end: str = "") -> Choices:
    """A German question that is answered with yes or no: the finite verb comes first."""
    ways = [join(finite[person], name, middle, end) for name, person in who.readings if person in finite]
    return either(*ways)


def _german(way: Choices, mark: str = ".") -> Choices:
    return {text[0].upper() + text[1:] + mark: weight for text, weight in way.items()}


def _chinese(*parts: Choices | str, mark: str = "。") -> Choices:
    return join(*parts, mark, gap="")


def _english(text: str, mark: str = ".") -> str:
    return " ".join((text[0].upper() + text[1:]).split()) + mark


# ---- Times and places ----


class Spot(NamedTuple):
    """A time or a place."""

    english: str
    german: Choices
    chinese: Choices


def _spot(english: str, german: str, chinese: str) -> Spot:
    return Spot(english, same(german), same(chinese))


NEVER = Spot("", {}, {"": 1})
PAST_TIMES = (
    NEVER,
    _spot("yesterday", "gestern", "昨天"),
    _spot("last week", "letzte Woche", "上个星期/上周"),
)
FUTURE_TIMES = (
    _spot("tomorrow", "morgen", "明天"),
    _spot("this evening", "heute Abend", "今天晚上/今晚"),
    _spot("next week", "nächste Woche", "下个星期/下周"),
)
HABITS = (_spot("every day", "jeden Tag", "每天"), _spot("every morning", "jeden Morgen", "每天早上"))
ROOMS = (
    _spot("in the garden", "im Garten", "花园里"),
    _spot("in the kitchen", "in der Küche", "厨房里"),
    _spot("in the room", "im Zimmer", "房间里"),
    _spot("under the tree", "unter dem Baum", "树下/树下面"),
)
ON_FURNITURE = (
    _spot("on the table", "auf dem Tisch", "桌子上"),
    _spot("under the table", "unter dem Tisch", "桌子下面/桌子底下/桌子下"),
    _spot("on the chair", "auf dem Stuhl", "椅子上"),
    _spot("on the bed", "auf dem Bett", "床上"),
)
IN_REACH = (ON_FURNITURE[0], _spot("in the bag", "in der Tasche", "包里"), ROOMS[1])
OUTSIDE = (
    ROOMS[0],
    ROOMS[3],
    _spot("behind the house", "hinter dem Haus", "房子后面"),
    _spot("in front of the house", "vor dem Haus", "房子前面"),
    _spot("next to the tree", "neben dem Baum", "树旁边"),
)
FOUND_AT = (
    (("apple", "banana", "egg"), IN_REACH),
    (("book", "newspaper", "letter", "hat", "key", "pencil", "bag"), ON_FURNITURE),
    (("dog", "cat", "bird", "horse"), OUTSIDE),
)

# ---- Sentences ----


class Sentence(NamedTuple):
    """An English sentence, and how to list what it may become."""

    frame: str
    english: str
    german: Callable[[], Choices]
    chinese: Callable[[], Choices]
    past: str = ""  # the same in the past, for sentences of which that is asked


def _things(names: tuple[str, ...]) -> Iterator[Thing]:
    for name in names:
        if name in STUFF:
            yield from (Thing("", adjective, STUFF[name]) for adjective in ("", *STUFF[name].adjectives))
            continue
        noun = NOUNS[name]
        yield from (Thing(one, adjective, noun) for one in ("a", "the") for adjective in ("", *noun.adjectives))
        yield from (Thing("a", adjective, noun, 2) for adjective in ("", *noun.adjectives[:1]))
        yield from (Thing("my", "", noun), Thing("a", "", noun, 3), Thing("the", "", noun, 9))


class Deed(NamedTuple):
    """A verb and what it is done to."""

    verb: Verb
    english: str
    german: Choices
    chinese: Choices  # where it may be bare
    counted: Choices
    order: str


MEALS = ("eat", "drink", "wash")  # what is not remembered, or planned, for a week


def _makes_sense(verb: Verb, thing: Thing) -> bool:
    """Nobody buys what is mine already, or repairs what is new; which door is opened is known."""
    if verb.base == "repair" and thing.adjective == "new":
        return False
    if verb.base in ("open", "close"):
        return thing.determiner == "the"
    return thing.determiner != "my" or verb.base not in ("buy", "write")


@cache
def _deeds(how: str) -> tuple[Deed, ...]:
    return tuple(
        Deed(
            verb,
            thing.english,
            thing.german(verb.case),
            thing.chinese(bare=not thing.adjective),
            thing.chinese(),
            "either" if thing.definite else "early",
        )
        for verb in VERBS
        if how in verb.how
        for thing in _things(verb.things)
        if _makes_sense(verb, thing)
    )


@cache
def _deeds_to_people(how: str) -> tuple[Deed, ...]:
    return tuple(
        Deed(
            verb,
            who.english_object,
            who.dative if verb.case == "dat" else who.accusative,
            who.chinese,
            who.chinese,
            "late" if who.pronoun else "either",
        )
        for verb in TO_PEOPLE
        if how in verb.how
        for who in WHO
    )


def _pairs(how: str) -> Iterator[tuple[Who, Deed]]:
    """Who does what; nobody does to themselves what is done to others."""
    yield from product(WHO, _deeds(how))
    for who, deed in product(WHO, _deeds_to_people(how)):
        first = who.english in ("I", "we") and deed.english in ("me", "us")
        if not first and deed.english not in (who.english, who.english_object):
            yield who, deed


def _now_german(who: Who, deed: Deed, place: Spot) -> Choices:
    just = join(deed.german, "gerade") if deed.order == "late" else join("gerade", deed.german)
    middle = either({text: 3 * weight for text, weight in deed.german.items()}, {} if place.german else just)
    ways = [clause(who, v.present, middle, v.particle, place.german or None) for v in deed.verb.german]
    return _german(either(*ways))


def _now_chinese(who: Who, deed: Deed, place: Spot) -> Choices:
    return _chinese(who.chinese, {"在": 3, "正在": 1}, place.chinese, fill(deed.verb.chinese, deed.chinese))


def _going_on() -> Iterator[Sentence]:
    places = {how: (NEVER, *ROOMS) if how == "l" else (NEVER,) for how in "gl"}
    for how in "gl":
        for who, deed in _pairs(how):
            for place in places[how][how == "l" :]:
                told = f"{who.english} {{}} {deed.english} {place.english}"
                yield Sentence(
                    "going on at a place" if how == "l" else "going on",
                    _english(told.format(f"{IS[who.person]} {deed.verb.ing}")),
                    partial(_now_german, who, deed, place),
                    partial(_now_chinese, who, deed, place),
                    _english(told.format(deed.verb.past)) if "p" in deed.verb.how else "",
                )


def _past_german(who: Who, deed: Deed, time: Spot) -> Choices:
    when = time.german or None
    perfect = [clause(who, HABEN, deed.german, v.participle, when, deed.order) for v in deed.verb.german]
    past = [clause(who, v.past, deed.german, v.particle, when, deed.order) for v in deed.verb.german]
    return _german(either(*perfect, *perfect, *past))


def _time_and_who(who: Who, time: Spot) -> Choices:
    if not time.english:
        return who.chinese
    return either(join(time.chinese, who.chinese, gap=""), join(who.chinese, time.chinese, gap=""))


def _past_chinese(who: Who, deed: Deed, time: Spot) -> Choices:
    return _chinese(_time_and_who(who, time), fill(deed.verb.done, deed.counted))


def _past() -> Iterator[Sentence]:
    for (who, deed), time in product(_pairs("p"), PAST_TIMES):
        if time.english == "last week" and deed.verb.base in MEALS:
            continue
        english = _english(f"{who.english} {deed.verb.past} {deed.english} {time.english}")
        german, chinese = partial(_past_german, who, deed, time), partial(_past_chinese, who, deed, time)
        yield Sentence("past", english, german, chinese)


def _future_german(who: Who, deed: Deed, time: Spot) -> Choices:
    will = [clause(who, WERDEN, deed.german, v.infinitive, time.german, deed.order) for v in deed.verb.german]
    now = [clause(who, v.present, deed.german, v.particle, time.german, deed.order) for v in deed.verb.german]
    return _german(either(*will, *will, *now))


def _future_chinese(who: Who, deed: Deed, time: Spot) -> Choices:
    return _chinese(_time_and_who(who, time), {"会": 2, "要": 1}, fill(deed.verb.chinese, deed.chinese))


def _future() -> Iterator[Sentence]:
    for (who, deed), time in product(_pairs("f"), FUTURE_TIMES):
        if time.english == "next week" and deed.verb.base in MEALS:
            continue
        english = _english(f"{who.english} will {deed.verb.base} {deed.english} {time.english}")
        german, chinese = partial(_future_german, who, deed, time), partial(_future_chinese, who, deed, time)
        yield Sentence("future", english, german, chinese)


def _wish_german(who: Who, deed: Deed) -> Choices:
    ways = [
        clause(who, wish, deed.german, v.infinitive) for v in deed.verb.german for wish in (WOLLEN, WOLLEN, MOECHTE)
    ]
    return _german(either(*ways))


def _wish_chinese(who: Who, deed: Deed) -> Choices:
    return _chinese(who.chinese, {"想": 2, "要": 1}, fill(deed.verb.chinese, deed.chinese))


def _wishes() -> Iterator[Sentence]:
    for who, deed in _pairs("f"):
        english = _english(f"{who.english} want{'s' * (who.person == '3s')} to {deed.verb.base} {deed.english}")
        yield Sentence("wish", english, partial(_wish_german, who, deed), partial(_wish_chinese, who, deed))


def _habit_german(who: Who, deed: Deed, time: Spot) -> Choices:
    return _german(either(*(clause(who, v.present, deed.german, "", time.german, "early") for v in deed.verb.german)))


def _habit_chinese(who: Who, deed: Deed, time: Spot) -> Choices:
    return _chinese(_time_and_who(who, time), {"": 2, "都": 1}, fill(deed.verb.chinese, deed.counted))


def _habits() -> Iterator[Sentence]:
    for who, deed, time in product(WHO, _deeds("h"), HABITS):
        if deed.order == "early" and not deed.english.endswith(("cake", "cakes")):
            verb = deed.verb.third if who.person == "3s" else deed.verb.base
            english = _english(f"{who.english} {verb} {deed.english} {time.english}")
            german, chinese = partial(_habit_german, who, deed, time), partial(_habit_chinese, who, deed, time)
            yield Sentence("habit", english, german, chinese)


def _not_german(who: Who, verb: Verb, thing: Thing) -> Choices:
    nothing = "nicht" if thing.definite else ""
    middle = join(thing.german("acc", no=True), nothing)
    perfect = [clause(who, HABEN, middle, v.participle) for v in verb.german]
    past = [clause(who, v.past, middle, v.particle) for v in verb.german]
    return _german(either(*perfect, *perfect, *past))


def _not_chinese(who: Who, verb: Verb, thing: Thing) -> Choices:
    named = thing if thing.definite else thing._replace(determiner="")
    return _chinese(who.chinese, {"没有": 1, "没": 1}, fill(verb.undone, named.chinese()))


def _did_german(who: Who, verb: Verb, thing: Thing) -> Choices:
    perfect = [question(who, HABEN, thing.german("acc"), v.participle) for v in verb.german]
    return _german(either(*perfect), "?")


def _did_chinese(who: Who, verb: Verb, thing: Thing) -> Choices:
    named = thing if thing.definite else thing._replace(determiner="")
    after = either(join(fill(verb.undone, named.chinese()), "了", gap=""), fill(verb.done, thing.chinese()))
    return _chinese(who.chinese, after, "吗", mark="？")


def _not_and_did() -> Iterator[Sentence]:
    verbs = [verb for verb in VERBS if "p" in verb.how]
    for who, verb in product(WHO, verbs):
        for thing in _things(verb.things):
            words = (who, verb, thing)
            if thing.number != 1 or not _makes_sense(verb, thing):
                continue
            english = _english(f"{who.english} did not {verb.base} {thing.english}")
            yield Sentence("not", english, partial(_not_german, *words), partial(_not_chinese, *words))
            if who.english in ("I", "we"):  # who should know
                continue
            asked = _english(f"did {who.english} {verb.base} {thing.english}", "?")
            yield Sentence("did", asked, partial(_did_german, *words), partial(_did_chinese, *words))


def _gave_german(who: Who, other: Who, thing: Thing) -> Choices:
    middle = join(other.dative, thing.german("acc"))
    gab = {"1s": "gab", "3s": "gab", "1p": "gaben", "3p": "gaben"}
    perfect = clause(who, HABEN, middle, "gegeben")
    return _german(either(perfect, perfect, clause(who, gab, middle)))


def _gave_chinese(who: Who, other: Who, thing: Thing) -> Choices:
    return _chinese(who.chinese, "给了", other.chinese, thing.chinese())


def _gifts() -> Iterator[Sentence]:
    gifts = _things(("apple", "book", "flower", "pencil", "umbrella", "key", "cup"))
    for who, other, thing in product(WHO, WHO, gifts):
        if thing.definite or who is other or {who.english, other.english} <= {"I", "we"}:
            continue
        english = _english(f"{who.english} gave {other.english_object} {thing.english}")
        words = (who, other, thing)
        yield Sentence("gave", english, partial(_gave_german, *words), partial(_gave_chinese, *words))


def _is(thing: Thing, place: Spot) -> Choices:
    """Where an animal is, and where a thing is or lies."""
    verbs = ("ist", "liegt") if thing.number == 1 else ("sind", "liegen")
    return same(verbs[0] if place in OUTSIDE else "/".join(verbs))


def _there_german(thing: Thing, place: Spot) -> Choices:
    stands = join(place.german, _is(thing, place), thing.german("nom"))
    there_is = join(place.german, "gibt es", thing.german("acc"))
    return _german(either(stands, there_is if place in OUTSIDE else {}))


def _there_chinese(thing: Thing, place: Spot) -> Choices:
    return _chinese(place.chinese, "有", thing.chinese())


def _at_german(thing: Thing, place: Spot) -> Choices:
    return _german(join(thing.german("nom"), _is(thing, place), place.german))


def _at_chinese(thing: Thing, place: Spot) -> Choices:
    return _chinese(thing.chinese(), "在", place.chinese)


def _where() -> Iterator[Sentence]:
    for names, places in FOUND_AT:
        for thing, place in product(_things(names), places):
            verbs = ("is", "was") if thing.number == 1 else ("are", "were")
            if thing.definite:
                now, past = (_english(f"{thing.english} {verb} {place.english}") for verb in verbs)
                german, chinese = partial(_at_german, thing, place), partial(_at_chinese, thing, place)
            else:
                now, past = (_english(f"there {verb} {thing.english} {place.english}") for verb in verbs)
                german, chinese = partial(_there_german, thing, place), partial(_there_chinese, thing, place)
            yield Sentence("is at" if thing.definite else "there is", now, german, chinese, past)


def _has_german(who: Who, thing: Thing, no: bool) -> Choices:
    return _german(clause(who, HABEN, thing.german("acc", no)))


def _has_chinese(who: Who, thing: Thing, no: bool) -> Choices:
    return _chinese(who.chinese, "没有" if no else "有", (thing._replace(determiner="") if no else thing).chinese())


def owning() -> Iterator[Sentence]:
    """Who has what, and who has not."""
    for who, thing in product(WHO, _things((*BUYABLE.split(), "dog", "cat", "horse"))):
        if thing.definite:
            continue
        has, do = ("has", "does") if who.person == "3s" else ("have", "do")
        english = _english(f"{who.english} {has} {thing.english}")
        yield Sentence(
            "has", english, partial(_has_german, who, thing, False), partial(_has_chinese, who, thing, False)
        )
        if thing.number == 1:
            english = _english(f"{who.english} {do} not have {thing.english}")
            no = (partial(_has_german, who, thing, True), partial(_has_chinese, who, thing, True))
            yield Sentence("has no", english, *no)


FEELINGS = (
    _spot("tired", "müde", "累"),
    _spot("happy", "glücklich/froh", "高兴/开心"),
    _spot("hungry", "hungrig", "饿"),
    _spot("sad", "traurig", "难过/伤心"),
)
DEGREES = (Spot("", {"": 1}, {"很": 1}), _spot("very", "sehr", "很/非常"))


def _feels_german(who: Who, degree: Spot, feeling: Spot, time: Spot) -> Choices:
    finite = WAR if time.english else SEIN
    return _german(clause(who, finite, join(degree.german, feeling.german), "", time.german or None, "early"))


def _feels_chinese(who: Who, degree: Spot, feeling: Spot, time: Spot) -> Choices:
    return _chinese(_time_and_who(who, time), degree.chinese, feeling.chinese)


def _feelings() -> Iterator[Sentence]:
    was = {"1s": "was", "3s": "was", "p": "were"}
    for who, degree, feeling, time in product(WHO, DEGREES, FEELINGS, PAST_TIMES[:2]):
        told = f"{who.english} {{}} {degree.english} {feeling.english}"
        past = _english(told.format(was[who.person]))
        words = (who, degree, feeling, time)
        german, chinese = partial(_feels_german, *words), partial(_feels_chinese, *words)
        if time.english:
            yield Sentence("felt", _english(f"{past[:-1]} {time.english}"), german, chinese)
        else:
            yield Sentence("feels", _english(told.format(IS[who.person])), german, chinese, past)


FRAMES = (_going_on, _past, _future, _wishes, _habits, _not_and_did, _gifts, _where, owning, _feelings)


@cache
def sentences() -> dict[str, Sentence]:
    """Every sentence of the grammar, by its English."""
    found: dict[str, Sentence] = {}
    for frame in FRAMES:
        for sentence in frame():
            if found.setdefault(sentence.english, sentence) is not sentence:
                raise AssertionError(f"two meanings, one sentence: {sentence.english}")
    return found


def chinese_words() -> frozenset[str]:
    """The Chinese words of more than one character, for whoever cuts a Chinese sentence into words.

    >>> sorted(chinese_words())[:3]
    ['上个星期', '上周', '下个星期']
    """
    named = [noun.chinese for noun in (*NOUNS.values(), *STUFF.values(), *PEOPLE, *FAMILY)]
    described = [adjective.chinese for adjective in ADJECTIVES.values()]
    spots = [*PAST_TIMES, *FUTURE_TIMES, *HABITS, *ROOMS, *ON_FURNITURE, *IN_REACH, *OUTSIDE, *FEELINGS, *DEGREES]
    done = [way for verb in (*VERBS, *TO_PEOPLE) for ways in (verb.chinese, verb.done, verb.undone) for way in ways]
    words = {word for text in (*named, *described) for word in text.split("/")} | {"没有"}
    words |= {word for spot in spots for word in spot.chinese}
    words |= {word for who in WHO[:8] for word in who.chinese}  # pronouns and names
    words |= {word for way in done for word in way.replace("了", "{}").split("{}")}
    return frozenset(word for word in words if len(word) > 1)


# ---- Tasks ----


def choices(sentence: str, task: str) -> Choices:
    """All right answers, each with how often it is drawn for training; none if the task does not suit the sentence.

    Raises:
        ValueError: for a sentence that the grammar does not make, and for a task that is none of TASKS
    """
    if sentence not in sentences():
        raise ValueError(f"{sentence!r} is no sentence of this grammar; sentences() has them all")
    known = sentences()[sentence]
    if task == TO_GERMAN:
        return known.german()
    if task == TO_CHINESE:
        return known.chinese()
    if task == TO_PAST:
        return {known.past: 1} if known.past else {}
    if task == KIND:
        return {"question" if sentence.endswith("?") else "statement": 1}
    raise ValueError(f"task={task!r} is none of {', '.join(map(repr, TASKS))}")


def accepted(sentence: str, task: str) -> frozenset[str]:
    """All right answers to a task.

    >>> sorted(accepted("You are tired.", TO_CHINESE))
    ['你们很累。', '你很累。', '您很累。']
    """
    return frozenset(choices(sentence, task))


def is_right(sentence: str, task: str, answer: str) -> bool:
    """Whether an answer is among those that the grammar accepts, spaces at its ends aside.

    >>> is_right("The boy has a dog.", TO_GERMAN, "Der Junge hat ein Hund.")
    False
    """
    return answer.strip() in accepted(sentence, task)


def prompt(sentence: str, task: str) -> str:
    """What the model reads: the task's prefix and the sentence, whose mark would tell a question.

    >>> prompt("Did Tom drink tea?", KIND)
    'which is it, question or statement: Did Tom drink tea'
    """
    return task + (sentence[:-1] if task == KIND else sentence)


# ---- Training and held-out sentences ----


class Example(NamedTuple):
    """A sentence, a task, and one right answer."""

    sentence: str
    task: str
    answer: str


class Splits(NamedTuple):
    """Examples for training and others that are held out; and the training sentences alone, in three languages."""

    train: list[Example]
    held_out: list[Example]
    text: dict[str, list[str]]


def splits(seed: int, train: int, held_out: int) -> Splits:
    """So many sentences for training and so many held out, in all tasks that suit them.

    Nothing that is held out, and no right answer to it, is ever read or drawn in training; only the names "question"
    and "statement" are. Each kind of sentence gets as many as any other, as long as it has some.

    Raises:
        ValueError: if the grammar does not make so many sentences
    """
    if train < 0 or held_out < 0 or train + held_out > len(sentences()):
        raise ValueError(
            f"train={train} and held_out={held_out}; the grammar has {len(sentences())} sentences for both"
        )
    random = Random(seed)
    order = _mixed(random)
    kept = order[: train + held_out]
    random.shuffle(kept)
    away, rest = kept[:held_out], kept[held_out:] + order[train + held_out :]
    secret = {*away}.union(*(accepted(sentence, task) for sentence in away for task in TASKS[:-1]))
    learned: list[Example] = []
    count = 0
    for sentence in rest:
        if count == train:
            break
        examples = [*_examples(sentence, random)]
        if secret.isdisjoint((sentence, *(example.answer for example in examples))):
            learned += examples
            count += 1
    if count < train:
        raise ValueError(f"train={train}, but only {count} sentences share no translation with those held out")
    text = {
        "english": [e.sentence for e in learned if e.task == TO_GERMAN],
        "german": [e.answer for e in learned if e.task == TO_GERMAN],
        "chinese": [e.answer for e in learned if e.task == TO_CHINESE],
    }
    return Splits(learned, [example for sentence in away for example in _examples(sentence, random)], text)


def _examples(sentence: str, random: Random) -> Iterator[Example]:
    for task in TASKS:
        answers = choices(sentence, task)
        if answers:
            yield Example(sentence, task, random.choices([*answers], [*answers.values()])[0])


def _mixed(random: Random) -> list[str]:
    """All sentences, kinds taking turns, each kind in random order."""
    kinds: dict[str, list[str]] = {}
    for sentence in sentences().values():
        kinds.setdefault(sentence.frame, []).append(sentence.english)
    turns: list[tuple[int, str]] = []
    for members in kinds.values():
        random.shuffle(members)
        turns += enumerate(members)
    return [sentence for _, sentence in sorted(turns, key=lambda turn: turn[0])]
