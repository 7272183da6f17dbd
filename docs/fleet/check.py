"""Compares the totals of xargs, DuckDB and Spark with those of one process, on 200 logs.

Needs `aside` on the PATH. DuckDB and Spark are skipped with a message if Python has no
`duckdb` or no `pyspark`, `pyarrow` and `aside`, or if there is no Java.
"""

import importlib.util
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def write_logs(directory, count=200):
    numbers = random.Random(7)
    for index in range(count):
        lines, read = [], 0
        for turn in range(numbers.randrange(3, 12)):
            written = numbers.randrange(300, 9000)
            at = f"2026-11-{1 + index % 28:02}T10:{turn * 4 % 60:02}:{numbers.randrange(60):02}Z"
            usage = {"input_tokens": 3, "cache_read_input_tokens": read,
                     "cache_creation_input_tokens": written, "output_tokens": 50}
            model = numbers.choice(["claude-opus-5-5", "claude-haiku-4-5"])
            lines.append({"type": "assistant", "sessionId": f"s{index}", "timestamp": at,
                          "message": {"id": f"m{index}-{turn}", "model": model, "usage": usage}})
            read = numbers.choice([read + written, read + written, 0])
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (directory / f"s{index}.jsonl").write_text(text)


def summed(rows):
    """Returns {(model, cause): (requests, cost, lost)} in billionths of a dollar."""
    sums = {}
    for model, cause, requests, cost, lost in rows:
        before = sums.get((model, cause), (0, 0, 0))
        new = (requests, round(cost * 1e9), round((lost or 0) * 1e9))
        sums[model, cause] = tuple(a + b for a, b in zip(before, new))
    return sums


def read_rows(text):
    found = map(json.loads, text.splitlines())
    return summed((it["model"], it["cause"], 1, it["cost"], it["lost_cost"]) for it in found)


def has(*modules):
    return all(importlib.util.find_spec(name) for name in modules)


def compare(name, found, expected):
    # Sums of floats differ by less than a millionth of a dollar.
    close = found.keys() == expected.keys() and all(
        found[key][0] == expected[key][0]
        and all(abs(a - b) < 1000 for a, b in zip(found[key][1:], expected[key][1:]))
        for key in expected
    )
    if not close:
        sys.exit(f"{name}: {found}\nexpected: {expected}")
    print(f"{name}: equal in {len(expected)} groups")


def main():
    root = pathlib.Path(tempfile.mkdtemp())
    logs, out = root / "logs", root / "rows"
    logs.mkdir()
    out.mkdir()
    write_logs(logs)
    single = ["aside", "report", "--rows", str(logs)]
    expected = read_rows(subprocess.run(single, check=True, stdout=subprocess.PIPE, text=True).stdout)
    script = 'aside report --rows "$@" > rows/$$.jsonl'
    command = f"find logs -name '*.jsonl' -print0 | xargs -0 -P 2 -n 50 sh -c '{script}' sh"
    subprocess.run(["sh", "-c", command], check=True, cwd=root)
    compare("xargs", read_rows("".join(it.read_text() for it in out.iterdir())), expected)

    if has("duckdb"):
        import duckdb
        os.chdir(root)
        compare("DuckDB", summed(duckdb.sql((HERE / "costs.sql").read_text()).fetchall()), expected)
    else:
        print("DuckDB: skipped, Python has no duckdb")
    if has("duckdb", "pyarrow", "aside"):
        import aside
        import pyarrow
        requests = pyarrow.RecordBatchReader.from_stream(aside.rows([str(logs)]))
        query = "SELECT model, cause, count(*), sum(cost), sum(lost_cost) FROM requests GROUP BY ALL"
        compare("DuckDB over Arrow", summed(duckdb.sql(query).fetchall()), expected)

    if has("pyspark", "pyarrow", "aside") and shutil.which("java"):
        from pyspark.sql import SparkSession
        sys.path.insert(0, str(HERE))
        import spark as example
        builder = SparkSession.builder.master("local-cluster[2,1,1024]")
        path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
        builder = builder.config("spark.executorEnv.PYTHONPATH", path)
        builder = builder.config("spark.executorEnv.PATH", os.environ["PATH"])
        builder = builder.config("spark.ui.enabled", "false").config("spark.executor.memory", "512m")
        spark = builder.getOrCreate()
        paths = [str(path) for path in logs.iterdir()]
        compare("Spark", summed(map(tuple, example.totals(spark, paths, 8).collect())), expected)
        spark.stop()
    else:
        print("Spark: skipped, needs pyspark, pyarrow, aside and Java")
    shutil.rmtree(root)


if __name__ == "__main__":
    main()
