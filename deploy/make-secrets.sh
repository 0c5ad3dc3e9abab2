#!/bin/sh
# Makes the secrets of docker-compose.yml and deploy/three.yml, a file each, in the folder `secrets` beside docker-compose.yml:
#   deploy/make-secrets.sh
# Every user of deploy/rights gets a password in each store that it has rights in. What is there stays, so it may be run again:
# an update may bring more users. POSTGRES_PASSWORD, CLICKHOUSE_PASSWORD and INITIAL_…_KEY are taken over where they are set.
set -eu
cd "$(dirname "$0")/.."
# The folder is closed, and a container sees its own files alone: they are read there by the users of four images.
umask 022
mkdir -p secrets
chmod 700 secrets

new_secret() { head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }

# keep FILE TEXT: unless it is there.
keep() { [ -s "secrets/$1" ] || printf '%s\n' "$2" > "secrets/$1"; }

# The users that a file, or what it prints, names.
users_in() { grep -o 'tidemark_[a-z][a-z][a-z]*' | sort -u; }

# password_in FILE: that of the address in it.
password_in() { sed 's|^[^:]*://[^:]*:\([^@]*\)@.*$|\1|' "secrets/$1"; }

keep initial-write-key "${INITIAL_WRITE_KEY:-$(new_secret)}"
keep initial-read-key "${INITIAL_READ_KEY:-$(new_secret)}"
keep initial-admin-key "${INITIAL_ADMIN_KEY:-$(new_secret)}"

# Those who make the users; no process of ours has them.
keep postgres-password "${POSTGRES_PASSWORD:-$(new_secret)}"
keep clickhouse-password "${CLICKHOUSE_PASSWORD:-$(new_secret)}"
login='org.apache.kafka.common.security.plain.PlainLoginModule required'
keep kafka-superuser.properties "security.protocol=SASL_PLAINTEXT
sasl.mechanism=PLAIN
sasl.jaas.config=$login username=\"superuser\" password=\"$(new_secret)\";"

for user in $(users_in < deploy/rights/postgres.sql); do
  file=profiles-url-${user#tidemark_}
  keep "$file" "postgres://$user:$(new_secret)@postgres:5432/tidemark"
  echo "alter role $user password '$(password_in "$file")';"
done > secrets/postgres-users.sql

for user in $(users_in < deploy/rights/clickhouse.sql); do
  file=analytics-url-${user#tidemark_}
  keep "$file" "http://$user:$(new_secret)@clickhouse:8123/tidemark?compression=none"
  echo "ALTER USER $user IDENTIFIED BY '$(password_in "$file")' HOST ANY;"
done > secrets/clickhouse-users.sql

# A registry has one too, for the topics that it keeps its schemas in.
keep kafka-registry.jaas "KafkaClient {
  $login username=\"registry\" password=\"$(new_secret)\";
};"
{
  echo "KafkaServer { $login"
  sed -n 's/.*username="\(.*\)" password="\(.*\)";/  user_\1="\2"/p' \
    secrets/kafka-superuser.properties secrets/kafka-registry.jaas
  for user in $(KAFKA_ACLS=echo sh deploy/rights/kafka.sh | users_in); do
    file=event-log-url-${user#tidemark_}
    keep "$file" "kafka://$user:$(new_secret)@kafka:9092"
    echo "  user_$user=\"$(password_in "$file")\""
  done
  echo '; };'
} > secrets/kafka-users.jaas
