"""The rows of logs as Arrow record batches."""

import json
import warnings

import pyarrow
import pytest

import aside

USAGE = {"input_tokens": 3, "cache_creation_input_tokens": 9000, "output_tokens": 5}
#: The keys of a row, in their order: see docs/report.md.
KEYS = (
    "time at agent project session subagent id line model status error read write_5m write_1h"
    " write_other uncached output is_predicted cost prices_as_of cause lost_tokens lost_cost path byte"
    " unknown_write"
).split()


def write_log(path, requests):
    lines = [
        {"type": "assistant", "sessionId": path.stem, "timestamp": f"2026-11-{1 + n // 1440:02}T{n // 60 % 24:02}:{n % 60:02}:00Z",
         "message": {"id": f"{path.stem}-{n}", "model": "claude-haiku-4-5", "usage": USAGE}}
        for n in range(requests)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def read(paths, **options):
    return pyarrow.RecordBatchReader.from_stream(aside.rows(paths, **options)).read_all()


def test_rows_are_those_of_the_log(tmp_path):
    write_log(tmp_path / "a.jsonl", 2)
    write_log(tmp_path / "b.jsonl", 1)
    (tmp_path / "damaged.jsonl").write_text('{"type":')
    with pytest.warns(UserWarning, match=r"damaged\.jsonl: line 1: "):
        table = read(tmp_path)
    assert table.column_names == KEYS
    rows = sorted(table.to_pylist(), key=lambda row: row["id"])
    assert [row["id"] for row in rows] == ["a-0", "a-1", "b-0"]
    assert (rows[0]["cause"], rows[1]["cause"]) == ("cold start", "unknown: the log has no bodies")
    assert rows[1]["time"].isoformat() == "2026-11-01T00:01:00+00:00"
    assert rows[1]["write_other"] + rows[1]["write_5m"] == 9000
    assert rows[1]["lost_cost"] > 0 and rows[1]["path"] is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read([tmp_path / "a.jsonl"], format="transcript").num_rows == 2
        with pytest.raises(Exception, match="damaged"):
            read(tmp_path)


def test_large_logs_come_in_batches(tmp_path):
    write_log(tmp_path / "a.jsonl", 20_000)
    batches = list(pyarrow.RecordBatchReader.from_stream(aside.rows(tmp_path)))
    assert [batch.num_rows for batch in batches] == [8192, 8192, 3616]


def test_every_reader_begins_at_the_first_row_and_a_missing_log_is_an_error(tmp_path):
    write_log(tmp_path / "a.jsonl", 1)
    rows = aside.rows(tmp_path)
    # As DuckDB does, which reads the schema of one stream and the rows of the next.
    assert pyarrow.RecordBatchReader.from_stream(rows).schema.names == KEYS
    for _ in range(2):
        assert pyarrow.RecordBatchReader.from_stream(rows).read_all().num_rows == 1
    assert read(bytes(tmp_path)).num_rows == 1
    missing = tmp_path / "missing.jsonl"
    for paths in (missing, [tmp_path, bytes(missing)]):
        with pytest.raises(aside.AsideError, match="missing.jsonl") as raised:
            aside.rows(paths)
        assert (raised.value.kind, raised.value.path) == ("local", str(missing))
    with pytest.raises(aside.AsideError) as raised:
        aside.rows(tmp_path, format="soap")
    assert raised.value.kind == "option"
