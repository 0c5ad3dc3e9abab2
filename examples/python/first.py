"""Sends an identify and a track, and reads the user back. See ../README.md."""

import json
import os
import urllib.request

URL = os.environ.get("TIDEMARK_URL", "http://127.0.0.1:8080")
WRITE_KEY = os.environ["WRITE_KEY"]
READ_KEY = os.environ["READ_KEY"]


def post(path, message):
    headers = {"x-api-key": WRITE_KEY, "Content-Type": "application/json"}
    request = urllib.request.Request(URL + path, json.dumps(message).encode(), headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def read(path):
    request = urllib.request.Request(URL + path, headers={"x-api-key": READ_KEY})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


identified = post("/v1/identify", {"user_id": "ada", "traits": {"plan": "pro", "language": "python"}})
tracked = post("/v1/track", {"user_id": "ada", "event": "Signed Up", "properties": {"source": "python"}})

# Until then the messages are safe, but not in any answer.
for answer in (identified, tracked):
    seen = False
    while not seen:
        progress = read(f"/v1/receipts/{answer['receipt']}?wait=10")
        seen = progress["projected"] and progress["queryable"]

print(json.dumps(read("/v1/users/ada")))
print(json.dumps(read("/v1/users/ada/events?limit=10")))
