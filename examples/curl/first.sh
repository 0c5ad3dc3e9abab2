#!/bin/sh
# Sends an identify and a track, and reads the user back. See ../README.md.
set -eu
url=${TIDEMARK_URL:-http://127.0.0.1:8080}

# Prints the receipt of the answer.
post() {
  curl -sS --fail-with-body "$url$1" -H "api_key: $WRITE_KEY" -H 'Content-Type: application/json' -d "$2" |
    sed 's/.*"receipt": *"\([^"]*\)".*/\1/'
}

read_back() {
  curl -sS --fail-with-body "$url$1" -H "api_key: $READ_KEY"
}

identified=$(post /v1/identify '{"user_id": "ada", "traits": {"plan": "pro", "language": "curl"}}')
tracked=$(post /v1/track '{"user_id": "ada", "event": "Signed Up", "properties": {"source": "curl"}}')

# Until then the messages are safe, but not in any answer.
for receipt in "$identified" "$tracked"; do
  until read_back "/v1/receipts/$receipt?wait=10" | grep -q '"projected": *true, *"queryable": *true'; do :; done
done

read_back /v1/users/ada
echo
read_back '/v1/users/ada/events?limit=10'
echo
