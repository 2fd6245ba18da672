"""The explorers that `keys.py` types into: the lessons' explorers and texts, and two that compute nothing."""

SETUP = """
from io import BytesIO
import ipywidgets
from tokenlab import data
from tokenlab.algorithms.bpe.encode import merge_ranks
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency
from tokenlab.libraries.sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.libraries.tiktoken.registry import load_local_encoding
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.minimal import gpt2_tokenizer
from tokenlab.minimal.decoder import Decoder
from tokenlab.show.explorers.controls import TextBox
from tokenlab.show.explorers.explore_bpe import *
from tokenlab.show.explorers.explore_decoder import *
from tokenlab.show.explorers.explore_families import *
from tokenlab.show.explorers.explore_generation import *
from tokenlab.show.explorers.explore_pipeline import *
from tokenlab.show.explorers.explore_pretraining import *
from tokenlab.show.explorers.explore_sentencepiece import *
from tokenlab.show.explorers.explore_subword_text import *
from tokenlab.show.explorers.explore_t5 import *
from tokenlab.show.explorers.explore_text import *
from tokenlab.show.explorers.explore_tiktoken import *
from tokenlab.show.explorers.explore_transformers import *
from tokenlab.show.explorers.explore_unigram import *
from tokenlab.show.explorers.explore_wordpiece import *
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.steps.recording import Recording

english = data.text("english")
words = count_words(english, "bert")
ranks, vocabulary = merge_ranks(train_indexed(words, 1000)), train_by_frequency(words, 900)
pieces, small = train_arrays(count_words(english.lower()), 1500), load_local_encoding(data.FOLDER / "small.tiktoken")
file, size = BytesIO(), {"vocab_size": 400, "hard_vocab_limit": False}
SentencePieceTrainer.train(sentence_iterator=iter(english.splitlines()), model_writer=file, **size)
processor = SentencePieceProcessor(model_proto=file.getvalue())
encoder = SubwordTextEncoder.build_from_generator(english.splitlines(), 600)
bert = train_bert_tokenizer([english], vocab_size=2000)
model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny()).eval()
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
story_ranks = gpt2_tokenizer.load(data.decoder_tiny() / "vocabulary.tiktoken")
stories = gpt2_tokenizer.Tokenizer(story_ranks, {"<|endoftext|>": len(story_ranks)})
decoder = (Decoder.from_folder(data.decoder_tiny()), stories)
t5, to_german = (model, tokenizer), "translate English to German: "

def explore_nothing(text):
    return Explorer(lambda text: Recording("typed", {}, (text,), text), text=TextBox("text", text))

def show_typed_text(text):
    box, shown = ipywidgets.Text(text), ipywidgets.HTML()
    box.observe(lambda change: setattr(shown, "value", change["new"]), "value")
    return ipywidgets.VBox([box, shown]).add_class("tokenlab-explorer")
"""
CALLS = {
    "ipywidgets alone": "show_typed_text('typed')",
    "nothing": "explore_nothing('typed')",
    "segmentations": "explore_segmentations('Yesterday I unpacked my grandmother\\'s teapot', english, 1000)",
    "bpe_training": "explore_bpe_training(english[:2000], 90)",
    "bpe_encoding": "explore_bpe_encoding('unhappiness', ranks)",
    "text_levels": "explore_text_levels('naïve 中文 👩‍👧 שלום', small)",
    "tiktoken": "explore_tiktoken('Your own text, with naïve 日本語 and 👩‍👧.', small)",
    "wordpiece_encoding": "explore_wordpiece_encoding('good😊', vocabulary)",
    "wordpiece_training": "explore_wordpiece_training('hug ' * 10 + 'pug ' * 5 + 'pun ' * 12 + 'hugs ' * 5, 16)",
    "viterbi": "explore_viterbi('soundings', pieces)",
    "unigram_training": "explore_unigram_training(english[:1500], 90)",
    "round_trip": "explore_round_trip('The ﬁshing  boats left… at ① km² ▁ 北', processor)",
    "subword_text": "explore_subword_text('It costs 10 € in snake_case', encoder)",
    "pipeline": "explore_pipeline('The ﬁsh…  [MASK] Café ①', bert)",
    "split": "explore_split('the-final--countdown', '-')",
    "slow_and_fast": "explore_slow_and_fast('Hello [MASK] wörld', 'second text')",
    "t5_map": "explore_t5_map(to_german + 'I drew two trees.', 'Ich habe zwei Bäume gezeichnet.', *t5, 6, 9)",
    "t5_attention": "explore_t5_attention('The girl gave the teacher a book.', *t5)",
    "token_losses": "explore_token_losses(to_german + 'The boy has a red book.', 'Der Junge hat ein rotes Buch.', *t5)",
    "span_corruption": "explore_span_corruption('My sister is buying a red umbrella.', tokenizer, 0.3, 2.0)",
    "text_to_text": "explore_text_to_text('The boy is buying a red umbrella.', *t5)",
    "sampling": "explore_sampling('The boy gave <extra_id_0> a flower.', *t5, seed=3)",
    "next_token": "explore_next_token('The boy gave <extra_id_0> a flower.', *t5, '<extra_id_0> my', top_p=0.5)",
    "cross_attention": "explore_cross_attention(to_german + 'The doctor is reading a red book.', *t5, head=1)",
    "beam_search": "explore_beam_search('We <extra_id_0> week.', *t5, num_beams=2)",
    "constrained": "explore_constrained_beam_search(to_german + 'You are eating fresh bread.', 'Du isst', *t5)",
    "groups": "explore_group_beam_search(to_german + 'My friend will draw the flower this evening.', *t5)",
    "contrastive": "explore_contrastive_search(to_german + 'A dog and a teacher and an apple.', *t5)",
    "decoder": "explore_decoder('Once upon a time, there was a clever girl', *decoder, 1, 0.8, min_p=0.1)",
    "streaming": "explore_streaming('naïve 日本語 🙂 � ok �', small)",
    "tokenizer_choice": "explore_tokenizer_choice('T5Tokenizer', 'bert')",
    "families": "explore_families('if ok:\\n    print(\\'The keeper wrote unhappily, 日本\\')', english)",
}
