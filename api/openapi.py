"""The API's description (OpenAPI 3.1), and a page to read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from flask import Flask, Response, current_app, json, render_template
from flask_smorest import Api as SmorestApi
from flask_smorest import Blueprint as SmorestBlueprint
from webargs import core
from webargs.flaskparser import FlaskParser

from api import schemas
from api.problems import PROBLEMS, TYPE, Problem
from verifier import VERSION

EVERYWHERE = ("bad-request", "rate-limited", "internal-error", "unavailable")
"""Problems that any route may answer with."""
WITH_BODY = ("body-cut-short", "length-required", "too-large", "bad-encoding", "too-many-uploads")
"""Problems of any route that takes a body."""
WITH_TOKEN = ("unauthorized", "bad-token")

TOKEN: list[dict[str, list[str]]] = [{"token": []}, {"cookie": [], "csrf": []}]
READ_TOKEN: list[dict[str, list[str]]] = [{"token": []}, {"cookie": []}]
ANYBODY: list[dict[str, list[str]]] = [{}]


class Parser(FlaskParser):
    """Reads JSON whatever the media type says: curl's -d would call it a form."""

    def _raw_load_json(self, req: Any) -> Any:
        if not (body := req.get_data()).strip():
            raise Problem("bad-json", "The body is empty; a JSON object is expected.")
        try:
            return core.parse_json(body)
        except (ValueError, RecursionError):
            raise Problem("bad-json", "The body can't be read as JSON.") from None


class Blueprint(SmorestBlueprint):
    """Routes that say what they take, what they answer, and with which problems."""

    ARGUMENTS_PARSER = Parser()

    def problems(self, *codes: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Say which problems a route may answer with, besides those of every route."""
        return self.doc(problems=codes)


class Api(SmorestApi):
    """The API of the app; problems.py answers for its errors."""

    ERROR_SCHEMA = schemas.Problem
    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        pass


def init_app(app: Flask) -> Api:
    """The description, to which blueprints are then added; `finish` completes it."""
    app.config.update(API_TITLE="Golden Nugget", API_VERSION="1", OPENAPI_VERSION="3.1.0")
    api = Api(app)
    api.register_converter(
        app.url_map.converters["slug"], lambda _: {"type": "string", "pattern": SLUG, "maxLength": 60}
    )
    schemes = api.spec.components.security_scheme
    schemes("token", {"type": "http", "scheme": "bearer", "description": "From registering."})
    schemes(
        "cookie", {"type": "apiKey", "in": "cookie", "name": "nugget", "description": "Of a browser that signed in."}
    )
    schemes("csrf", {"type": "apiKey", "in": "header", "name": "X-CSRF-Token", "description": "With the cookie."})
    app.add_url_rule("/api/v1/openapi.json", "openapi.description", description)
    app.add_url_rule("/api/v1/docs", "openapi.docs", docs)
    return api


SLUG = "^[a-z0-9]+(-[a-z0-9]+)*$"


@cache
def _described(app: Flask) -> dict[str, Any]:
    (extension,) = app.extensions["flask-smorest"]["apis"].values()
    spec: dict[str, Any] = extension["ext_obj"].spec.to_dict()
    for operations in spec["paths"].values():
        for method, operation in operations.items():
            if isinstance(operation, dict):
                _complete(operation, with_body=method in ("post", "patch", "put"), changes=method != "get")
    spec["info"]["description"] = (
        "Hand in records of puzzles and games, get an exact verdict, and see the rank. A record that breaks the rules "
        f"is no error but a verdict; errors are `{TYPE}` with a stable `code`. The verifier's version is {VERSION}."
    )
    spec["servers"] = [{"url": app.config["PUBLIC_URL"] or "/"}]
    return spec


def _complete(operation: dict[str, Any], *, with_body: bool, changes: bool) -> None:
    """Add the problems that a route may answer with."""
    codes = {*EVERYWHERE, *operation.pop("problems", ()), *(WITH_BODY if with_body else ())}
    security = operation.setdefault("security", ANYBODY)
    if security != ANYBODY:
        codes |= {*WITH_TOKEN, *(("forbidden", "csrf") if changes else ())}
    if operation.get("parameters") or "422" in operation["responses"]:
        codes |= {"invalid"}
    operation["responses"].pop("422", None)
    for status in sorted({PROBLEMS[code][0] for code in codes}):
        here = sorted(code for code in codes if PROBLEMS[code][0] == status)
        operation["responses"][str(status)] = {
            "description": "; ".join(f"`{code}`: {PROBLEMS[code][1]}" for code in here),
            "content": {TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }


def description() -> Response:
    """The API as OpenAPI 3.1."""
    body = json.dumps(_described(current_app._get_current_object()), indent=1, ensure_ascii=False)  # type: ignore[attr-defined]
    return Response(body, content_type="application/json", headers={"Cache-Control": "no-cache"})


def docs() -> str:
    """The same to read: the routes, and every problem by its code."""
    spec = _described(current_app._get_current_object())  # type: ignore[attr-defined]
    routes = [
        (method.upper(), path, operation)
        for path, operations in spec["paths"].items()
        for method, operation in operations.items()
        if re.fullmatch("get|post|put|patch|delete", method)
    ]
    return render_template("docs.html", spec=spec, routes=routes, problems=PROBLEMS)
