#!/bin/sh
# Lints the chart, and renders it for each file of deploy/helm/values into deploy/helm/rendered. Needs helm 3.14 or newer; HELM
# names another one than that of PATH.
set -eu
cd "$(dirname "$0")/.."
helm=${HELM:-helm}
chart=deploy/helm/tidemark
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

"$helm" lint --strict "$chart"
# Labels have the version. With another one in its place, a new version alone needs no new rendering.
"$helm" package --version 0.0.0 --app-version 0.0.0 --destination "$made" "$chart"
for values in deploy/helm/values/*.yaml; do
  name=$(basename "$values")
  "$helm" lint --strict --values "$values" "$chart"
  {
    echo "# By tools/helm-render.sh from $values, sources sha256:$(node tools/helm-sources.ts "$values")"
    "$helm" template tidemark "$made/tidemark-0.0.0.tgz" --namespace tidemark --values "$values"
  } > "$made/$name"
  mkdir -p deploy/helm/rendered
  mv "$made/$name" "deploy/helm/rendered/$name"
done
