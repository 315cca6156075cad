"""The least that an upload can be: a route that keeps the body by one INSERT. No account, no check, no queue."""

import ctypes
import os
import signal

import psycopg_pool
from flask import Flask, request

ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG, as api/wsgi.py

threads = int(os.environ["WEB_THREADS"])
app = Flask(__name__)
pool = psycopg_pool.ConnectionPool(os.environ["DATABASE_URL"], min_size=1, max_size=threads + 2, open=False)


@app.get("/healthz")
def healthz() -> str:
    """It is up."""
    pool.open()
    return "ok"


@app.post("/bare")
def keep() -> tuple[dict[str, str], int]:
    """Keep the body."""
    with pool.connection() as conn:
        row = conn.execute("INSERT INTO bare (record) VALUES (%s) RETURNING id", [request.get_data()]).fetchone()
    assert row
    return {"id": str(row[0])}, 202
