"""A picture of an encoding: the text, with its tokens and annotations marked.

Differences from tokenizers 0.23.3: tokens and labels are escaped as well as the text; an empty text gives an empty
picture instead of an IndexError; an annotation with a negative start is refused; the style follows the light or dark
theme and marks an unknown token with the word "unknown" as well as a colour. `unk_token_regex` lacks the optional
context of the library's, which contains a backspace in place of a word boundary, and never changes the result of
`search`.
"""

from tokenlab.libraries.tokenizers.tools.visualizer import Annotation, EncodingVisualizer

__all__ = ["Annotation", "EncodingVisualizer"]
