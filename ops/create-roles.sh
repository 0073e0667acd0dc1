#!/bin/bash
# Creates the logins and the database of the service, and the login of the replica, at the first start of PostgreSQL.
set -euo pipefail
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" \
  --set=owner="$METRICS_OWNER_PASSWORD" --set=reader="$METRICS_READER_PASSWORD" \
  --set=replica="$METRICS_REPLICA_PASSWORD" <<'SQL'
CREATE ROLE metrics LOGIN PASSWORD :'owner';
CREATE ROLE metrics_reader LOGIN PASSWORD :'reader';
CREATE ROLE metrics_replica LOGIN REPLICATION PASSWORD :'replica';
CREATE DATABASE metrics OWNER metrics ENCODING UTF8 TEMPLATE template0;
SQL
echo 'host replication metrics_replica all scram-sha-256' >> "$PGDATA/pg_hba.conf"
