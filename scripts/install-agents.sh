#!/usr/bin/env bash
# Installs the agents that tests drive with a model of their own: Claude Code, Codex, Gemini CLI,
# OpenCode and Cline, 1.6 GB, into the folder that test/agents/agent.ts looks into. Never fails: where one cannot be
# installed, its tests say that they are skipped.
set -uo pipefail
folder="${TIDEMARK_TEST_AGENTS:-$HOME/.cache/tidemark-test-agents}"
mkdir -p "$folder" || exit 0
for each in @anthropic-ai/claude-code@2.1.197 @openai/codex@0.169.0 @google/gemini-cli@0.61.0 opencode-ai@1.18.33 cline@3.0.65; do
  name="$(basename "${each%@*}")"
  at="$folder/${name%-ai}"
  [ -d "$at/node_modules/.bin" ] && continue
  npm install --prefix "$at" --no-audit --no-fund --no-save --ignore-scripts --fetch-retries=1 \
    --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000 "$each" \
    >/dev/null 2>&1 </dev/null || { rm -rf "$at"; echo "not installed: $each" >&2; }
done
# Their programs are put in place by scripts of the packages'.
opencode="$folder/opencode/node_modules/opencode-ai/postinstall.mjs"
[ -f "$opencode" ] && (cd "$(dirname "$opencode")" && node postinstall.mjs) >/dev/null 2>&1 </dev/null
claude="$folder/claude-code/node_modules/@anthropic-ai/claude-code/install.cjs"
[ -f "$claude" ] && node "$claude" >/dev/null 2>&1 </dev/null
exit 0
