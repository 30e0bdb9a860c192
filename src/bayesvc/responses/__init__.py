"""Kinds of response, one file each: how y is encoded, scaled and modelled."""

from bayesvc.responses.base import EncodedResponse, Response
from bayesvc.responses.encode import RESPONSES, check_response, encode_y, register
from bayesvc.responses.gaussian import Gaussian
from bayesvc.responses.probit import Probit
from bayesvc.responses.surv import Surv
from bayesvc.responses.survival import Survival

__all__ = [
    "RESPONSES",
    "EncodedResponse",
    "Gaussian",
    "Probit",
    "Response",
    "Surv",
    "Survival",
    "check_response",
    "encode_y",
    "register",
]
