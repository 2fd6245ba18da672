"""The configuration of a model that joins an encoder and a decoder of any model types."""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.transformers.configuration_utils import PretrainedConfig
from tokenlab.libraries.transformers.models.auto.decision_steps import CorruptFieldError, UnknownModelTypeError


class EncoderDecoderConfig(PretrainedConfig):
    """Two configurations, of the encoder and of the decoder.

    Args:
        encoder: the settings of the encoder, with their `model_type`.
        decoder: the settings of the decoder, with their `model_type`.
        kwargs: further settings.

    Raises:
        AssertionError: one of the two is missing.
        KeyError: one of the two has no model_type.
        ValueError: a model_type is not known.

    Source: transformers 4.26.1, models/encoder_decoder/configuration_encoder_decoder.py.

    >>> config = EncoderDecoderConfig(encoder={"model_type": "t5", "d_model": 8}, decoder={"model_type": "t5"})
    >>> config.encoder.d_model, config.decoder.d_model, config.is_encoder_decoder
    (8, 512, True)
    """

    model_type = "encoder-decoder"
    is_composition = True

    def __init__(self, **kwargs: Any) -> None:
        from tokenlab.libraries.transformers.models.auto.configuration_auto import AutoConfig

        if "encoder" not in kwargs or "decoder" not in kwargs:
            raise AssertionError("give encoder={...} and decoder={...}: settings with their model_type")
        parts = {name: _settings(name, kwargs.pop(name)) for name in ("encoder", "decoder")}
        super().__init__(**kwargs)
        for name, settings in parts.items():
            setattr(self, name, AutoConfig.for_model(settings.pop("model_type"), **settings))
        self.is_encoder_decoder = True

    @classmethod
    def from_encoder_decoder_configs(
        cls, encoder_config: PretrainedConfig, decoder_config: PretrainedConfig, **kwargs: Any
    ) -> EncoderDecoderConfig:
        """Return the configuration that joins two; the decoder's is changed to one with cross-attention."""
        decoder_config.update({"is_decoder": True, "add_cross_attention": True})
        parts = {"encoder": encoder_config, "decoder": decoder_config}
        return cls(**{name: config.to_dict() for name, config in parts.items()}, **kwargs)

    def to_dict(self) -> dict[str, Any]:
        """Return all settings, with those of the encoder and of the decoder as dictionaries."""
        return {**super().to_dict(), "encoder": self.encoder.to_dict(), "decoder": self.decoder.to_dict()}


def _settings(name: str, settings: Any) -> dict[str, Any]:
    if not isinstance(settings, dict):
        raise CorruptFieldError(f"{name}={settings!r} should be a dictionary of settings, with their model_type")
    if "model_type" not in settings:
        raise UnknownModelTypeError(f"the settings of the {name} have no model_type, such as 't5'")
    return dict(settings)
