#!/bin/sh
# Puts in place what the browser tests need: chromium, two typefaces for the screenshots, and axe-core.
set -eu

here=$(dirname "$0")

if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null && [ -z "${CHROMIUM:-}" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-inter fonts-noto-core fonts-jetbrains-mono >/dev/null
    else
        echo "there is no chromium: install it, or name one with CHROMIUM=/path/to/chromium" >&2
        exit 1
    fi
fi

if [ ! -f "$here/artifacts/npm/node_modules/axe-core/axe.min.js" ]; then
    if ! command -v npm >/dev/null; then
        if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
            DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends npm >/dev/null
        else
            echo "there is no npm, which brings axe-core" >&2
            exit 1
        fi
    fi
    mkdir -p "$here/artifacts/npm"
    npm install --prefix "$here/artifacts/npm" --no-save --no-audit --no-fund --silent axe-core@4
fi
