#!/bin/sh
# Takes images out of the files that save-images.sh made: sh load-images.sh FOLDER. Prints what .env must say, so that compose
# asks for them by name: Docker does not know the digest of what it was not given by a registry.
set -eu

[ $# -eq 1 ] || { echo "usage: sh load-images.sh FOLDER" >&2; exit 2; }
cd "$1"
# Before anything is loaded: all files are as they were saved.
sha256sum --check --quiet SHA256SUMS >&2

for file in ./*.tar.gz; do
  docker load --input "$file" >&2
done

while read -r image variable; do
  # Ours as built here has the name that the compose files ask for; on Node ours are built, and it is not started.
  case $variable:$image in *:tidemark:* | NODE_IMAGE:*) continue ;; esac
  echo "$variable=$image"
done < images.txt
