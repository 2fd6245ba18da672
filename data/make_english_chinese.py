"""Makes english_chinese.tsv and english_chinese_dev.tsv: short sentences and their translations, a tab between them.

Run it with the kit's Python; the same script gives the same files. A frame is a sentence with slots, in both languages;
what fills a slot has both languages, too, so that the two sides say the same. Of each frame's many sentences some are
kept, chosen and ordered by a checksum that is the same on every machine. Sentences without slots stand for themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import product

from tokenlab import data
from tokenlab.storage import files

Pair = tuple[str, str]
Fillers = list[tuple[str, ...]]

DEV = 100  # pairs that are kept for evaluation

FAMILY: Fillers = [
    ("my brother", "我哥哥"),
    ("my sister", "我姐姐"),
    ("my uncle", "我叔叔"),
    ("my mother", "我妈妈"),
    ("my father", "我爸爸"),
    ("my grandmother", "我奶奶"),
]
YOUNG: Fillers = [
    ("my brother", "我哥哥"),
    ("my sister", "我姐姐"),
    ("Anna", "安娜"),
    ("Tom", "汤姆"),
    ("Li Ming", "李明"),
    ("Xiaomei", "小梅"),
]
PEOPLE: Fillers = [
    *YOUNG,
    ("our teacher", "我们老师"),
    ("the old man", "那位老人"),
    ("the doctor", "医生"),
    ("the cook", "厨师"),
    ("my uncle", "我叔叔"),
]
TIMES: Fillers = [
    ("every morning", "每天早上"),
    ("every evening", "每天晚上"),
    ("on Sundays", "星期天"),
    ("in the afternoon", "下午"),
    ("before breakfast", "早饭前"),
]
HABITS: Fillers = [
    ("drinks green tea", "喝绿茶"),
    ("reads the newspaper", "看报纸"),
    ("listens to the radio", "听收音机"),
    ("waters the flowers", "浇花"),
    ("practises the piano", "练钢琴"),
    ("runs along the river", "沿着河边跑步"),
    ("walks in the park", "在公园散步"),
    ("writes letters", "写信"),
    ("makes noodles for the family", "给家人做面条"),
    ("studies Chinese for an hour", "学一个小时中文"),
]
# English plural; Chinese measure word and noun.
GOODS: Fillers = [
    ("books", "本", "书"),
    ("cups", "个", "杯子"),
    ("umbrellas", "把", "雨伞"),
    ("newspapers", "份", "报纸"),
    ("maps", "张", "地图"),
    ("apples", "个", "苹果"),
    ("pencils", "支", "铅笔"),
    ("hats", "顶", "帽子"),
    ("tickets", "张", "票"),
]
THINGS: Fillers = [*GOODS, ("letters", "封", "信"), ("keys", "把", "钥匙"), ("photos", "张", "照片")]
LOST: Fillers = [
    ("book", "书"),
    ("cup", "杯子"),
    ("umbrella", "雨伞"),
    ("key", "钥匙"),
    ("hat", "帽子"),
    ("ticket", "票"),
    ("watch", "手表"),
    ("phone", "手机"),
]
# English noun; Chinese measure word and noun.
COLOURED: Fillers = [
    ("hat", "顶", "帽子"),
    ("cup", "个", "杯子"),
    ("umbrella", "把", "雨伞"),
    ("pencil", "支", "铅笔"),
    ("coat", "件", "大衣"),
    ("scarf", "条", "围巾"),
    ("bag", "个", "包"),
]
PRICED: Fillers = [
    *COLOURED,
    ("book", "本", "书"),
    ("map", "张", "地图"),
    ("pair of shoes", "双", "鞋"),
    ("watch", "块", "手表"),
]
COLOURS: Fillers = [("red", "红色"), ("blue", "蓝色"), ("green", "绿色"), ("black", "黑色"), ("white", "白色")]
NUMBERS: Fillers = [("two", "两"), ("three", "三"), ("four", "四"), ("five", "五"), ("six", "六"), ("ten", "十")]
SPOTS: Fillers = [
    ("on the table", "桌子上"),
    ("in the drawer", "抽屉里"),
    ("under the chair", "椅子下面"),
    ("in the bag", "包里"),
    ("on the bed", "床上"),
    ("behind the door", "门后面"),
]
CHINESE_CITIES: Fillers = [("Beijing", "北京"), ("Shanghai", "上海"), ("Guangzhou", "广州"), ("Hangzhou", "杭州")]
CITIES: Fillers = [*CHINESE_CITIES, ("London", "伦敦"), ("Paris", "巴黎"), ("Berlin", "柏林"), ("Tokyo", "东京")]
PLACES: Fillers = [
    ("the library", "图书馆"),
    ("the post office", "邮局"),
    ("the bank", "银行"),
    ("the station", "车站"),
    ("the hospital", "医院"),
    ("the museum", "博物馆"),
    ("the market", "市场"),
    ("the school", "学校"),
    ("the bookshop", "书店"),
]
SIDES: Fillers = [("next to", "旁边"), ("opposite", "对面"), ("behind", "后面"), ("in front of", "前面")]
DAYS: Fillers = [("today", "今天"), ("tomorrow", "明天"), ("this weekend", "这个周末"), ("on Monday", "星期一")]
WEATHER: Fillers = [
    ("rain", "下雨"),
    ("snow", "下雪"),
    ("be windy", "刮风"),
    ("be very hot", "很热"),
    ("be very cold", "很冷"),
]
STORMS: Fillers = [("it rains", "下雨"), ("it snows", "下雪"), ("it is windy", "刮风"), ("it is too hot", "太热")]
PLANS: Fillers = [
    ("stay at home", "待在家里"),
    ("go to the cinema", "去看电影"),
    ("visit Grandmother", "去看奶奶"),
    ("play chess", "下棋"),
    ("cook together", "一起做饭"),
    ("clean the house", "打扫房间"),
]
SKILLS: Fillers = [
    ("swim", "游泳"),
    ("cook", "做饭"),
    ("drive", "开车"),
    ("ride a bicycle", "骑自行车"),
    ("play the guitar", "弹吉他"),
    ("speak German", "说德语"),
    ("play table tennis", "打乒乓球"),
]
RIDES: Fillers = [("by train", "坐火车"), ("by plane", "坐飞机")]
FOOD: Fillers = [
    ("rice", "米饭"),
    ("noodles", "面条"),
    ("fish", "鱼"),
    ("dumplings", "饺子"),
    ("bread", "面包"),
    ("eggs", "鸡蛋"),
    ("tofu", "豆腐"),
]
REQUESTS: Fillers = [
    ("open the window", "打开窗户"),
    ("close the door", "关上门"),
    ("turn on the light", "打开灯"),
    ("speak more slowly", "说慢一点儿"),
    ("write your name here", "在这里写您的名字"),
    ("wait a moment", "等一下"),
    ("pass me the salt", "把盐递给我"),
    ("say that again", "再说一遍"),
]
FORBIDDEN: Fillers = [
    ("smoke here", "在这里抽烟"),
    ("take photos in the museum", "在博物馆里拍照"),
    ("talk in the library", "在图书馆里说话"),
    ("wake the baby", "吵醒孩子"),
    ("forget your umbrella", "忘了带雨伞"),
    ("eat in the classroom", "在教室里吃东西"),
]
BUSY: Fillers = [
    ("cooking", "做饭"),
    ("sleeping", "睡觉"),
    ("watching television", "看电视"),
    ("reading a letter", "看信"),
    ("washing clothes", "洗衣服"),
    ("mending a bicycle", "修自行车"),
]
EVENTS: Fillers = [
    ("my grandfather moved to", "我爷爷搬到了", ""),
    ("they met for the first time in", "他们在", "第一次见面"),
    ("she opened a small bookshop in", "她在", "开了一家小书店"),
    ("my parents got married in", "我父母在", "结了婚"),
    ("he began to work as a teacher in", "他开始在", "当老师"),
]
SUBJECTS: Fillers = [
    ("history", "历史"),
    ("mathematics", "数学"),
    ("music", "音乐"),
    ("medicine", "医学"),
    ("physics", "物理"),
]
FEELINGS: Fillers = [("tired", "累"), ("happy", "高兴"), ("hungry", "饿"), ("busy", "忙"), ("nervous", "紧张")]
YEARS: Fillers = [(str(year),) for year in (1949, 1958, 1966, 1972, 1979, 1987, 1994, 2001, 2008, 2016, 2023)]
PRICES: Fillers = [(str(price),) for price in (15, 28, 49, 65, 80, 120, 199, 350)]
AGES: Fillers = [(str(age),) for age in range(17, 31)]
HOURS: Fillers = [(str(hour),) for hour in range(6, 13)]
MINUTES: Fillers = [(str(minute),) for minute in (10, 15, 20, 25, 35, 40, 50)]

# How many sentences are wanted at the most; the sentence in English and in Chinese; what fills its slots, in order.
FRAMES: list[tuple[int, str, str, tuple[Fillers, ...]]] = [
    (120, "{0[0]}, {1[0]} {2[0]}.", "{1[1]}{0[1]}{2[1]}。", (TIMES, PEOPLE, HABITS)),
    (80, "There are {0[0]} {1[0]} {2[0]}.", "{2[1]}有{0[1]}{1[1]}{1[2]}。", (NUMBERS, THINGS, SPOTS)),
    (70, "Yesterday {0[0]} bought {1[0]} {2[0]}.", "昨天{0[1]}买了{1[1]}{2[1]}{2[2]}。", (PEOPLE, NUMBERS, GOODS)),
    (50, "Where is {0[0]}'s {1[0]}?", "{0[1]}的{1[1]}在哪里？", (PEOPLE, LOST)),
    (30, "I am looking for a {0[0]} {1[0]}.", "我在找一{1[1]}{0[1]}的{1[2]}。", (COLOURS, COLOURED)),
    (30, "I would like to buy a {0[0]} {1[0]}.", "我想买一{1[1]}{0[1]}的{1[2]}。", (COLOURS, COLOURED)),
    (70, "It will {0[0]} in {1[0]} {2[0]}.", "{2[1]}{1[1]}会{0[1]}。", (WEATHER, CITIES, DAYS)),
    (24, "If {0[0]} tomorrow, we will {1[0]}.", "如果明天{0[1]}，我们就{1[1]}。", (STORMS, PLANS)),
    (24, "We are going to {0[0]} {1[0]}.", "我们{1[1]}要{0[1]}。", (PLANS, DAYS)),
    (50, "{0[0]} can {1[0]}, but I can't.", "{0[1]}会{1[1]}，可是我不会。", (PEOPLE, SKILLS)),
    (7, "Can you {0[0]}?", "你会{0[1]}吗？", (SKILLS,)),
    (
        24,
        "How long does it take to get from {0[0]} to {1[0]} {2[0]}?",
        "从{0[1]}{2[1]}到{1[1]}要多长时间？",
        (CHINESE_CITIES, CHINESE_CITIES, RIDES),
    ),
    (60, "{0[0]} has never been to {1[0]}.", "{0[1]}从来没去过{1[1]}。", (PEOPLE, CITIES)),
    (80, "{0[0]} has lived in {1[0]} for {2[0]} years.", "{0[1]}在{1[1]}住了{2[1]}年了。", (PEOPLE, CITIES, NUMBERS)),
    (100, "{0[0]} is {1[0]} {2[0]}.", "{0[1]}在{2[1]}{1[1]}。", (PLACES, SIDES, PLACES)),
    (9, "Excuse me, how do I get to {0[0]}?", "请问，去{0[1]}怎么走？", (PLACES,)),
    (60, "This {0[0]} costs {1[0]} yuan.", "这{0[1]}{0[2]}{1[0]}块钱。", (PRICED, PRICES)),
    (11, "How much is this {0[0]}?", "这{0[1]}{0[2]}多少钱？", (PRICED,)),
    (
        70,
        "{0[0]} likes {1[0]}, but doesn't like {2[0]}.",
        "{0[1]}喜欢吃{1[1]}，但是不喜欢吃{2[1]}。",
        (PEOPLE, FOOD, FOOD),
    ),
    (8, "Please {0[0]}.", "请{0[1]}。", (REQUESTS,)),
    (8, "Could you {0[0]}, please?", "您可以{0[1]}吗？", (REQUESTS,)),
    (6, "Please don't {0[0]}.", "请不要{0[1]}。", (FORBIDDEN,)),
    (36, "When I came home, {0[0]} was {1[0]}.", "我回家的时候，{0[1]}正在{1[1]}。", (FAMILY, BUSY)),
    (80, "In {0[0]} {1[0]} {2[0]}.", "{0[0]}年，{1[1]}{2[1]}{1[2]}。", (YEARS, EVENTS, CITIES)),
    (80, "{0[0]} studies {1[0]} in {2[0]}.", "{0[1]}在{2[1]}学习{1[1]}。", (YOUNG, SUBJECTS, CITIES)),
    (60, "{0[0]} wants to study {1[0]} in {2[0]}.", "{0[1]}想去{2[1]}学习{1[1]}。", (YOUNG, SUBJECTS, CITIES)),
    (5, "Are you {0[0]}?", "你{0[1]}吗？", (FEELINGS,)),
    (40, "Yesterday {0[0]} was very {1[0]}.", "昨天{0[1]}很{1[1]}。", (PEOPLE, FEELINGS)),
    (
        70,
        "The train to {0[0]} leaves at {1[0]}:{2[0]}.",
        "去{0[1]}的火车{1[0]}点{2[0]}分出发。",
        (CHINESE_CITIES, HOURS, MINUTES),
    ),
    (50, "{0[0]} is {1[0]} years old.", "{0[1]}今年{1[0]}岁。", (YOUNG, AGES)),
    (11, "What is {0[0]} doing?", "{0[1]}在做什么？", (PEOPLE,)),
]

BY_HAND: list[Pair] = [
    ("Good morning!", "早上好！"),
    ("Good night, sleep well.", "晚安，祝你睡个好觉。"),
    ("See you tomorrow.", "明天见。"),
    ("Welcome to our home.", "欢迎来我们家。"),
    ("Thank you for your help.", "谢谢你的帮助。"),
    ("You're welcome.", "不客气。"),
    ("I'm sorry, I'm late.", "对不起，我迟到了。"),
    ("It doesn't matter.", "没关系。"),
    ("What's your name?", "你叫什么名字？"),
    ("My name is Anna, and I come from Berlin.", "我叫安娜，我是从柏林来的。"),
    ("What day is it today?", "今天星期几？"),
    ("What time is it now?", "现在几点了？"),
    ("It is half past seven.", "现在七点半。"),
    ("I don't understand what you are saying.", "我听不懂你在说什么。"),
    ("I can read this character, but I can't write it.", "这个字我会读，但是不会写。"),
    ("How do you say this in Chinese?", "这个用中文怎么说？"),
    ("Chinese is not as difficult as people think.", "中文没有人们想的那么难。"),
    ("I have been learning Chinese for two years.", "我学中文学了两年了。"),
    ("Practice makes perfect.", "熟能生巧。"),
    ("The more I read, the more I want to know.", "我读得越多，就越想知道更多。"),
    ("This book is worth reading twice.", "这本书值得读两遍。"),
    ("I have already seen this film.", "这部电影我已经看过了。"),
    ("The soup is still too hot to drink.", "汤还太烫，不能喝。"),
    ("These dumplings are delicious!", "这些饺子真好吃！"),
    ("I'm full, I can't eat any more.", "我吃饱了，吃不下了。"),
    ("Would you like tea or coffee?", "你想喝茶还是喝咖啡？"),
    ("A cup of tea without sugar, please.", "请给我一杯不加糖的茶。"),
    ("The bill, please.", "请结账。"),
    ("Today it's my treat.", "今天我请客。"),
    ("Can it be a little cheaper?", "能便宜一点儿吗？"),
    ("This coat is too big for me.", "这件大衣我穿太大了。"),
    ("Do you have a smaller one?", "有小一点儿的吗？"),
    ("I left my wallet at home.", "我把钱包忘在家里了。"),
    ("Somebody has taken my umbrella by mistake.", "有人拿错了我的雨伞。"),
    ("The lift is broken, so we have to take the stairs.", "电梯坏了，所以我们得走楼梯。"),
    ("He is not in; please call again later.", "他不在，请您晚一点儿再打。"),
    ("My phone has no battery left.", "我的手机没电了。"),
    ("The shop closes at nine in the evening.", "这家商店晚上九点关门。"),
    ("The museum is closed on Mondays.", "博物馆星期一不开门。"),
    ("Turn left at the second crossing.", "在第二个路口向左拐。"),
    ("It's not far from here; you can walk.", "离这里不远，走路就能到。"),
    ("We have missed the last bus.", "我们错过了最后一班公共汽车。"),
    ("The train is faster than the bus.", "火车比公共汽车快。"),
    ("The bus is cheaper than the train.", "公共汽车比火车便宜。"),
    ("Flying is the fastest, but also the most expensive.", "坐飞机最快，但是也最贵。"),
    ("The plane will be two hours late.", "飞机要晚两个小时。"),
    ("Have a good journey!", "祝你一路平安！"),
    ("Tom stayed at home because he was ill.", "汤姆因为病了，所以待在家里。"),
    ("Because it was raining, the match was cancelled.", "因为下雨，比赛取消了。"),
    ("Although he is tired, he goes on working.", "他虽然很累，但是还在工作。"),
    ("She not only sings well but also dances well.", "她不但歌唱得好，而且舞也跳得好。"),
    ("As soon as he got home, he went to bed.", "他一到家就睡觉了。"),
    ("Before you cross the street, look left and right.", "过马路以前，先看看左右。"),
    ("Wash your hands before you eat.", "吃饭以前要洗手。"),
    ("The child is afraid of the dog.", "这个孩子怕狗。"),
    ("The cat is sleeping on the warm windowsill.", "猫在暖和的窗台上睡觉。"),
    ("The moon is very round tonight.", "今晚的月亮很圆。"),
    ("In spring the whole hill is covered with flowers.", "春天，整座山上都开满了花。"),
    ("The leaves turn yellow in autumn.", "秋天，树叶变黄了。"),
    ("The river froze last winter.", "去年冬天，河水结冰了。"),
    ("The rain has stopped, and the sky is clear again.", "雨停了，天又晴了。"),
    ("It's getting dark; let's go home.", "天快黑了，我们回家吧。"),
    ("Take an umbrella, it may rain.", "带把伞吧，可能会下雨。"),
    ("Summer in Guangzhou is long and humid.", "广州的夏天又长又潮湿。"),
    ("Winter in Beijing is colder than in Shanghai.", "北京的冬天比上海冷。"),
    ("My grandmother tells the best stories.", "我奶奶讲的故事最好听。"),
    ("My father is half a head taller than I am.", "我爸爸比我高半个头。"),
    ("The two sisters look exactly alike.", "这姐妹俩长得一模一样。"),
    ("There are five people in my family.", "我家有五口人。"),
    ("Her son has just started school.", "她的儿子刚上学。"),
    ("The old clock on the wall runs five minutes slow.", "墙上的旧钟慢五分钟。"),
    ("He repaired the old radio himself.", "他自己修好了那台旧收音机。"),
    ("Nobody knows who wrote this letter.", "没有人知道这封信是谁写的。"),
    ("The letter took three weeks to arrive.", "这封信走了三个星期才到。"),
    ("I put the key under the flower pot.", "我把钥匙放在花盆下面了。"),
    ("Who broke the cup?", "杯子是谁打破的？"),
    ("The window was broken by a ball.", "窗户被球打破了。"),
    ("My bicycle was stolen last night.", "我的自行车昨天晚上被偷了。"),
    ("The homework is too difficult; I can't finish it.", "作业太难了，我做不完。"),
    ("The exam is next Wednesday.", "考试在下个星期三。"),
    ("I answered all the questions correctly.", "所有的问题我都答对了。"),
    ("The teacher praised him in front of the class.", "老师在全班面前表扬了他。"),
    ("Please be there on time tomorrow.", "明天请准时到。"),
    ("Don't worry, everything will be fine.", "别担心，一切都会好的。"),
    ("Take this medicine three times a day.", "这种药一天吃三次。"),
    ("I have had a headache since this morning.", "我从今天早上开始头疼。"),
    ("The doctor told him to drink more water.", "医生让他多喝水。"),
    ("You should go to bed earlier.", "你应该早点儿睡觉。"),
    ("Happy birthday!", "生日快乐！"),
    ("Happy New Year, and good health to all of you!", "新年快乐，祝大家身体健康！"),
    ("We made the mooncakes ourselves this year.", "今年的月饼是我们自己做的。"),
    ("The red lanterns hang in front of every door.", "家家户户门前都挂着红灯笼。"),
    ("The population of this city is over 3,000,000.", "这座城市的人口超过300万。"),
    ("The bridge is 1,200 metres long.", "这座桥长1200米。"),
    ("The temperature fell to -8 degrees last night.", "昨天夜里气温降到了零下8度。"),
    ("About 70% of the students come by bicycle.", "大约70%的学生骑自行车来。"),
    ("Please send it to the address on page 12.", "请寄到第12页上的地址。"),
    ("This computer is three times as fast as the old one.", "这台电脑的速度是旧的三倍。"),
    ("A model learns from examples, not from rules.", "模型从例子中学习，而不是从规则中学习。"),
    ("Every sentence becomes a row of numbers.", "每个句子都变成一串数字。"),
    ("A translation should say the same thing in other words.", "翻译应该用别的话说同样的意思。"),
]  # fmt: skip


def sentences() -> Iterator[Pair]:
    """All pairs that are kept."""
    yield from BY_HAND
    for wanted, english, chinese, slots in FRAMES:
        chosen = [fillers for fillers in product(*slots) if len({*fillers}) == len(fillers)]  # no place beside itself
        made = [(_capital(english.format(*fillers)), chinese.format(*fillers)) for fillers in chosen]
        yield from sorted(made, key=_checksum)[:wanted]


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def _checksum(pair: Pair) -> bytes:
    return sha256("\t".join(pair).encode()).digest()


def main() -> None:
    """Mix all pairs, and write them: the first few for evaluation, the others for training."""
    pairs = sorted(set(sentences()), key=_checksum)
    lines = [f"{english}\t{chinese}\n" for english, chinese in pairs]
    files.write_atomically(data.FOLDER / "english_chinese_dev.tsv", lines[:DEV])
    files.write_atomically(data.FOLDER / "english_chinese.tsv", lines[DEV:])


if __name__ == "__main__":
    main()
