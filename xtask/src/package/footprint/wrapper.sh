#!/bin/sh
"$@"
code=$?
if [ $code = 0 ] && [ -n "${CARGO_PKG_NAME:-}" ]; then
  times > "$ASIDE_TIMES/$CARGO_PKG_NAME v$CARGO_PKG_VERSION $$"
fi
exit $code
