"""nugget run: the parent of all processes.

It starts PostgreSQL, Redis, the worker and the web server, in this order, starts again whichever of them dies, and
stops them in the opposite order. When it is killed, the kernel ends them (deploy/servers.py).
"""

import argparse
import errno
import http.client
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path

from deploy import demo, organise, servers
from deploy.servers import CannotStart, Child
from leaderboard import contests
from leaderboard.backup import BadBackup, NotEmpty, backup, restore
from leaderboard.db import Unavailable, connect
from leaderboard.migrate import Changed, check, migrate
from leaderboard.rebuild import rebuild
from leaderboard.settings import BadSetting, Settings

KEYS = ("secret-key", "signing-key")
"""Files of the data folder, each named like its setting."""
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def web_command(settings: Settings) -> list[str]:
    """The web server, as it is started."""
    return [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "api.wsgi:app"),
        *("--host", settings.web_host, "--port", str(settings.web_port)),
        *("--workers", str(settings.web_processes), "--blocking-threads", str(settings.web_threads)),
        *("--backpressure", "1024"),  # more than the connections that browsers hold open
        *("--workers-kill-timeout", "10", "--respawn-failed-workers"),
        *("--http", "1", "--no-ws", "--log-level", settings.log_level),
    ]


def worker_command(settings: Settings) -> list[str]:
    """The worker, as it is started."""
    quiet = ("-W", "ignore::RuntimeWarning:celery.platforms")  # it may run as root: it takes no pickled messages
    return [
        *(sys.executable, *quiet, "-m", "celery", "-A", "worker.app", "worker"),
        *("--pool", "prefork", "--concurrency", str(settings.worker_processes)),
        *("--without-gossip", "--without-mingle", "--loglevel", settings.log_level),
    ]


def environment(data: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment completed for the processes of that data folder: its own servers and key where none are given."""
    found = {"DATABASE_URL": servers.database_url(data), "REDIS_URL": servers.redis_url(data)}
    for name in KEYS:
        if (key := data / name).exists():
            found[name.upper().replace("-", "_")] = key.read_text().strip()
    return {**environ, **{name: value for name, value in found.items() if not environ.get(name)}}


def run(data: Path, host: str | None, port: int | None, with_demo: bool) -> None:
    """Everything in one, until SIGINT, SIGTERM or SIGHUP. Raises CannotStart."""
    for number in ENDS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # as nohup asks
            signal.signal(number, signal.default_int_handler)
    given = dict(os.environ)
    given |= {name: str(value) for name, value in (("WEB_HOST", host), ("WEB_PORT", port)) if value is not None}
    try:
        with ExitStack() as stack:
            stack.enter_context(servers.locked(data))
            make_keys(data)
            settings = Settings.from_environment(environment(data, given))
            given["WEB_PORT"] = str(free_port(settings.web_host, settings.web_port))
            try:
                start(data, given, with_demo, stack)
            finally:  # one Ctrl-C is enough: from here on nothing interrupts the orderly end, of some seconds at most
                for number in ENDS:
                    signal.signal(number, signal.SIG_IGN)
    except KeyboardInterrupt:
        print("Stopped; everything is kept.", flush=True)
    except BadSetting as error:
        raise CannotStart(str(error)) from None


def start(data: Path, given: Mapping[str, str], with_demo: bool, stack: ExitStack) -> None:
    """Start the children one by one, each with its end on the stack, and watch them."""
    children: list[Child] = []

    def begin(child: Child) -> None:
        children.append(child)
        stack.callback(child.stop)
        child.start_and_wait()

    print("Starting ...", flush=True)
    if not given.get("DATABASE_URL"):
        begin(servers.postgres(data))
    if not given.get("REDIS_URL"):
        begin(servers.redis(data))
    environ = environment(data, given)
    settings = Settings.from_environment(environ)
    try:
        migrate(settings.database_url)
        if with_demo:
            demo.fill(settings.database_url)
    except (Unavailable, Changed) as error:
        raise CannotStart(f"The database cannot be made ready: {error}") from None
    here = Path(__file__).parents[1]  # where the packages are, installed or not
    begin(
        Child("Worker", worker_command(settings), servers.log_file(data, "worker"), environ, lambda _: True, cwd=here)
    )
    begin(Child("Web", web_command(settings), servers.log_file(data, "web"), environ, answers(settings), cwd=here))
    if with_demo:
        stack.enter_context(demo.answering(settings.database_url))
    print(greeting(settings, data), flush=True)
    watch(children)


def watch(children: list[Child]) -> None:
    """Start again whichever child dies: at once, then after 1, 2, 4 ... 30 seconds while it keeps dying."""
    due = dict.fromkeys((child.name for child in children), 0.0)
    waits = dict.fromkeys(due, 0.0)
    while True:
        for child in children:
            now = time.monotonic()
            if child.running():
                if now > due[child.name] + 60:
                    waits[child.name] = 0
            elif now >= due[child.name]:
                print(f"{child.name} has ended and is started again; see {child.log}.", file=sys.stderr, flush=True)
                child.start()
                waits[child.name] = min(30, waits[child.name] * 2 or 1)
                due[child.name] = now + waits[child.name]
        time.sleep(0.1)


def make_keys(data: Path) -> None:
    """The keys that sign cookies and receipts, made once; only their owner can read them."""
    for name in KEYS:
        key, new = data / name, data / f"{name}.new"
        if not key.exists():
            new.unlink(missing_ok=True)
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_hex(32))
            new.rename(key)


def free_port(host: str, port: int) -> int:
    """The port, if nobody listens on it; for port 0 one that is free. Raises CannotStart."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return int(probe.getsockname()[1])
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CannotStart(f"Port {port} of {host} is taken. Choose another by --port.") from None
        raise CannotStart(f"Cannot listen on port {port} of {host}: {error}.") from None


def reachable(settings: Settings) -> tuple[str, int]:
    """Where a client on this machine finds the web server."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.web_host, settings.web_host)  # noqa: S104
    return host, settings.web_port


def answers(settings: Settings) -> Callable[[int], bool]:
    """Whether the web server is alive, as a question."""

    def ask(_pid: int) -> bool:
        client = http.client.HTTPConnection(*reachable(settings), timeout=5)
        try:
            client.request("GET", "/healthz")
            return client.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            client.close()

    return ask


def greeting(settings: Settings, data: Path) -> str:
    """The address, and four lines to try."""
    host, port = reachable(settings)
    url = settings.public_url or f"http://{f'[{host}]' if ':' in host else host}:{port}"
    api, slug = f"{url}/api/v1", demo.SLUG
    register = f"""{api}/contestants -H 'Content-Type: application/json' -d '{{"name": "Visitor '$RANDOM'"}}'"""
    mine = '-H "Authorization: Bearer $TOKEN"'
    upload = f"{api}/contests/{slug}/submissions {mine} -H 'Prefer: wait=5' --data-binary @{example()}"
    return f"""
Golden Nugget is running: {url}   (Ctrl-C stops it)
Its data and logs are in {data}.

Register, upload a record, read its verdict, read the standings:
  TOKEN=$(curl -s {register} | grep -o '"token": *"[^"]*"' | cut -d '"' -f 4)
  ID=$(curl -s {upload} | grep -o '"id": *"[^"]*"' | head -n 1 | cut -d '"' -f 4)
  curl -s {api}/submissions/$ID {mine}
  curl -s {api}/contests/{slug}/standings
"""


def example() -> Path:
    """An accepted record that came with the package."""
    with as_file(files("api").joinpath("examples", "jc-golden-nugget.txt")) as path:
        return path


def main(options: argparse.Namespace) -> int:
    """The commands run, web, worker, db and those of organise.py, as deploy/cli.py reads them."""
    data = (options.data or servers.default_data()).absolute()
    try:
        match options.command:
            case "run":
                run(data, options.host, options.port, options.demo)
            case "db":
                return database(options.action, Settings.from_environment(environment(data, os.environ)))
            case "backup" | "restore":
                with servers.database(data, os.environ.get("DATABASE_URL")) as database_url:
                    copied(options.command, options.file.absolute(), database_url)
            case "contest" | "submission" | "contestant" | "reverify":
                return organise.main(options, Settings.from_environment(environment(data, os.environ)).database_url)
            case command:
                environ = environment(data, os.environ)
                settings = Settings.from_environment(environ)
                argv = web_command(settings) if command == "web" else worker_command(settings)
                os.execve(argv[0], argv, environ)  # noqa: S606 - becomes that program
    except (CannotStart, BadSetting, Unavailable, Changed, BadBackup, NotEmpty, OSError) as error:
        print(f"nugget {options.command}: {error}", file=sys.stderr)
        return 2
    return 0


def copied(command: str, file: Path, database_url: str) -> None:
    """nugget backup and nugget restore."""
    if command == "backup":
        counts = backup(database_url, file)
        print(f"Backed up {sum(counts.values())} rows of {len(counts)} tables to {file}.")
        print(
            "The keys are not in it: keep secret-key and signing-key of the data folder, or SECRET_KEY and SIGNING_KEY."
        )
    else:
        counts = restore(database_url, file)
        print(
            f"Restored {sum(counts.values())} rows of {len(counts)} tables. nugget db rebuild compares the standings."
        )


def database(action: str, settings: Settings) -> int:
    """nugget db: 1 if check finds a migration missing."""
    match action:
        case "migrate":
            names = migrate(settings.database_url)
            print("\n".join(names) or "Nothing to do: the database is up to date.")
        case "check":
            missing = check(settings.database_url)
            print("\n".join(f"missing: {name}" for name in missing) or "The database is up to date.")
            return 1 if missing else 0
        case "rebuild":
            with connect(settings.database_url) as conn:
                slugs = [contest.slug for contest in contests.listed(conn)]
            for slug in slugs:
                with connect(settings.database_url) as conn:
                    contest = contests.get(conn, slug)
                    assert contest
                    done = rebuild(conn, contest)
                print(f"{slug}: {done.results} results, {done.bests} standings, {done.differed} of them differed")
    return 0
