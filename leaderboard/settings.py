"""The process's one settings object.

Each process reads it once from its environment, where it begins, and hands it on; nothing else looks there.
A field's variable is its name in capitals; deploy/env.example explains each.
"""

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


class BadSetting(ValueError):
    """A setting is missing or makes no sense. The text names its variable; it never repeats a secret."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that may differ between two installations. Secrets stay out of its repr."""

    database_url: str = field(repr=False)  # as libpq reads it: postgresql://... or host=... dbname=...
    redis_url: str = field(repr=False)  # redis://host:port/0, rediss://... or unix:///path/to/socket?db=0
    secret_key: str = field(repr=False)  # signs cookies; at least 32 characters
    signing_key: str = field(default="", repr=False)  # signs receipts: 64 hexadecimal digits; "": from secret_key
    public_url: str = ""  # what visitors type, without a slash at the end; "": whatever host they asked for
    web_host: str = "127.0.0.1"
    web_port: int = 8000
    web_processes: int = 1
    web_threads: int = 16  # of each web process
    web_proxies: int = 0  # reverse proxies before us whose X-Forwarded-* headers are believed
    rate_limits: int = 1  # multiplies every limit of requests; 0 takes them away
    worker_processes: int = 2
    chore_minutes: int = 5  # between two canaries, self-audits and clean-ups; 0: none
    metrics_token: str = field(default="", repr=False)  # lets others than loopback read /metrics
    log_level: str = "info"

    def __post_init__(self) -> None:
        if len(self.secret_key) < 32:
            raise BadSetting("SECRET_KEY must have at least 32 characters.")
        if self.signing_key and not re.fullmatch("[0-9a-fA-F]{64}", self.signing_key):
            raise BadSetting("SIGNING_KEY must be 64 hexadecimal digits.")
        if urlsplit(self.redis_url).scheme not in ("redis", "rediss", "unix"):
            raise BadSetting("REDIS_URL must start with redis://, rediss:// or unix://.")
        if self.public_url and not re.fullmatch(r"https?://[^/\s]+", self.public_url):
            raise BadSetting("PUBLIC_URL must be like https://contest.example, without a path.")
        for name, least, most in (
            ("web_port", 0, 65535),
            ("web_processes", 1, 256),
            ("web_threads", 2, 1024),
            ("web_proxies", 0, 16),
            ("rate_limits", 0, 1_000_000),
            ("worker_processes", 1, 256),
            ("chore_minutes", 0, 1440),
        ):
            if not least <= getattr(self, name) <= most:
                raise BadSetting(f"{name.upper()} must be from {least} to {most}, not {getattr(self, name)}.")
        if self.log_level not in ("debug", "info", "warning", "error"):
            raise BadSetting("LOG_LEVEL must be debug, info, warning or error.")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Self:
        """Read the settings from variables such as those of os.environ; an empty one counts as absent.

        Raises BadSetting.
        """
        values: dict[str, Any] = {}
        for each in fields(cls):
            text = environ.get(each.name.upper(), "").strip()
            if not text:
                if each.default is MISSING:
                    raise BadSetting(f"{each.name.upper()} is not set; deploy/env.example explains it.")
            elif each.type is not int:
                values[each.name] = text
            elif re.fullmatch("[0-9]{1,9}", text):
                values[each.name] = int(text)
            else:
                raise BadSetting(f"{each.name.upper()} must be a whole number, not {text!r}.")
        return cls(**values)

    @property
    def broker_url(self) -> str:
        """The Redis server as Celery names it."""
        url = urlsplit(self.redis_url)
        if url.scheme != "unix":
            return self.redis_url
        return f"redis+socket://{url.path}?virtual_host={parse_qs(url.query).get('db', ['0'])[0]}"
