#!/bin/sh
# A small MCP server for tests. $1 is a directory with its results, a line of
# JSON each: initialize, tools, more, resources, read, call. A missing
# file is a request that is never answered.
cd "$1" || exit 1
tools=tools
answer() {
    [ -f "$1" ] && printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$(cat "$1")"
}
while IFS= read -r line; do
    id=${line#*\"id\":}
    id=${id%%[,\}]*}
    case $line in
    *'"method":"initialize"'*) env >environment; answer initialize ;;
    *'"method":"tools/list"'*) answer "$tools" ;;
    *'"method":"resources/list"'*) answer resources ;;
    *'"method":"resources/read"'*) answer read ;;
    *'"method":"notifications/cancelled"'*) printf '%s\n' "$line" >cancelled ;;
    *'"name":"grow"'*)
        tools=more
        printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
        answer call
        ;;
    *'"name":"die"'*)
        printf 'starting\nfatal: \033[31mno disk\n' >&2
        exit 3
        ;;
    *'"method":"tools/call"'*)
        printf '%s\n' "$line" >>calls
        answer call
        ;;
    esac
done
