# A statement a line, in one session.
CREATE TABLE t (id int4 PRIMARY KEY, g int2, i int8, f float8, n numeric(10,2), s text, b bool, d date, ts timestamp)
INSERT INTO t VALUES (1, 1, 10, 1.5, 1.50, 'apple', true, '2020-01-01', '2020-01-01 10:00')
INSERT INTO t VALUES (2, 1, -20, 'NaN', 2.25, 'Banana', false, '2020-02-01', '2020-02-01 11:30'), (3, 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
INSERT INTO t VALUES (4, 2, 9223372036854775807, 'Infinity', 'NaN', '', true, 'infinity', 'infinity'), (5, NULL, 9223372036854775807, '-Infinity', -3.10, 'cherry', false, '-infinity', '-infinity')
INSERT INTO t VALUES (6, 3, 0, 0, 0, 'apple', true, '0044-03-15 BC', '1999-12-31 23:59:59.999999'), (7, 3, 7, 1e-300, 99999999.99, 'ÄPFEL', NULL, '2020-01-01', '2020-01-01 10:00')
SELECT * FROM t ORDER BY id
SELECT id, s FROM t WHERE g = 1 ORDER BY id
SELECT id FROM t WHERE g IS NULL
SELECT id FROM t WHERE g <> 1 ORDER BY id
SELECT id FROM t WHERE NOT (g = 1) ORDER BY id
SELECT id FROM t WHERE g IN (1, 3) AND b ORDER BY id
SELECT id FROM t WHERE g NOT IN (1, NULL) ORDER BY id
SELECT id FROM t WHERE b IS NOT TRUE ORDER BY id
SELECT id FROM t WHERE s LIKE '%a%' ORDER BY id
SELECT id FROM t WHERE s ILIKE 'ä%' ORDER BY id
SELECT id FROM t WHERE d BETWEEN '2020-01-01' AND '2020-12-31' ORDER BY id
SELECT id FROM t WHERE f > 1 ORDER BY id
SELECT id FROM t WHERE f = 'NaN' ORDER BY id
SELECT id FROM t WHERE n > 5 ORDER BY id
SELECT id FROM t WHERE n = 'NaN'
SELECT id FROM t WHERE ts = '2020-01-01 10:00' ORDER BY id
SELECT id FROM t WHERE false
SELECT id FROM t WHERE NULL
SELECT id FROM t WHERE 1
SELECT id FROM t WHERE 'x'
SELECT id FROM t WHERE id
SELECT id FROM t ORDER BY f, id
SELECT id FROM t ORDER BY f DESC, id
SELECT id FROM t ORDER BY f NULLS FIRST, id
SELECT id FROM t ORDER BY f DESC NULLS LAST, id
SELECT id FROM t ORDER BY n, id
SELECT id FROM t ORDER BY n DESC NULLS LAST, id
SELECT id FROM t ORDER BY s, id
SELECT id FROM t ORDER BY s DESC, id DESC
SELECT id FROM t ORDER BY lower(s), id
SELECT id FROM t ORDER BY b, id
SELECT id FROM t ORDER BY d, id
SELECT id FROM t ORDER BY d DESC NULLS LAST, id
SELECT id FROM t ORDER BY ts, id
SELECT id, g FROM t ORDER BY 2, 1
SELECT id, g FROM t ORDER BY 3
SELECT id, g FROM t ORDER BY 0
SELECT id AS x FROM t ORDER BY x DESC
SELECT id AS x FROM t ORDER BY -x
SELECT id AS x, -id AS y FROM t ORDER BY y
SELECT id + 1 FROM t ORDER BY id + 1
SELECT id FROM t ORDER BY i * 0, id
SELECT id FROM t ORDER BY nosuch
SELECT id FROM t ORDER BY 'x'
SELECT id FROM t ORDER BY id LIMIT 2
SELECT id FROM t ORDER BY id LIMIT 2 OFFSET 3
SELECT id FROM t ORDER BY id OFFSET 5
SELECT id FROM t ORDER BY id LIMIT 0
SELECT id FROM t ORDER BY id LIMIT NULL
SELECT id FROM t ORDER BY id LIMIT ALL OFFSET 6
SELECT id FROM t ORDER BY id LIMIT -1
SELECT id FROM t ORDER BY id OFFSET -1
SELECT id FROM t ORDER BY id LIMIT 1 + 1
SELECT id FROM t ORDER BY id LIMIT 1.5
SELECT id FROM t ORDER BY id LIMIT 'x'
SELECT id FROM t ORDER BY id LIMIT '2'
SELECT id FROM t ORDER BY id FETCH FIRST 2 ROWS ONLY
SELECT id FROM t ORDER BY id LIMIT id
SELECT DISTINCT g FROM t ORDER BY g
SELECT DISTINCT g, b FROM t ORDER BY g, b
SELECT DISTINCT g FROM t ORDER BY id
SELECT DISTINCT n FROM t ORDER BY n
SELECT count(*) FROM t
SELECT count(g), count(s), count(f) FROM t
SELECT count(DISTINCT g), count(DISTINCT s), count(DISTINCT i) FROM t
SELECT sum(g), sum(id), avg(id), min(id), max(id) FROM t
SELECT sum(i) FROM t
SELECT avg(i) FROM t
SELECT sum(i) FROM t WHERE id < 4
SELECT sum(f), avg(f), min(f), max(f) FROM t
SELECT sum(f), avg(f) FROM t WHERE id IN (1, 6, 7)
SELECT sum(n), avg(n), min(n), max(n) FROM t
SELECT sum(n), avg(n) FROM t WHERE n <> 'NaN'
SELECT min(s), max(s) FROM t
SELECT min(d), max(d), min(ts), max(ts) FROM t
SELECT min(b) FROM t
SELECT sum(s) FROM t
SELECT sum(b) FROM t
SELECT avg(d) FROM t
SELECT sum(d) FROM t
SELECT bool_and(b), bool_or(b), every(b) FROM t
SELECT bool_and(id) FROM t
SELECT count(*), sum(id), min(id), avg(id), max(s), bool_and(b) FROM t WHERE false
SELECT count(*) FILTER (WHERE b), sum(id) FILTER (WHERE g = 1), avg(f) FILTER (WHERE false) FROM t
SELECT count(*) FILTER (WHERE g) FROM t
SELECT sum(DISTINCT g), avg(DISTINCT g), min(DISTINCT g) FROM t
SELECT count(DISTINCT g) FILTER (WHERE g > 1) FROM t
SELECT count(DISTINCT n), count(DISTINCT f), count(DISTINCT b), count(DISTINCT d) FROM t
SELECT sum(id + g) FROM t
SELECT sum(id) + count(*) FROM t
SELECT sum(id) / count(*) FROM t
SELECT 1 FROM t GROUP BY g ORDER BY g
SELECT g, count(*) FROM t GROUP BY g ORDER BY g
SELECT g, count(*) FROM t GROUP BY g ORDER BY count(*) DESC, g
SELECT g, count(*) AS c FROM t GROUP BY g ORDER BY c, g
SELECT g, sum(id), avg(id) FROM t GROUP BY g ORDER BY g NULLS FIRST
SELECT g, count(*) FROM t GROUP BY g HAVING count(*) > 1 ORDER BY g
SELECT g FROM t GROUP BY g HAVING g > 1 ORDER BY g
SELECT g FROM t GROUP BY g HAVING id > 1
SELECT count(*) FROM t HAVING count(*) > 100
SELECT count(*) FROM t HAVING count(*) > 1
SELECT 1 FROM t HAVING true
SELECT g, id FROM t GROUP BY g
SELECT g + 1, count(*) FROM t GROUP BY g + 1 ORDER BY 1
SELECT g + 1, count(*) FROM t GROUP BY g ORDER BY 1
SELECT g + 1 FROM t GROUP BY g + 2
SELECT g AS x, count(*) FROM t GROUP BY x ORDER BY x
SELECT g, count(*) FROM t GROUP BY 1 ORDER BY 1
SELECT g, count(*) FROM t GROUP BY 2
SELECT g, count(*) FROM t GROUP BY 3
SELECT b, g, count(*) FROM t GROUP BY b, g ORDER BY b, g
SELECT n, count(*) FROM t GROUP BY n ORDER BY n
SELECT f, count(*) FROM t GROUP BY f ORDER BY f
SELECT s, count(*), sum(id) FROM t GROUP BY s ORDER BY s
SELECT d, count(*) FROM t GROUP BY d ORDER BY d
SELECT ts, count(*) FROM t GROUP BY ts ORDER BY ts
SELECT length(s), count(*) FROM t GROUP BY length(s) ORDER BY 1
SELECT CASE WHEN g = 1 THEN 'one' ELSE 'more' END AS k, count(*) FROM t GROUP BY k ORDER BY k
SELECT count(*) FROM t WHERE count(*) > 1
SELECT sum(count(*)) FROM t
SELECT g FROM t GROUP BY count(*)
SELECT * FROM t GROUP BY id ORDER BY id LIMIT 1
SELECT id, s FROM t GROUP BY id ORDER BY id LIMIT 1
SELECT t.id, t.s FROM t ORDER BY t.id LIMIT 1
SELECT x.id FROM t AS x ORDER BY x.id LIMIT 1
SELECT x.id FROM t x ORDER BY x.id LIMIT 1
SELECT t.id FROM t AS x
SELECT x.* FROM t x ORDER BY 1 LIMIT 1
SELECT y.id FROM t x
SELECT nosuch FROM t
SELECT * FROM nosuch
SELECT *
SELECT 1 AS "Upper", 2 AS select
SELECT "ID" FROM t
SELECT "id" FROM "t" ORDER BY 1 LIMIT 1
SELECT ID FROM T ORDER BY iD LIMIT 1
SELECT id id2 FROM t ORDER BY id2 LIMIT 1
SELECT id FROM t, t
SELECT id FROM t JOIN t AS u ON true
SELECT id FROM (SELECT 1 AS id) AS u
SELECT 1 FROM t WHERE id = (SELECT 1)
SELECT 1 UNION SELECT 1
SELECT 1 FROM t WHERE id = 1 FOR UPDATE
WITH x AS (SELECT 1) SELECT * FROM x
VALUES (1), (2)
SELECT 1/0 FROM t WHERE false
SELECT 1/g FROM t WHERE g > 100
SELECT 1/(g - 1) FROM t
SELECT id FROM t WHERE 1/(g - 1) > 0
SELECT CASE WHEN g = 1 THEN 0 ELSE 1/(g - 1) END FROM t ORDER BY id
SELECT id FROM t WHERE g <> 1 AND 1/(g - 1) > 0
SELECT g + 32767::int2 FROM t WHERE g = 1
SELECT g + 32767 FROM t WHERE g = 1 ORDER BY id
SELECT i + 1 FROM t WHERE id = 4
SELECT f * 1e308 FROM t WHERE id = 1
SELECT n * n FROM t ORDER BY id
SELECT n / 3 FROM t ORDER BY id
SELECT n + f FROM t ORDER BY id
SELECT i::int4 FROM t WHERE id = 4
SELECT n::int2 FROM t WHERE id = 7
SELECT s::int FROM t WHERE id = 1
SELECT f::int FROM t WHERE id = 2
SELECT s || id FROM t ORDER BY id
SELECT s || NULL FROM t ORDER BY id
SELECT coalesce(s, 'none') FROM t ORDER BY id
SELECT coalesce(g, 0) + 1 FROM t ORDER BY id
SELECT nullif(g, 1) FROM t ORDER BY id
SELECT greatest(g, id), least(g, id) FROM t ORDER BY id
SELECT upper(s), length(s), substr(s, 2, 2) FROM t ORDER BY id
SELECT d + 1, d - 1 FROM t WHERE id IN (1, 2, 6) ORDER BY id
SELECT d - '2019-12-31' FROM t WHERE id = 1
SELECT d - date '2019-12-31' FROM t WHERE id IN (1, 2, 6) ORDER BY id
SELECT extract(year FROM d), extract(epoch FROM ts) FROM t ORDER BY id
SELECT date_trunc('month', ts) FROM t ORDER BY id
SELECT ts::date, ts::time FROM t WHERE id IN (1, 6) ORDER BY id
SELECT b::int, b::text FROM t ORDER BY id
SELECT NOT b, b AND true, b OR true FROM t ORDER BY id
SELECT g = 1, g <> 1, g IS DISTINCT FROM 1 FROM t ORDER BY id
SELECT id % 2, count(*) FROM t GROUP BY id % 2 ORDER BY 1
SELECT sum(CASE WHEN b THEN 1 ELSE 0 END) FROM t
SELECT count(*) FROM t WHERE s IS NULL OR s = ''
SELECT max(id) FROM t WHERE id < 3
SELECT min(n) FILTER (WHERE n > 0), max(abs(n)) FROM t WHERE n < 'NaN'
SELECT round(avg(n), 2) FROM t WHERE n < 'NaN'
SELECT avg(g), avg(id), avg(n) FROM t WHERE g IS NOT NULL AND n < 'NaN'
SELECT sum(f) FROM t WHERE f < 'Infinity' AND f > '-Infinity'
SELECT id, id FROM t ORDER BY id LIMIT 1
SELECT id AS a, g AS a FROM t ORDER BY a
SELECT 1 WHERE true
SELECT 1 WHERE false
SELECT count(*)
SELECT count(*) WHERE false
SELECT sum(1), max('x'), min(2.5)
SELECT 'a' ORDER BY 1
SELECT 1 LIMIT 0
SELECT 1 AS x GROUP BY x
