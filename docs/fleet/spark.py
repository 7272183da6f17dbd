"""The cost and the lost money by model and cause, of the logs in a directory.

spark-submit spark.py DIRECTORY
"""

import json
import pathlib
import subprocess
import sys

from pyspark.sql import SparkSession

SCHEMA = "agent string, id string, model string, cause string, cost double, lost_cost double"
KEYS = ["agent", "id", "model", "cause", "cost", "lost_cost"]


def rows(paths):
    """Reads the logs of a partition with one process."""
    paths = list(paths)
    if paths:
        command = ["aside", "report", "--rows", "--format", "transcript", *paths]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        for line in output.splitlines():
            row = json.loads(line)
            yield tuple(row[key] for key in KEYS)


def totals(spark, paths, partitions):
    logs = spark.sparkContext.parallelize(sorted(paths), partitions).mapPartitions(rows)
    spark.createDataFrame(logs, SCHEMA).dropDuplicates(["agent", "id"]).createOrReplaceTempView("requests")
    return spark.sql(
        "SELECT model, cause, count(*) AS requests, sum(cost) AS cost, sum(lost_cost) AS lost"
        " FROM requests GROUP BY model, cause ORDER BY cost DESC"
    )


if __name__ == "__main__":
    found = [str(path) for path in pathlib.Path(sys.argv[1]).rglob("*.jsonl")]
    totals(SparkSession.builder.getOrCreate(), found, max(1, len(found) // 50)).show(100, False)
