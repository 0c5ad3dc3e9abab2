#!/bin/sh
# Puts images into files, for a network that has no registry: sh deploy/save-images.sh FOLDER [IMAGE …]. An IMAGE is a name of
# deploy/images.txt, with or without its tag; without any it is all of them. Ours must be there: built, or pulled and tagged.
# For machines of another kind than this one set DOCKER_DEFAULT_PLATFORM (linux/arm64).
set -eu

[ $# -ge 1 ] || { echo "usage: sh deploy/save-images.sh FOLDER [IMAGE …]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ -z "$(ls -A "$folder")" ] || { echo "$folder is not empty" >&2; exit 1; }
shift

# is_wanted TAGGED [IMAGE …]
is_wanted() {
  [ $# -gt 1 ] || return 0
  tagged=$1
  shift
  for wanted; do
    [ "$tagged" != "$wanted" ] && [ "${tagged%:*}" != "$wanted" ] || return 0
  done
  return 1
}

saved=0
while read -r image variable; do
  case $image in '#'* | '') continue ;; esac
  # By name and tag: a digest is not kept in a file, and without a name nothing would be left to ask for.
  tagged=${image%@*}
  is_wanted "$tagged" "$@" || continue
  case $image in
    *@*)
      docker pull "${tagged%:*}@${image#*@}"
      docker tag "${tagged%:*}@${image#*@}" "$tagged"
      ;;
    # Ours, and one whose digest is not known.
    *) docker image inspect "$tagged" > /dev/null 2>&1 || docker pull "$tagged" ;;
  esac
  file=$(echo "$tagged" | tr '/:' '__').tar
  docker save --output "$folder/$file" "$tagged"
  gzip --force "$folder/$file"
  echo "$tagged $variable" >> "$folder/images.txt"
  saved=$((saved + 1))
done < "$here/images.txt"

[ "$saved" -gt 0 ] || { echo "deploy/images.txt has no such image: $*" >&2; exit 1; }
cp "$here/load-images.sh" "$folder/"
(cd "$folder" && sha256sum ./*.tar.gz images.txt load-images.sh > SHA256SUMS)
echo "$saved images are in $folder"
