package sql

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestGraphStatements(t *testing.T) {
	var notices []string
	s := testSession(t, SessionOptions{OnNotice: func(n string) { notices = append(notices, n) }})
	script{
		{"CREATE REL TABLE knows (FROM person TO person)", `42P01 relation "person" does not exist`},
		{"CREATE TABLE nokey (id int4)", "-- CREATE TABLE"},
		{"CREATE REL TABLE knows (FROM nokey TO nokey)", `42830 there is no primary key for referenced table "nokey"`},
		{"CREATE TABLE person (name text PRIMARY KEY, age int4)", "-- CREATE TABLE"},
		{"CREATE TABLE city (id int4 PRIMARY KEY, label text)", "-- CREATE TABLE"},
		{"CREATE REL TABLE knows (FROM person TO person, since int4 CHECK (since > 1900), note text DEFAULT 'n')", "-- CREATE REL TABLE"},
		{"CREATE REL TABLE knows (FROM person TO city)", `42P07 relation "knows" already exists`},
		{"CREATE REL TABLE IF NOT EXISTS knows (FROM person TO city)", "-- CREATE REL TABLE"},
		{"CREATE REL TABLE k (FROM person TO person, since int4 UNIQUE)", "0A000 properties of edges cannot be keys"},
		{"CREATE REL TABLE k (FROM knows TO person)", `42809 "knows" is a rel table: edges have rows of node tables at their ends`},
		{"INSERT INTO person VALUES ('ann', 30), ('bob', 40), ('cat', 50), ('dan', 60), ('eve', 70)", "-- INSERT 0 5"},
		{"INSERT INTO city VALUES (1, 'Rome'), (2, 'Oslo')", "-- INSERT 0 2"},
		{"INSERT INTO knows VALUES ('ann', 'bob', 2000), ('bob', 'cat', 2001), ('cat', 'dan', 2002), ('ann', 'ann', 1999)", "-- INSERT 0 4"},
		{`INSERT INTO knows VALUES ('ann', 'zoe', 2000)`, `23503 insert or update on table "knows" violates foreign key constraint "knows_to_fkey"`},
		{`INSERT INTO knows VALUES ('ann', NULL, 2000)`, `23502 null value in column "to" of relation "knows" violates not-null constraint`},
		{`INSERT INTO knows VALUES ('ann', 'bob', 1800)`, `23514 new row for relation "knows" violates check constraint "knows_since_check"`},
		{`SELECT * FROM knows ORDER BY since`, "ann|ann|1999|n\nann|bob|2000|n\nbob|cat|2001|n\ncat|dan|2002|n\n-- SELECT 4"},
		{`SELECT "to" FROM knows WHERE "from" = 'ann' ORDER BY 1`, "ann\nbob\n-- SELECT 2"},
		{`SELECT "from", count(*) FROM knows GROUP BY "from" ORDER BY 1`, "ann|2\nbob|1\ncat|1\n-- SELECT 3"},
		{`UPDATE knows SET "to" = 'cat', note = 'moved' WHERE since = 2000 RETURNING *`, "ann|cat|2000|moved\n-- UPDATE 1"},
		{`UPDATE knows SET "to" = 'nobody' WHERE since = 2000`, `23503 insert or update on table "knows" violates foreign key constraint "knows_to_fkey"`},
		{"SELECT node, hops FROM neighbors('knows', 'ann')", "cat|1\n-- SELECT 1"},
		{"SELECT * FROM reachable('knows', 'ann')", "cat|1\ndan|2\n-- SELECT 2"},
		{"SELECT * FROM reachable('knows', 'ann', min => 0, max => 1) ORDER BY hops", "ann|0\ncat|1\n-- SELECT 2"},
		{"SELECT * FROM reachable('knows', 'dan', direction => 'backward') ORDER BY hops, node", "cat|1\nann|2\nbob|2\n-- SELECT 3"},
		{"SELECT * FROM shortest_path('knows', 'ann', 'dan')", "2|{ann,cat,dan}\n-- SELECT 1"},
		{"SELECT length FROM shortest_path('knows', 'bob', 'ann', direction => 'both')", "2\n-- SELECT 1"},
		{"SELECT * FROM shortest_path('knows', 'dan', 'ann')", "-- SELECT 0"},
		{"SELECT * FROM shortest_path('knows', 'ann', 'ann')", "0|{ann}\n-- SELECT 1"},
		{"SELECT * FROM shortest_path('knows', 'ann', 'dan', max => 1)", "-- SELECT 0"},
		{"SELECT * FROM shortest_path('knows', 'ann', 'nobody')", "-- SELECT 0"},
		{"SELECT * FROM shortest_path('knows', 'ann', 'dan', weight => 'since')", "2|{ann,cat,dan}|4002\n-- SELECT 1"},
		{"SELECT * FROM shortest_path('knows', 'ann', 'dan', weight => 'to')", `42804 column "to" of relation "knows" is an end of its edges, which is no weight`},
		{"SELECT count(*) FROM all_shortest_paths('knows', 'ann', 'dan')", "1\n-- SELECT 1"},
		{"SELECT node FROM neighbors('knows', 'ann') WHERE hops > 1", "-- SELECT 0"},
		{"SELECT * FROM neighbors('nothing', 'ann')", `42P01 relation "nothing" does not exist`},
		{"SELECT * FROM neighbors('', 'ann')", `42P01 relation "" does not exist`},
		{"SELECT * FROM neighbors(NULL, 'ann')", `42P01 relation "" does not exist`},
		{"SELECT * FROM neighbors('person', 'ann')", `42809 "person" is not a rel table`},
		{"SELECT * FROM shortest_path('knows', 'ann', 'dan', from_table => 'person', to_table => 'person')", "2|{ann,cat,dan}\n-- SELECT 1"},
		{"SELECT * FROM neighbors('knows')", "42883 neighbors takes the name of a rel table and 1 keys"},
		{"SELECT * FROM neighbors('knows', 'ann', depth => 2)", `42883 neighbors has no argument named "depth"`},
		{"SELECT * FROM neighbors('knows', 'ann', direction => 'up')", `22023 direction is "up": want forward, backward or both`},
		{"SELECT * FROM neighbors('knows', 'ann', max => -1)", "22023 max must not be negative"},
		{"SELECT * FROM generate_series(1, 2, step => 1)", `42883 generate_series has no argument named "step"`},
		{"DELETE FROM person WHERE name = 'cat'", `23503 update or delete on table "person" violates foreign key constraint "knows_from_fkey" on table "knows"`},
		{"DELETE FROM person WHERE name = 'eve'", "-- DELETE 1"},
		{"DELETE FROM person WHERE name = 'cat' CASCADE", "-- DELETE 1"},
		{`SELECT "from", "to" FROM knows`, "ann|ann\n-- SELECT 1"},
		{"UPDATE person SET age = 31 WHERE name = 'ann'", "-- UPDATE 1"},
		{`SELECT "from", "to" FROM knows`, "ann|ann\n-- SELECT 1"},
		{"UPDATE person SET name = 'anna' WHERE name = 'ann'", "-- UPDATE 1"},
		{`SELECT "from", "to" FROM knows`, "anna|anna\n-- SELECT 1"},
		{"DROP TABLE person", "2BP01 cannot drop table person because other objects depend on it"},
		{"TRUNCATE person", "2BP01 cannot truncate table person because other objects depend on it"},
		{"TRUNCATE person CASCADE", "-- TRUNCATE TABLE"},
		{"SELECT count(*) FROM knows", "0\n-- SELECT 1"},
		{"ALTER TABLE knows ADD COLUMN w float8 DEFAULT 1", "-- ALTER TABLE"},
		{`ALTER TABLE knows DROP COLUMN "from"`, `42P16 columns "from" and "to" of rel table "knows" cannot change`},
		{"DROP TABLE person CASCADE", "-- DROP TABLE"},
		{"SELECT * FROM knows", `42P01 relation "knows" does not exist`},
	}.run(t, s)
	if want := []string{`relation "knows" already exists, skipping`, `truncate cascades to rel table "knows"`, "drop cascades to rel table knows"}; !slices.Equal(notices, want) {
		t.Errorf("notices %q", notices)
	}
}

func TestCopyEdges(t *testing.T) {
	var out strings.Builder
	var notices []string
	s := testSession(t, SessionOptions{Stdout: &out, OnNotice: func(n string) { notices = append(notices, n) }})
	must(t, s, "CREATE TABLE a (id int8 PRIMARY KEY)")
	must(t, s, "CREATE TABLE b (k text PRIMARY KEY)")
	must(t, s, "CREATE REL TABLE r (FROM a TO b, w numeric(8,2))")
	must(t, s, "INSERT INTO a SELECT g FROM generate_series(1, 5) AS g")
	must(t, s, "INSERT INTO b VALUES ('x'), ('y,z'), ('\"')")
	if tag, err := load(s, "from,to,w\n5,x,1.5\n1,\"y,z\",2\n1,\"\"\"\",\n", "COPY r FROM STDIN (FORMAT csv, HEADER match)"); err != nil || tag != "COPY 3" {
		t.Fatal(tag, err)
	}
	must(t, s, "COPY r TO STDOUT (FORMAT csv, HEADER)")
	if want := "from,to,w\n1,\"y,z\",2.00\n1,\"\"\"\",\n5,x,1.50\n"; out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
	// The line is that of the edge whose end is missing, whatever comes behind it.
	_, err := load(s, "1,x,1\n2,\"q\n\",2\n9,x,3\n", "COPY r FROM STDIN (FORMAT csv)")
	if e := err; e == nil {
		t.Error("an edge without an end is loaded")
	}
	tag, err := load(s, "1,x,1\n2,q,2\n9,x,3\nno,x,4\n3,x,5\n", "COPY r FROM STDIN (FORMAT csv, ON_ERROR ignore, LOG_VERBOSITY verbose, REJECTS bad)")
	if err != nil || tag != "COPY 2" {
		t.Fatal(tag, err)
	}
	want := []string{
		`skipping row due to missing node at line 2 for column "to": "q"`,
		`skipping row due to missing node at line 3 for column "from": "9"`,
		`skipping row due to data type incompatibility at line 4 for column "from": "no"`,
		"1 row was skipped due to data type incompatibility",
		"2 rows were skipped due to missing nodes",
	}
	if !slices.Equal(notices, want) {
		t.Errorf("notices %q\nwant    %q", notices, want)
	}
	if _, err := load(s, "1,q,1\n2,q,2\n", "COPY r FROM STDIN (FORMAT csv, ON_ERROR ignore, REJECT_LIMIT 1)"); err == nil {
		t.Error("REJECT_LIMIT does not count edges without an end")
	}
	script{
		{`SELECT line, "column", error FROM bad ORDER BY line`, "2|to|no node has the key q\n3|from|no node has the key 9\n4|from|invalid input syntax for type bigint: \"no\"\n-- SELECT 3"},
		{"SELECT count(*) FROM r", "5\n-- SELECT 1"},
		{`COPY r FROM (SELECT id, 'x' FROM a) WHERE "from" <> 2`, "-- COPY 4"},
		{`SELECT count(*) FROM r WHERE "to" = 'x'`, "7\n-- SELECT 1"},
	}.run(t, s)
}

func TestRelGroups(t *testing.T) {
	s := testSession(t, SessionOptions{})
	must(t, s, "CREATE TABLE a (id int8 PRIMARY KEY)")
	must(t, s, "CREATE TABLE b (k text PRIMARY KEY)")
	must(t, s, "CREATE REL TABLE r (FROM a TO b, FROM b TO a, w int4)")
	must(t, s, "INSERT INTO a VALUES (1), (2)")
	must(t, s, "INSERT INTO b VALUES ('x'), ('1')")
	if _, err := load(s, "1,x,5\n", "COPY r FROM STDIN (FORMAT csv, FROM 'a', TO 'b')"); err != nil {
		t.Error(err)
	}
	if _, err := load(s, "x,2,6\n", "COPY r FROM STDIN (FORMAT csv, FROM b)"); err != nil {
		t.Error(err)
	}
	script{
		{"SELECT * FROM r", `42809 "r" is a rel group of 2 tables`},
		{"CREATE REL TABLE r (FROM a TO a)", `42P07 relation "r" already exists`},
		{"CREATE TABLE r (id int4)", `42P07 relation "r" already exists`},
		{"CREATE TABLE IF NOT EXISTS r (id int4)", "-- CREATE TABLE"},
		{"ALTER TABLE a RENAME TO r", `42P07 relation "r" already exists`},
		{"CREATE REL TABLE c (FROM a TO a, FROM a TO b, FROM b TO b, w int4, v int4 CHECK (v > w))", "-- CREATE REL TABLE"},
		{"INSERT INTO c_b_b VALUES ('x', 'x', 2, 1)", `23514 new row for relation "c_b_b" violates check constraint "c_v_check"`},
		{"INSERT INTO c_a_b VALUES (1, 'x', 2, 3)", "-- INSERT 0 1"},
		{"SELECT * FROM r_a_b", "1|x|5\n-- SELECT 1"},
		{"SELECT * FROM r_b_a", "x|2|6\n-- SELECT 1"},
		{"SELECT * FROM shortest_path('r', '1', '2', table => 'a')", "2|{1,x,2}\n-- SELECT 1"},
		{"SELECT * FROM reachable('r', 'x')", "2|1\n-- SELECT 1"},
		{"SELECT * FROM reachable('r', '1')", `22023 tables "a" and "b" both have the key`},
		{"COPY r FROM STDIN (FROM a, TO a)", `22023 0 tables of "r" go from "a" to "a"`},
		{"TRUNCATE a, b, r", `2BP01 cannot truncate table a because other objects depend on it`}, // for c
		{"TRUNCATE a, b, r, c, a", "-- TRUNCATE TABLE"},
		{"SELECT count(*) FROM r_a_b", "0\n-- SELECT 1"},
		{"DROP TABLE b, c, r_b_a, a CASCADE", "-- DROP TABLE"},
		{"CREATE TABLE a (id int8 PRIMARY KEY)", "-- CREATE TABLE"},
		{"CREATE TABLE b (k text PRIMARY KEY)", "-- CREATE TABLE"},
		{"CREATE REL TABLE r (FROM a TO b, FROM b TO a)", "-- CREATE REL TABLE"},
		{"DROP TABLE IF EXISTS a, nothing, b, r", "-- DROP TABLE"},
		{"DROP TABLE r", `42P01 relation "r" does not exist`},
		{"SELECT * FROM r_a_b", `42P01 relation "r_a_b" does not exist`},
	}.run(t, s)
}

// TestEnds finds the nodes that a table function is about by their keys.
func TestEnds(t *testing.T) {
	s := testSession(t, SessionOptions{})
	must(t, s, "CREATE TABLE a (id int8 PRIMARY KEY)")
	must(t, s, "INSERT INTO a VALUES (1), (2)")
	must(t, s, "CREATE TABLE cc (id int4 PRIMARY KEY)")
	must(t, s, "INSERT INTO cc VALUES (1), (2)")
	must(t, s, "CREATE REL TABLE ac (FROM a TO cc)")
	must(t, s, "INSERT INTO ac VALUES (1, 2)")
	script{
		{"SELECT * FROM shortest_path('ac', 1, 2)", `22023 tables "a" and "cc" both have the key`},
		{"SELECT * FROM shortest_path('ac', 1, 2, from_table => 'a', to_table => 'cc')", "1|{1,2}\n-- SELECT 1"},
		{"SELECT * FROM shortest_path('ac', 1, 2, from_table => 'cc', to_table => 'a')", "-- SELECT 0"},
		{"SELECT node FROM neighbors('ac', 1.0, table => 'a')", "2\n-- SELECT 1"},
		{"SELECT node FROM neighbors('ac', 1.5, table => 'a')", "-- SELECT 0"},
		{"SELECT node FROM neighbors('ac', 99999999999, table => 'cc')", "-- SELECT 0"},
		{"SELECT node FROM neighbors('ac', NULL, table => 'cc')", "-- SELECT 0"},
		{"SELECT node FROM neighbors('ac', 'x', table => 'cc')", `22P02 invalid input syntax for type integer: "x"`},
	}.run(t, s)
}

// TestTraversalsInTransactions follows own inserts and leaves out own deletes, which others
// do not see before the commit.
func TestTraversalsInTransactions(t *testing.T) {
	for _, checkpoint := range []bool{false, true} {
		store := testStore(t)
		one, two := NewSession(store, SessionOptions{}), NewSession(store, SessionOptions{})
		must(t, one, "CREATE TABLE n (id int4 PRIMARY KEY)")
		must(t, one, "CREATE REL TABLE e (FROM n TO n)")
		must(t, one, "INSERT INTO n SELECT g FROM generate_series(1, 3000) AS g")
		must(t, one, "COPY e FROM (SELECT id, id + 1 FROM n WHERE id < 3000)")
		if checkpoint {
			must(t, one, "CHECKPOINT")
		}
		const reach, path = "SELECT count(*) FROM reachable('e', 1)", "SELECT length FROM shortest_path('e', 1, 3000)"
		before := script{{reach, "2999\n-- SELECT 1"}, {path, "2999\n-- SELECT 1"}}
		before.run(t, one)
		must(t, two, "BEGIN READ ONLY")
		must(t, two, "SELECT 1 FROM n LIMIT 1")
		must(t, one, "BEGIN")
		must(t, one, "DELETE FROM n WHERE id = 1500 CASCADE")
		must(t, one, "INSERT INTO n VALUES (5000), (5001)")
		must(t, one, "INSERT INTO e VALUES (1, 5000), (5000, 5001)")
		after := script{
			{reach, "1500\n-- SELECT 1"}, // 1498 others before the gap, and two
			{path, "-- SELECT 0"},
			{"SELECT * FROM shortest_path('e', 1, 5001)", "2|{1,5000,5001}\n-- SELECT 1"},
		}
		after.run(t, one)
		before.run(t, two)
		must(t, one, "COMMIT")
		before.run(t, two) // its snapshot is older
		must(t, two, "COMMIT")
		if checkpoint {
			must(t, one, "CHECKPOINT")
		}
		after.run(t, two)
		must(t, one, "BEGIN")
		must(t, one, "INSERT INTO e VALUES (5001, 3000)")
		script{{path, "3\n-- SELECT 1"}}.run(t, one)
		must(t, one, "ROLLBACK")
		after.run(t, one)
		one.Close()
		two.Close()
	}
}

// TestRandomGraphs compares the table functions with a search over plain maps.
func TestRandomGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	types := []struct{ name, format string }{{"int2", "%d"}, {"int8", "%d"}, {"text", "k %d\""}, {"uuid", "00000000-0000-0000-0000-%012d"}, {"date", "2024-01-%02d"}, {"numeric", "%d.5"}}
	for round := range 30 {
		s := testSession(t, SessionOptions{})
		typ := types[round%len(types)]
		key := func(i int) string { return fmt.Sprintf(typ.format, i) }
		n := 1 + rng.IntN(12)
		must(t, s, "CREATE TABLE n (id "+typ.name+" PRIMARY KEY)")
		must(t, s, "CREATE REL TABLE e (FROM n TO n)")
		for _, i := range rng.Perm(n) {
			must(t, s, "INSERT INTO n VALUES ('"+key(i+1)+"')")
		}
		next := map[int][]int{}
		for range rng.IntN(3 * n) {
			from, to := 1+rng.IntN(n), 1+rng.IntN(n)
			next[from] = append(next[from], to)
			must(t, s, "INSERT INTO e VALUES ('"+key(from)+"', '"+key(to)+"')")
		}
		start := 1 + rng.IntN(n)
		hops := map[int]int{start: 0}
		for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
			for _, to := range next[queue[0]] {
				if _, ok := hops[to]; !ok {
					hops[to] = hops[queue[0]] + 1
					queue = append(queue, to)
				}
			}
		}
		for to := 1; to <= n; to++ {
			want := "-- SELECT 0"
			if h, ok := hops[to]; ok {
				want = fmt.Sprintf("%d\n-- SELECT 1", h)
			}
			script{{"SELECT length FROM shortest_path('e', '" + key(start) + "', '" + key(to) + "')", want}}.run(t, s)
		}
		script{{"SELECT count(*) FROM reachable('e', '" + key(start) + "')", fmt.Sprintf("%d\n-- SELECT 1", len(hops)-1)}}.run(t, s)
	}
}
