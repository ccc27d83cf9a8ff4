#!/usr/bin/env bash
# Installs what stands beside our programs in tests: PgBouncer, nginx, Caddy and HAProxy before the
# server, a browser before the pages, shells and groff beside the command line. Never fails: where one
# cannot be installed, its tests say that they are skipped.
set -uo pipefail
PATH="$PATH:/usr/sbin:/sbin"
missing=()
command -v pgbouncer >/dev/null || missing+=(pgbouncer)
command -v nginx >/dev/null || missing+=(nginx-light)
command -v caddy >/dev/null || missing+=(caddy)
command -v haproxy >/dev/null || missing+=(haproxy)
command -v chromium >/dev/null || missing+=(chromium)
command -v zsh >/dev/null || missing+=(zsh)
command -v fish >/dev/null || missing+=(fish)
command -v groff >/dev/null || missing+=(groff)
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "not installed: ${missing[*]}; that takes root and apt-get" >&2
  exit 0
fi
# A package that starts its service at once would take ports of this machine.
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
apt-get update -qq >/dev/null 2>&1
# All at once is quicker; where one of them hinders the others, they come one by one.
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null 2>&1 && exit 0
for each in "${missing[@]}"; do
  apt-get install -y -qq --no-install-recommends "$each" >/dev/null 2>&1 ||
    echo "not installed: $each; apt-get could not" >&2
done
exit 0
