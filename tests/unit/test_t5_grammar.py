"""The grammar of the tiny T5: its words one by one, whole sets of translations judged by hand, and what it refuses."""

from __future__ import annotations

import doctest
import re

import pytest

from tokenlab import data

g = data.grammar()

DOG = g.German("Hund", "m", "Hunde")
CAT = g.German("Katze", "f", "Katzen")
CHILD = g.German("Kind", "n", "Kinder")

# Nominative, accusative, dative.
DECLINED = {
    ("der", DOG, 1): "der kleine Hund, den kleinen Hund, dem kleinen Hund",
    ("der", CAT, 1): "die kleine Katze, die kleine Katze, der kleinen Katze",
    ("der", CHILD, 1): "das kleine Kind, das kleine Kind, dem kleinen Kind",
    ("der", DOG, 2): "die kleinen Hunde, die kleinen Hunde, den kleinen Hunden",
    ("der", CAT, 2): "die kleinen Katzen, die kleinen Katzen, den kleinen Katzen",
    ("der", CHILD, 2): "die kleinen Kinder, die kleinen Kinder, den kleinen Kindern",
    ("ein", DOG, 1): "ein kleiner Hund, einen kleinen Hund, einem kleinen Hund",
    ("ein", CAT, 1): "eine kleine Katze, eine kleine Katze, einer kleinen Katze",
    ("ein", CHILD, 1): "ein kleines Kind, ein kleines Kind, einem kleinen Kind",
    ("mein", DOG, 2): "meine kleinen Hunde, meine kleinen Hunde, meinen kleinen Hunden",
    ("kein", CAT, 2): "keine kleinen Katzen, keine kleinen Katzen, keinen kleinen Katzen",
    ("", DOG, 1): "kleiner Hund, kleinen Hund, kleinem Hund",
    ("", CAT, 1): "kleine Katze, kleine Katze, kleiner Katze",
    ("", CHILD, 1): "kleines Kind, kleines Kind, kleinem Kind",
    ("zwei", CHILD, 2): "zwei kleine Kinder, zwei kleine Kinder, zwei kleinen Kindern",
}

PLURALS = {
    "Apfel": "der Äpfel", "Banane": "die Bananen", "Ei": "das Eier", "Kuchen": "der Kuchen", "Buch": "das Bücher",
    "Zeitung": "die Zeitungen", "Brief": "der Briefe", "Mantel": "der Mäntel", "Hut": "der Hüte", "Hemd": "das Hemden",
    "Regenschirm": "der Regenschirme", "Tasche": "die Taschen", "Schlüssel": "der Schlüssel", "Tasse": "die Tassen",
    "Auto": "das Autos", "Fahrrad": "das Fahrräder", "Stuhl": "der Stühle", "Tisch": "der Tische",
    "Lampe": "die Lampen", "Bleistift": "der Bleistifte", "Blume": "die Blumen", "Hund": "der Hunde",
    "Katze": "die Katzen", "Vogel": "der Vögel", "Pferd": "das Pferde", "Baum": "der Bäume", "Haus": "das Häuser",
    "Fenster": "das Fenster", "Tür": "die Türen", "Mann": "der Männer", "Frau": "die Frauen", "Kind": "das Kinder",
    "Junge": "der Jungen", "Mädchen": "das Mädchen", "Lehrer": "der Lehrer", "Lehrerin": "die Lehrerinnen",
    "Arzt": "der Ärzte", "Ärztin": "die Ärztinnen", "Mutter": "die Mütter", "Vater": "der Väter",
    "Bruder": "der Brüder", "Schwester": "die Schwestern", "Freund": "der Freunde", "Freundin": "die Freundinnen",
    "Wasser": "das -", "Tee": "der -", "Milch": "die -", "Kaffee": "der -", "Brot": "das -", "Käse": "der -",
    "Reis": "der -", "Fleisch": "das -",
}  # fmt: skip

MEASURED = {
    "苹果": "个", "香蕉": "根/个", "鸡蛋": "个", "蛋糕": "个/块", "书": "本", "报纸": "份/张", "信": "封", "大衣": "件",
    "帽子": "顶/个", "衬衫": "件", "雨伞/伞": "把", "包": "个", "钥匙": "把", "杯子": "个", "汽车/车": "辆",
    "自行车": "辆", "椅子": "把", "桌子": "张", "灯": "盏", "铅笔": "支", "花": "朵", "狗": "只/条", "猫": "只",
    "鸟": "只", "马": "匹", "树": "棵", "房子": "座/栋", "窗户": "扇", "门": "扇",
}  # fmt: skip

# ich, du, er, wir, ihr, sie; ich in the past, wir in the past; infinitive, participle.
CONJUGATED = {
    "essen": "esse isst isst essen esst essen aß aßen gegessen",
    "trinken": "trinke trinkst trinkt trinken trinkt trinken trank tranken getrunken",
    "lesen": "lese liest liest lesen lest lesen las lasen gelesen",
    "schreiben": "schreibe schreibst schreibt schreiben schreibt schreiben schrieb schrieben geschrieben",
    "zeichnen": "zeichne zeichnest zeichnet zeichnen zeichnet zeichnen zeichnete zeichneten gezeichnet",
    "malen": "male malst malt malen malt malen malte malten gemalt",
    "kaufen": "kaufe kaufst kauft kaufen kauft kaufen kaufte kauften gekauft",
    "verkaufen": "verkaufe verkaufst verkauft verkaufen verkauft verkaufen verkaufte verkauften verkauft",
    "sehen": "sehe siehst sieht sehen seht sehen sah sahen gesehen",
    "finden": "finde findest findet finden findet finden fand fanden gefunden",
    "suchen": "suche suchst sucht suchen sucht suchen suchte suchten gesucht",
    "waschen": "wasche wäschst wäscht waschen wascht waschen wusch wuschen gewaschen",
    "reparieren": "repariere reparierst repariert reparieren repariert reparieren reparierte reparierten repariert",
    "öffnen": "öffne öffnest öffnet öffnen öffnet öffnen öffnete öffneten geöffnet",
    "aufmachen": "mache machst macht machen macht machen machte machten aufgemacht",
    "schließen": "schließe schließt schließt schließen schließt schließen schloss schlossen geschlossen",
    "zumachen": "mache machst macht machen macht machen machte machten zugemacht",
    "helfen": "helfe hilfst hilft helfen helft helfen half halfen geholfen",
    "anrufen": "rufe rufst ruft rufen ruft rufen rief riefen angerufen",
    "besuchen": "besuche besuchst besucht besuchen besucht besuchen besuchte besuchten besucht",
}

# English; all German; all Chinese. Round brackets hold what may stand there, with "|" between.
JUDGED = [
    ("I ate an apple.", "Ich (habe einen Apfel gegessen|aß einen Apfel).", "我吃了一个苹果。"),
    ("He has a dog.", "Er hat einen Hund.", "他有一(只|条)狗。"),
    ("She has a red hat.", "Sie hat einen roten Hut.", "她有一(顶|个)(红色的|红)帽子。"),
    ("We have two cats.", "Wir haben zwei Katzen.", "我们有两只猫。"),
    ("They have a white horse.", "Sie haben ein weißes Pferd.", "(他|她)们有一匹(白色的|白)马。"),
    ("You are tired.", "(Du bist|Ihr seid|Sie sind) müde.", "(你|您|你们)很累。"),
    ("You are very sad.", "(Du bist|Ihr seid|Sie sind) sehr traurig.", "(你|您|你们)(很|非常)(难过|伤心)。"),
    ("Anna is happy.", "Anna ist (glücklich|froh).", "安娜很(高兴|开心)。"),
    ("Tom was tired yesterday.", "(Tom war gestern|Gestern war Tom) müde.", "(汤姆昨天|昨天汤姆)很累。"),
    ("I am hungry.", "Ich bin hungrig.", "我很饿。"),
    ("My sister is tired.", "Meine Schwester ist müde.", "我(的|)(姐姐|妹妹)很累。"),
    ("The doctor is tired.", "(Der Arzt|Die Ärztin) ist müde.", "((那|这)(位|个)|)医生很累。"),
    ("I do not have a car.", "Ich habe kein Auto.", "我没有(汽车|车)。"),
    ("He does not have a bag.", "Er hat keine Tasche.", "他没有包。"),
    ("She does not have an umbrella.", "Sie hat keinen Regenschirm.", "她没有(雨伞|伞)。"),
    ("Tom is reading a book.", "Tom liest( gerade|) ein Buch.", "汤姆(正|)在(看|读)(一本|)书。"),
    ("He is eating the banana.", "Er isst( gerade|) die Banane.", "他(正|)在吃((这|那)(根|个)|)香蕉。"),
    ("Anna is drinking cold water.", "Anna trinkt( gerade|) kaltes Wasser.", "安娜(正|)在喝(冷|凉)水。"),
    ("I am drinking hot tea.", "Ich trinke( gerade|) heißen Tee.", "我(正|)在喝热茶。"),
    ("Tom is drinking cold milk.", "Tom trinkt( gerade|) kalte Milch.", "汤姆(正|)在喝(冷|凉)牛奶。"),
    ("She is calling me.", "Sie ruft mich( gerade|) an.", "她(正|)在给我打电话。"),
    ("I am helping him.", "Ich helfe ihm( gerade|).", "我(正|)在(帮助|帮)他。"),
    ("Tom is helping Anna.", "Tom hilft( gerade|) Anna.", "汤姆(正|)在(帮助|帮)安娜。"),
    ("He is closing the door.", "Er (macht( gerade|) die Tür zu|schließt( gerade|) die Tür).",
     "他(正|)在关((那|这)扇|)门。"),
    ("She opened the window.",
     "Sie (hat das Fenster (geöffnet|aufgemacht)|öffnete das Fenster|machte das Fenster auf).",
     "她打开了((那|这)扇|)窗户。"),
    ("He helped the boy.", "Er (hat dem Jungen geholfen|half dem Jungen).", "他(帮助|帮)了((那|这)个|)男孩。"),
    ("You called me.", "(Du hast mich angerufen|Ihr habt mich angerufen|Sie haben mich angerufen|Sie riefen mich an).",
     "(你|您|你们)给我打了电话。"),
    ("Tom visited us yesterday.",
     "(Tom (hat uns gestern besucht|besuchte uns gestern)|Gestern (hat Tom uns besucht|besuchte Tom uns)).",
     "(汤姆昨天|昨天汤姆)(看望|拜访)了我们。"),
    ("I ate an egg yesterday.",
     "(Ich (habe gestern ein Ei gegessen|aß gestern ein Ei)|Gestern (habe ich ein Ei gegessen|aß ich ein Ei)).",
     "(我昨天|昨天我)吃了一个鸡蛋。"),
    ("Anna will buy a lamp tomorrow.",
     "(Anna (wird morgen eine Lampe kaufen|kauft morgen eine Lampe)"
     "|Morgen (wird Anna eine Lampe kaufen|kauft Anna eine Lampe)).",
     "(安娜明天|明天安娜)(会|要)买(一盏|)灯。"),
    ("I want to buy a coat.", "Ich (will|möchte) einen Mantel kaufen.", "我(想|要)买(一件|)大衣。"),
    ("Tom wants to call me.", "Tom (will|möchte) mich anrufen.", "汤姆(想|要)给我打电话。"),
    ("I drink tea every day.", "(Ich trinke jeden Tag|Jeden Tag trinke ich) Tee.", "(我每天|每天我)(都|)喝茶。"),
    ("He eats an egg every morning.", "(Er isst jeden Morgen|Jeden Morgen isst er) ein Ei.",
     "(他每天早上|每天早上他)(都|)吃一个鸡蛋。"),
    ("Anna is reading a letter in the garden.",
     "(Anna liest (im Garten einen Brief|einen Brief im Garten)|Im Garten liest Anna einen Brief).",
     "安娜(正|)在花园里(看|读)(一封|)信。"),
    ("Did Tom drink tea?", "Hat Tom Tee getrunken\\?", "汤姆(喝了茶|喝茶了)吗？"),
    ("Did you find the key?", "(Hast du|Habt ihr|Haben Sie) den Schlüssel gefunden\\?",
     "(你|您|你们)(找到((那|这)把|)钥匙了|找到了((那|这)把|)钥匙)吗？"),
    ("I did not drink water.", "Ich (habe kein Wasser getrunken|trank kein Wasser).", "我(没|没有)喝水。"),
    ("He did not find my bag.", "Er (hat meine Tasche nicht gefunden|fand meine Tasche nicht).",
     "他(没|没有)找到我的包。"),
    ("I gave him a cup.", "Ich (habe ihm eine Tasse gegeben|gab ihm eine Tasse).", "我给了他一个杯子。"),
    ("Anna gave us two books.", "Anna (hat uns zwei Bücher gegeben|gab uns zwei Bücher).", "安娜给了我们两本书。"),
    ("She gave the child a red apple.",
     "Sie (hat dem Kind einen roten Apfel gegeben|gab dem Kind einen roten Apfel).",
     "她给了((那|这)个|)孩子一个(红色的|红)苹果。"),
    ("There is a dog in the garden.", "Im Garten (ist ein|gibt es einen) Hund.", "花园里有一(只|条)狗。"),
    ("There are three books on the table.", "Auf dem Tisch (sind|liegen) drei Bücher.", "桌子上有三本书。"),
    ("The key is on the bed.", "Der Schlüssel (ist|liegt) auf dem Bett.", "((那|这)把|)钥匙在床上。"),
    ("The birds are behind the house.", "Die Vögel sind hinter dem Haus.", "((那|这)些|)鸟在房子后面。"),
]  # fmt: skip

REFUSED = [
    ("I ate an apple.", g.TO_GERMAN, "Ich habe eine Apfel gegessen."),  # gender
    ("I ate an apple.", g.TO_GERMAN, "Ich habe ein Apfel gegessen."),  # case
    ("I ate an apple.", g.TO_GERMAN, "Ich habe gegessen einen Apfel."),  # order
    ("I ate an apple yesterday.", g.TO_GERMAN, "Gestern ich habe einen Apfel gegessen."),
    ("He helped the boy.", g.TO_GERMAN, "Er hat den Jungen geholfen."),
    ("He helped the boy.", g.TO_GERMAN, "Er hat dem Junge geholfen."),
    ("You are tired.", g.TO_GERMAN, "Du sind müde."),
    ("She is calling me.", g.TO_GERMAN, "Sie anruft mich."),
    ("She has a red hat.", g.TO_GERMAN, "Sie hat einen roter Hut."),
    ("There is a dog in the garden.", g.TO_GERMAN, "Im Garten ist einen Hund."),
    ("There is a dog in the garden.", g.TO_GERMAN, "Im Garten gibt es ein Hund."),
    ("Tom visited us yesterday.", g.TO_GERMAN, "Tom hat gestern uns besucht."),
    ("We have two cats.", g.TO_CHINESE, "我们有二只猫。"),
    ("We have two cats.", g.TO_CHINESE, "我们有两条猫。"),
    ("We have two cats.", g.TO_CHINESE, "我们有两猫。"),
    ("They have a white horse.", g.TO_CHINESE, "他们有一个白色的马。"),
    ("I ate an egg yesterday.", g.TO_CHINESE, "我吃了一个鸡蛋昨天。"),
    ("I ate an egg yesterday.", g.TO_CHINESE, "我昨天吃一个鸡蛋。"),
    ("I did not drink water.", g.TO_CHINESE, "我不喝水。"),
    ("Anna is reading a letter in the garden.", g.TO_CHINESE, "安娜在看一封信在花园里。"),
    ("I do not have a car.", g.TO_CHINESE, "我不有汽车。"),
    ("The key is on the bed.", g.TO_CHINESE, "钥匙在上床。"),
]

LATIN = re.compile(r"[A-Za-zÄÖÜäöüß]+( [A-Za-zÄÖÜäöüß]+){1,10}[.?]")
HANZI = (
    "一三上下两个书买了些亲人今他们件份会伞伤位你信修关兴写冷凉到前助包匙匹医卖厨友只吃后吗周咖哥啡喝园在块大天女奶她好妈妹"
    "姆姐娜子孩安封小师帮常帽床底座开弟张很心您想我户房扇打找把报拜掉支新旁旧早明星昨晚有朋望期本朵条杯果栋树根桌棵椅正母每水汤"
    "汽没洗灯热父爸牛狗猫理生电男画白的盏看窗笔米糕累红纸给绿老肉自色花苹茶蓝蕉蛋行衣衫衬要见访话读车辆边过这那都酪里钥铅长门间"
    "难雨非面顶饭饿香马高鲜鸟鸡黑"
)


def every_way(pattern: str) -> set[str]:
    """All that a pattern of letters, brackets and bars matches."""
    innermost = re.search(r"\(([^()]*)\)", pattern)
    if not innermost:
        return {pattern.replace("\\", "")}
    before, after = pattern[: innermost.start()], pattern[innermost.end() :]
    return {way for part in innermost[1].split("|") for way in every_way(before + part + after)}


@pytest.mark.parametrize(("determiner", "noun", "number"), DECLINED, ids=lambda part: str(getattr(part, "word", part)))
def test_determiner_adjective_and_noun_agree(determiner, noun, number):
    cases = [g.noun_phrase(determiner, "klein", noun, case, number) for case in ("nom", "acc", "dat")]
    assert ", ".join(cases) == DECLINED[determiner, noun, number]


def test_every_noun_has_its_gender_and_plural():
    nouns = [
        n for group in (g.NOUNS.values(), g.STUFF.values(), g.PEOPLE, g.FAMILY) for noun in group for n in noun.german
    ]
    article = {"m": "der", "f": "die", "n": "das"}
    assert {noun.word: f"{article[noun.gender]} {noun.plural}" for noun in nouns} == PLURALS
    assert [noun.word for noun in nouns if noun.weak] == ["Junge"]


def test_every_noun_has_its_measure_words():
    assert {noun.chinese: noun.measure for noun in g.NOUNS.values()} == MEASURED


def test_plurals_in_the_dative_get_an_n_unless_they_have_one_or_end_in_s():
    plurals = [n.german[0].form("dat", 2) for n in (g.NOUNS["book"], g.NOUNS["car"], g.NOUNS["cat"], g.PEOPLE[0])]
    assert plurals == ["Büchern", "Autos", "Katzen", "Männern"]


def test_every_verb_is_conjugated():
    verbs = {german.infinitive: german for verb in (*g.VERBS, *g.TO_PEOPLE) for german in verb.german}
    forms = {
        name: " ".join([*(v.present[p] for p in g.PERSONS), v.past["1s"], v.past["3p"], v.participle])
        for name, v in verbs.items()
    }
    assert forms == CONJUGATED
    assert {name: v.particle for name, v in verbs.items() if v.particle} == {
        "aufmachen": "auf",
        "zumachen": "zu",
        "anrufen": "an",
    }


@pytest.mark.slow
@pytest.mark.parametrize(("english", "german", "chinese"), JUDGED, ids=[row[0] for row in JUDGED])
def test_exactly_these_translations_are_accepted(english, german, chinese):
    assert g.accepted(english, g.TO_GERMAN) == every_way(german)
    assert g.accepted(english, g.TO_CHINESE) == every_way(chinese)


@pytest.mark.parametrize(("sentence", "task", "wrong"), REFUSED, ids=[row[2] for row in REFUSED])
def test_what_is_wrong_is_refused(sentence, task, wrong):
    assert not g.is_right(sentence, task, wrong)


def test_spaces_at_the_ends_do_not_matter():
    assert g.is_right("He has a dog.", g.TO_GERMAN, " Er hat einen Hund. ")


@pytest.mark.parametrize(
    ("sentence", "past"),
    [
        ("Anna is eating an apple.", {"Anna ate an apple."}),
        ("You are reading my book in the garden.", {"You read my book in the garden."}),
        ("They are tired.", {"They were tired."}),
        ("There are two eggs on the table.", {"There were two eggs on the table."}),
        ("She is looking for the key.", frozenset()),
        ("Tom ate an apple.", frozenset()),
    ],
)
def test_the_past_of_a_sentence(sentence, past):
    assert g.accepted(sentence, g.TO_PAST) == past


def test_a_question_is_told_from_a_statement_without_its_mark():
    assert g.accepted("Did Tom drink tea?", g.KIND) == {"question"}
    assert g.accepted("Tom drank tea.", g.KIND) == {"statement"}
    assert g.prompt("Tom drank tea.", g.KIND).endswith("Tom drank tea")
    assert g.prompt("Tom drank tea.", g.TO_GERMAN) == "translate English to German: Tom drank tea."


def test_unknown_sentences_and_tasks_are_named():
    with pytest.raises(ValueError, match=r"'The chair drinks\.' is no sentence of this grammar"):
        g.accepted("The chair drinks.", g.TO_GERMAN)
    with pytest.raises(ValueError, match="task='sing: ' is none of"):
        g.accepted("He has a dog.", "sing: ")


def test_there_are_many_short_sentences():
    assert len(g.sentences()) >= 20_000
    assert {len(sentence.split()) for sentence in g.sentences()} == set(range(3, 11))
    assert not [s for s in g.sentences() if not LATIN.fullmatch(s)]


@pytest.fixture(scope="module")
def splits():
    return g.splits(seed=4, train=3000, held_out=500)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_examples(splits):
    assert g.splits(seed=4, train=3000, held_out=500) == splits
    assert g.splits(seed=5, train=30, held_out=5) != g.splits(seed=6, train=30, held_out=5)


def test_splits_have_the_sizes_that_were_asked_for(splits):
    assert len({e.sentence for e in splits.train}) == 3000
    assert len({e.sentence for e in splits.held_out}) == 500
    assert {language: len(lines) for language, lines in splits.text.items()} == dict.fromkeys(
        ("english", "german", "chinese"), 3000
    )
    for examples in (splits.train, splits.held_out):
        assert len({(e.sentence, e.task) for e in examples}) == len(examples)
    with pytest.raises(ValueError, match="the grammar has"):
        g.splits(seed=0, train=10**6, held_out=1)


@pytest.mark.slow
def test_nothing_held_out_is_seen_in_training():
    splits = g.splits(seed=4, train=20_000, held_out=2000)  # in smaller ones no answer in the past tense would clash
    seen = {text for e in splits.train if e.task != g.KIND for text in (e.sentence, e.answer)}
    away = {e.sentence for e in splits.held_out}
    for example in splits.held_out:
        if example.task != g.KIND:
            away |= g.accepted(example.sentence, example.task)
    assert len(away) > 1500
    assert not seen & away
    assert seen >= {line for lines in splits.text.values() for line in lines}


def test_answers_are_right_and_written_in_the_alphabet(splits):
    for example in (*splits.train, *splits.held_out):
        assert g.is_right(*example)
        if example.task == g.TO_CHINESE:
            assert set(example.answer[:-1]) <= set(HANZI) and example.answer[-1] in "。？"
        elif example.task != g.KIND:
            assert LATIN.fullmatch(example.answer)


def test_translations_differ_by_what_may_differ_alone(splits):
    for sentence in [e.sentence for e in splits.held_out if e.task == g.TO_GERMAN]:
        german, chinese = g.accepted(sentence, g.TO_GERMAN), g.accepted(sentence, g.TO_CHINESE)
        lengths = {len(way.split()) for way in german}
        assert max(lengths) - min(lengths) <= 1  # a perfect, a future, a particle, "gerade"
        assert {way[-1] for way in german} == {sentence[-1]}
        assert {way[-1] for way in chinese} == {"。" if sentence[-1] == "." else "？"}


def test_all_kinds_of_sentences_are_in_both_splits(splits):
    kinds = {sentence.frame for sentence in g.sentences().values()}
    for examples in (splits.train, splits.held_out):
        assert {g.sentences()[e.sentence].frame for e in examples} == kinds


def test_what_is_said_more_often_is_drawn_more_often(splits):
    present = [e.answer for e in splits.train if e.task == g.TO_GERMAN and " wants to " in e.sentence]
    wished = sum("möcht" in answer for answer in present)
    assert 0.25 < wished / len(present) < 0.42  # a third


def test_the_examples_in_its_docstrings_hold():
    tried = doctest.testmod(g)
    assert tried.attempted > 10 and not tried.failed
