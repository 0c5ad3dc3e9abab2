#!/bin/sh
# Rights of users on Kafka: docs/servers.md, "Users of few rights". The users are made as the cluster makes its own. May be run
# again.
#   KAFKA_ACLS='kafka-acls.sh --bootstrap-server HOST:9092 --command-config admin.properties' deploy/rights/kafka.sh
# PREFIX is the topic_prefix of EVENT_LOG_URL.
set -eu
own=${PREFIX:-}tidemark

# allow USER PATTERN RESOURCES OPERATION…
allow() {
  user=$1 pattern=$2 resources=$3
  shift 3
  for operation; do
    set -- "$@" --operation "$operation"
    shift
  done
  # The program and the resources are several words each.
  # shellcheck disable=SC2086
  $KAFKA_ACLS --add --allow-principal "User:$user" --resource-pattern-type "$pattern" $resources "$@"
}

topics() {
  for name; do printf ' --topic %s.%s' "$own" "$name"; done
}

messages=$(topics identify track session import-identify import-track)

# `tidemark migrate`, and an `ingest` with ADMIN=on: also copies topics, cuts the log, and measures it. As the role `all` it
# reads by the readers' groups.
allow tidemark_admin prefixed "--topic $own." Create Describe DescribeConfigs AlterConfigs Read Write Delete
allow tidemark_admin literal --cluster Describe
allow tidemark_admin prefixed "--group $own-" Read

# Every process looks at the settings of the topics.
for user in tidemark_ingest tidemark_projector tidemark_sink; do
  allow "$user" prefixed "--topic $own." Describe DescribeConfigs
done

# An `ingest` with ADMIN=off.
allow tidemark_ingest literal "$messages" Read Write
allow tidemark_ingest literal "$(topics project)" Read
# Of webhooks it sends what is asked for, as a test.
allow tidemark_ingest literal "$(topics audience-change)" Write

# Readers: the whole log, by a group. What they cannot store becomes a dead letter.
for reader in projector sink; do
  allow "tidemark_$reader" prefixed "--topic $own." Read
  allow "tidemark_$reader" literal "$(topics dead-letter)" Write
  allow "tidemark_$reader" prefixed "--group $own-$reader" Read
done
allow tidemark_projector literal "$(topics project)" Write
allow tidemark_sink literal "$(topics audience-change)" Write

# A schema registry that keeps its schemas in topics of its own (Apicurio): REGISTRY is its user.
if [ -n "${REGISTRY:-}" ]; then
  allow "$REGISTRY" prefixed '--topic kafkasql-' Create Describe DescribeConfigs Read Write
  allow "$REGISTRY" literal '--topic registry-events' Create Describe Write
  allow "$REGISTRY" prefixed '--group apicurio-' Read
fi
