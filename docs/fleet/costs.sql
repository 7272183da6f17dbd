-- The cost and the lost money by model and cause, from the rows of `aside report --rows`.
WITH requests AS (
    SELECT *
    FROM read_json('rows/*.jsonl', format = 'newline_delimited', filename = true,
        columns = {agent: 'VARCHAR', id: 'VARCHAR', line: 'BIGINT',
                   model: 'VARCHAR', cause: 'VARCHAR', cost: 'DOUBLE', lost_cost: 'DOUBLE'})
    QUALIFY id IS NULL OR row_number() OVER (PARTITION BY agent, id ORDER BY line) = 1
)
SELECT model, cause, count(*) AS requests, sum(cost) AS cost, sum(lost_cost) AS lost
FROM requests
GROUP BY ALL
ORDER BY cost DESC;
