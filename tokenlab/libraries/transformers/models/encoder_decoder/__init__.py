"""Encoder-decoder: the configuration of two models that are joined."""

from typing import TYPE_CHECKING

from tokenlab.libraries.transformers.utils import make_lazy

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.models.encoder_decoder.configuration_encoder_decoder import (
        EncoderDecoderConfig as EncoderDecoderConfig,
    )
else:
    make_lazy(__name__)
