"""The 120 texts whose tokens are in real_tokenizers.json: all written for the kit, in groups."""

from __future__ import annotations

LANGUAGES = {  # one meaning: "I would like a cup of tea, please."
    "English": "I would like a cup of tea, please.",
    "German": "Ich hätte gern eine Tasse Tee, bitte.",
    "French": "Je voudrais une tasse de thé, s'il vous plaît.",
    "Spanish": "Quisiera una taza de té, por favor.",
    "Polish": "Poproszę filiżankę herbaty.",
    "Turkish": "Bir fincan çay istiyorum, lütfen.",
    "Finnish": "Haluaisin kupin teetä, kiitos.",
    "Vietnamese": "Cho tôi một tách trà, làm ơn.",
    "Swahili": "Naomba kikombe cha chai, tafadhali.",
    "Russian": "Я хотел бы чашку чая, пожалуйста.",
    "Greek": "Θα ήθελα ένα φλιτζάνι τσάι, παρακαλώ.",
    "Arabic": "أود كوبًا من الشاي من فضلك.",
    "Hebrew": "אני רוצה כוס תה, בבקשה.",
    "Hindi": "मुझे एक कप चाय चाहिए, कृपया।",
    "Bengali": "আমি এক কাপ চা চাই, দয়া করে।",
    "Tamil": "எனக்கு ஒரு கப் தேநீர் வேண்டும்.",
    "Thai": "ขอชาหนึ่งถ้วยครับ",
    "Chinese": "请给我一杯茶。",
    "Japanese": "お茶を一杯お願いします。",
    "Korean": "차 한 잔 주세요.",
}

NUMBERS = {
    "a year": "2026",
    "a large number": "1234567890",
    "with commas": "1,234,567,890",
    "decimals": "3.14159 and 0.001",
    "a sum": "127 + 677 = 804",
    "a sum without spaces": "127+677=804",
    "a product": "12345 * 6789 = 83810205",
    "a date": "2026-11-28",
    "a time": "07:05:09",
    "money": "$1,299.99 or €1.299,99",
    "Arabic-Indic digits": "١٢٣٤٥٦",
}

SPELLING = {
    "strawberry": "strawberry",
    "after a space": " strawberry",
    "in capitals": "STRAWBERRY",
    "letter by letter": "s t r a w b e r r y",
    "with hyphens": "s-t-r-a-w-b-e-r-r-y",
    "backwards": "yrrebwarts",
    "how many letters": "How many times does r occur in strawberry?",
    "a rare word": "floccinaucinihilipilification",
}

NAMES = {
    "a common name": "Anna Smith",
    "a Polish name": "Grzegorz Brzęczyszczykiewicz",
    "an Icelandic name": "Sigríður Þorvaldsdóttir",
    "a Vietnamese name": "Nguyễn Thị Minh Khai",
    "a Yoruba name": "Olúwaṣeun Adébáyọ̀",
    "a Welsh place": "Llanfairpwllgwyngyll",
}

SPACES = {
    "no space at the end": "Once upon a time",
    "a space at the end": "Once upon a time ",
    "a space at the start": " Once upon a time",
    "two spaces between": "Once  upon  a  time",
    "eight spaces": "        ",
    "tabs": "name\tage\tcity",
    "a line break": "first line\nsecond line",
    "CRLF": "first line\r\nsecond line\r\n",
    "an empty line": "first paragraph\n\nsecond paragraph",
    "four empty lines": "a\n\n\n\n\nb",
    "no-break space": "10\u00a0kg",
    "ideographic space": "日本\u3000東京",
}

CODE = {
    "Python, 4 spaces": "def double(x):\n    if x:\n        return 2 * x\n    return 0\n",
    "Python, tabs": "def double(x):\n\tif x:\n\t\treturn 2 * x\n\treturn 0\n",
    "Python, deep": "for a in b:\n    for c in a:\n        for d in c:\n            for e in d:\n"
    "                print(e)\n",
    "a snake_case name": "number_of_merged_pairs",
    "a camelCase name": "numberOfMergedPairs",
    "JSON, compact": '{"name":"Anna","age":31,"tags":["a","b"]}',
    "JSON, indented": '{\n  "name": "Anna",\n  "age": 31,\n  "tags": [\n    "a",\n    "b"\n  ]\n}',
    "JavaScript": "const double = (x) => x !== null ? x * 2 : undefined;",
    "HTML": '<a href="/index.html" class="link">home</a>',
}

EMOJI = {
    "one emoji": "😀",
    "skin tone": "👍🏽",
    "a family, with joiners": "👩‍👩‍👧‍👦",
    "a flag": "🇯🇵",
    "a flag with a joiner": "🏳️‍🌈",
    "a row": "🎉🎉🎉🎉",
    "a text face": "¯\\_(ツ)_/¯",
}

STRINGS = {
    "a URL": "https://example.org/a/b?query=tea&lang=en#top",
    "an e-mail address": "anna.smith@example.org",
    "base64": "dG9rZW5sYWIgaXMgYSBraXQ=",
    "a regular expression": r"^(?:\d{1,3}\.){3}\d{1,3}$",
    "a path": r"C:\Users\anna\notes\tea.txt",
}

TYPOS = {
    "right": "definitely separate",
    "a typo": "definately seperate",
    "letters swapped": "definitley sepaarte",
    "capitals": "DEFINITELY SEPARATE",
    "title case": "Definitely Separate",
    "mixed case": "dEfInItElY sEpArAtE",
    "letters repeated": "sooooo goooood",
    "no spaces": "thisisasentencewithoutspaces",
}

CHAT = {
    "end of text": "<|endoftext|>",
    "in a sentence": "The text ends with <|endoftext|> here.",
    "ChatML": "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n",
    "Llama 2": "<s>[INST] Hello! [/INST]",
    "Llama 3": "<|start_header_id|>user<|end_header_id|>\n\nHello!<|eot_id|>",
    "Gemma": "<start_of_turn>user\nHello!<end_of_turn>\n",
    "BERT": "[CLS] Hello! [SEP] [MASK] [PAD]",
    "T5": "Thank you <extra_id_0> me </s>",
}

GLITCHES = {  # known from the literature: entries that a model hardly saw in training
    "SolidGoldMagikarp": " SolidGoldMagikarp",
    "petertodd": " petertodd",
    "TheNitromeFan": " TheNitromeFan",
    "RandomRedditorWithNo": " RandomRedditorWithNo",
    "externalActionCode": "externalActionCode",
    "davidjl": " davidjl",
    "PsyNetMessage": "PsyNetMessage",
    "guiActiveUn": " guiActiveUn",
}

MATHEMATICS = {
    "a formula": "E = mc² and a² + b² = c²",
    "LaTeX": r"\frac{1}{n}\sum_{i=1}^{n} x_i^2",
    "symbols": "∀x ∈ ℝ: x² ≥ 0",
    "a fraction": "½ + ¼ = ¾",
    "Greek letters": "λ·Δt ≈ 0.5 μs",
}

PROSE = {
    "a poem": "The kettle hums, the window clears,\nthe morning takes its time;\n"
    "and every word that no one hears\nis waiting for a rhyme.",
    "a paragraph": "A tokenizer turns text into numbers, and numbers back into text. It never sees the world; it only "
    "sees which characters were often neighbours in the texts that it was trained on.",
    "punctuation": "“Well…” she said—slowly, ‘why not?’",
}

WORDS = {
    "each family splits it differently": "unaffordability",
    "a compound": "Donaudampfschifffahrtsgesellschaft",
    "a contraction": "I'll don't we've it's",
    "contractions in capitals": "I'LL DON'T WE'VE IT'S",
    "composed": "caf\u00e9",
    "decomposed": "cafe\u0301",
    "full width": "ＴＯＫＥＮ",
    "a ligature": "eﬃcient",
    "zero width": "to\u200bken",
    "no text": "",
}

GROUPS = {
    "one meaning in 20 languages": LANGUAGES,
    "numbers": NUMBERS,
    "spelling": SPELLING,
    "names": NAMES,
    "spaces and line breaks": SPACES,
    "code": CODE,
    "emoji": EMOJI,
    "addresses and other strings": STRINGS,
    "typos and case": TYPOS,
    "chats and special tokens": CHAT,
    "glitch tokens": GLITCHES,
    "mathematics": MATHEMATICS,
    "prose": PROSE,
    "words and Unicode": WORDS,
}
