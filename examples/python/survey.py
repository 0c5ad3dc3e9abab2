"""Sends a survey to everybody who enters an audience, and to nobody twice: python3 survey.py AUDIENCE_ID [STATE]. See ../README.md."""

import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("TIDEMARK_URL", "http://127.0.0.1:8080")
READ_KEY = os.environ["READ_KEY"]
AUDIENCE = sys.argv[1]

# How far this program is, and who was sent a survey: both outlive it.
state = sqlite3.connect(sys.argv[2] if len(sys.argv) > 2 else "survey.db")
state.execute("create table if not exists sent (internal_id text primary key)")
state.execute("create table if not exists position (since text)")


def send_survey(change):
    """Put what sends your surveys here."""
    print("survey", change["user_id"], change["traits"]["email"], flush=True)


def changes_after(since):
    """Who entered and left since then, as soon as there is anybody, and the next `since`."""
    query = {"wait": 30, "traits": "email", **({"since": since} if since else {})}
    path = f"/v1/audiences/{AUDIENCE}/changes?{urllib.parse.urlencode(query)}"
    request = urllib.request.Request(URL + path, headers={"x-api-key": READ_KEY})
    with urllib.request.urlopen(request) as response:
        *changes, end = [json.loads(line) for line in response.read().splitlines()]
    return changes, end["through"]


def survey(change):
    if change["change"] != "entered":
        return
    # Noted first: if this program dies before the survey is sent, that is one survey less, and never one too many.
    with state:
        noted = state.execute("insert or ignore into sent values (?)", [change["internal_id"]]).rowcount
    if noted == 1:
        send_survey(change)


while True:
    since = state.execute("select max(since) from position").fetchone()[0]
    try:
        changes, through = changes_after(since)
    except (urllib.error.URLError, ConnectionError, KeyError, ValueError) as error:
        # A refusal stays one, but for these; anything else is an answer that was cut, or a service that starts.
        if isinstance(error, urllib.error.HTTPError) and error.code not in (429, 503):
            raise
        time.sleep(1)
        continue
    for change in changes:
        survey(change)
    with state:
        state.execute("delete from position")
        state.execute("insert into position values (?)", [through])
