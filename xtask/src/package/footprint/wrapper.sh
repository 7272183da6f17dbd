#!/bin/sh
"$@"
code=$?
if [ -n "${CARGO_PKG_NAME:-}" ]; then
  times > "$ASIDE_TIMES/$CARGO_PKG_NAME v$CARGO_PKG_VERSION $$"
fi
exit $code
