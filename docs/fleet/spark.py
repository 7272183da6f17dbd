"""The cost and the lost money by model and cause, of the logs in a directory.

spark-submit spark.py DIRECTORY

The executors need the Python packages `aside-py`, `pyarrow` and `pandas`, and access to the files.
"""

import pathlib
import sys

from pyspark.sql import SparkSession

SCHEMA = "agent string, id string, model string, cause string, cost double, lost_cost double"
COLUMNS = ["agent", "id", "model", "cause", "cost", "lost_cost"]


def rows(batches):
    """Reads the logs whose paths are in the batches, on an executor."""
    import aside
    import pyarrow

    for batch in batches:
        paths = batch.column("path").to_pylist()
        found = pyarrow.RecordBatchReader.from_stream(aside.rows(paths, format="transcript"))
        for read in found:
            yield read.select(COLUMNS)


def totals(spark, paths, partitions):
    logs = spark.createDataFrame([(path,) for path in sorted(paths)], "path string")
    requests = logs.repartition(partitions).mapInArrow(rows, SCHEMA)
    requests.dropDuplicates(["agent", "id"]).createOrReplaceTempView("requests")
    return spark.sql(
        "SELECT model, cause, count(*) AS requests, sum(cost) AS cost, sum(lost_cost) AS lost"
        " FROM requests GROUP BY model, cause ORDER BY cost DESC"
    )


if __name__ == "__main__":
    found = [str(path) for path in pathlib.Path(sys.argv[1]).rglob("*.jsonl")]
    totals(SparkSession.builder.getOrCreate(), found, max(1, len(found) // 50)).show(100, False)
