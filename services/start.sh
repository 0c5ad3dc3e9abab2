#!/bin/sh
# Starts the service: sh services/start.sh [ROLE]. What `npm start` and the images run.
here=$(dirname "$0")
exec sh "$here/node.sh" "${1:-all}" "$here/main.js" "$@"
