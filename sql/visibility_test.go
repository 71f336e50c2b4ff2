package sql

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/visibility"
)

// connections is two sessions on one store, and what may happen between two steps without
// making a difference.
type connections struct {
	*testing.T
	dir     string
	store   *columnar.Store
	a, b    *Session
	between func()
}

// connect runs fn for a store whose small loads travel in the log and for one that has
// nothing but data files; with and without a checkpoint, a vacuum or a restart in between.
// A push run has the pairs of these that differ most.
func connect(t *testing.T, fn func(c *connections)) {
	for _, inline := range []int64{1, 1 << 20} {
		for i, between := range []string{"nothing", "VACUUM", "CHECKPOINT", "restart"} {
			if os.Getenv("INGOT_SOAK") != "1" && (i < 2) != (inline == 1) {
				continue
			}
			t.Run(fmt.Sprintf("inline=%d/%s", inline, between), func(t *testing.T) {
				c := &connections{T: t, dir: t.TempDir()}
				c.open(inline)
				defer c.close()
				c.between = map[string]func(){
					"nothing":    func() {},
					"CHECKPOINT": func() { c.run(c.b, "CHECKPOINT", "-- CHECKPOINT") },
					"VACUUM":     func() { c.run(c.b, "VACUUM", "-- VACUUM") },
					"restart":    func() { c.close(); c.open(inline) },
				}[between]
				fn(c)
			})
		}
	}
}

func (c *connections) open(inline int64) {
	c.Helper()
	var err error
	c.store, err = columnar.Open(context.Background(), c.dir, columnar.Options{InlineBytes: inline, BusyTimeout: -1, Durability: columnar.None})
	if err != nil {
		c.Fatal(err)
	}
	opt := SessionOptions{Files: copy.AnyFile()}
	c.a, c.b = NewSession(c.store, opt), NewSession(c.store, opt)
}

func (c *connections) close() {
	c.Helper()
	c.a.Close()
	c.b.Close()
	if err := c.store.Close(); err != nil {
		c.Error(err)
	}
}

// run holds that statements and what they give alternate.
func (c *connections) run(s *Session, steps ...string) {
	c.Helper()
	for i := 0; i < len(steps); i += 2 {
		script{{steps[i], steps[i+1]}}.run(c.T, s)
	}
}

// table returns the table called name as a new snapshot has it, and what ends that.
func (c *connections) table(name string) (*columnar.Table, func()) {
	c.Helper()
	snap, err := c.store.Snapshot()
	if err != nil {
		c.Fatal(err)
	}
	t, err := snap.Table(name)
	if err != nil {
		c.Fatal(err)
	}
	return t, snap.Release
}

const (
	makePeople = "CREATE TABLE person (id int8 PRIMARY KEY, name text)"
	fillPeople = "INSERT INTO person SELECT g, 'person ' || g FROM generate_series(0, 2999) g"
	sumPeople  = "SELECT count(*), sum(id), min(id), max(id) FROM person"
)

// TestUncommittedChanges deletes one of 3,000 rows and inserts two in an open transaction.
func TestUncommittedChanges(t *testing.T) {
	connect(t, func(c *connections) {
		c.run(c.a, makePeople, "-- CREATE TABLE", fillPeople, "-- INSERT 0 3000")
		c.between()
		c.run(c.a, "BEGIN", "-- BEGIN", "DELETE FROM person WHERE id = 1700", "-- DELETE 1",
			"INSERT INTO person VALUES (3000, 'new'), (3001, 'newer')", "-- INSERT 0 2")
		own := "3001|4502801|0|3001\n-- SELECT 1"
		others := "3000|4498500|0|2999\n-- SELECT 1"
		look := func(s *Session, sums, deleted, inserted string) {
			c.Helper()
			c.run(s, sumPeople, sums, "SELECT name FROM person WHERE id = 1700", deleted, "SELECT name FROM person WHERE id >= 3000", inserted)
		}
		look(c.a, own, "-- SELECT 0", "new\nnewer\n-- SELECT 2")
		look(c.b, others, "person 1700\n-- SELECT 1", "-- SELECT 0")
		c.run(c.b, "BEGIN READ ONLY", "-- BEGIN")
		c.run(c.a, "COMMIT", "-- COMMIT")
		look(c.b, others, "person 1700\n-- SELECT 1", "-- SELECT 0")
		c.run(c.b, "COMMIT", "-- COMMIT")
		c.between()
		look(c.a, own, "-- SELECT 0", "new\nnewer\n-- SELECT 2")
		look(c.b, own, "-- SELECT 0", "new\nnewer\n-- SELECT 2")
	})
}

// TestRolledBackCopy makes a row group in a COPY that is rolled back, or fails.
func TestRolledBackCopy(t *testing.T) {
	connect(t, func(c *connections) {
		c.run(c.a, "CREATE TABLE n (i int8)", "-- CREATE TABLE",
			"COPY n FROM (SELECT g FROM generate_series(1, 131072) g)", "-- COPY 131072")
		c.between()
		gone := func() {
			c.Helper()
			tab, release := c.table("n")
			defer release()
			if tab.RowGroup(1) != nil || tab.Groups() != 1 || tab.Visible(visibility.GroupRows) || tab.VisibleRun(1).Length != 0 {
				c.Error("row group 1 is there")
			}
			c.run(c.b, "SELECT count(*), max(i) FROM n", "131072|131072\n-- SELECT 1")
		}
		c.run(c.a, "BEGIN", "-- BEGIN", "COPY n FROM (SELECT g FROM generate_series(200001, 340000) g)", "-- COPY 140000",
			"SELECT count(*), max(i) FROM n", "271072|340000\n-- SELECT 1")
		gone()
		c.run(c.a, "ROLLBACK", "-- ROLLBACK")
		gone()
		bad := filepath.Join(c.TempDir(), "bad.csv")
		if err := os.WriteFile(bad, []byte(strings.Repeat("7\n", 5000)+"x\n"), 0o600); err != nil {
			c.Fatal(err)
		}
		if _, _, err := ask(c.a, "COPY n FROM '"+bad+"' WITH (FORMAT csv)"); pgerr.Code(err) != "22P02" {
			c.Errorf("a bad row: %v", err)
		}
		c.between()
		gone()
		c.run(c.a, "INSERT INTO n VALUES (-1)", "-- INSERT 0 1", "SELECT count(*), min(i) FROM n", "131073|-1\n-- SELECT 1")
		tab, release := c.table("n")
		if g := tab.RowGroup(1); g == nil || g.Live() != 1 || !tab.Visible(visibility.GroupRows) {
			c.Error("the next row did not get the id that was given back")
		}
		release()
	})
}

// TestDeleteMarkers deletes in three transactions and looks after each, twice.
func TestDeleteMarkers(t *testing.T) {
	connect(t, func(c *connections) {
		c.run(c.a, makePeople, "-- CREATE TABLE", fillPeople, "-- INSERT 0 3000")
		c.between()
		for _, step := range [][3]string{
			{"DELETE FROM person WHERE id = 0", "-- DELETE 1", "2999|4498500|1|2999\n-- SELECT 1"},
			{"DELETE FROM person WHERE id BETWEEN 2040 AND 2060", "-- DELETE 21", "2978|4455450|1|2999\n-- SELECT 1"},
			{"UPDATE person SET name = 'x' WHERE id = 2999", "-- UPDATE 1", "2978|4455450|1|2999\n-- SELECT 1"},
			{"DELETE FROM person WHERE id < 2999", "-- DELETE 2977", "1|2999|2999|2999\n-- SELECT 1"},
		} {
			c.run(c.a, step[0], step[1])
			for range 2 {
				c.between()
				c.run(c.b, sumPeople, step[2])
			}
		}
		c.run(c.b, "SELECT * FROM person", "2999|x\n-- SELECT 1")
	})
}

func TestPromiseStatement(t *testing.T) {
	connect(t, func(c *connections) {
		c.run(c.a, "CREATE TABLE n (i int8)", "-- CREATE TABLE", "INSERT INTO n VALUES (1), (2)", "-- INSERT 0 2")
		c.between()
		c.run(c.a, "BEGIN", "-- BEGIN", "SELECT count(*) FROM n", "2\n-- SELECT 1")
		c.run(c.b, "INSERT INTO n VALUES (3)", "-- INSERT 0 1")
		c.run(c.a, "SELECT count(*) FROM n", "3\n-- SELECT 1", // committed when the statement began
			"COMMIT", "-- COMMIT",
			"INSERT INTO n SELECT i + 10 FROM n", "-- INSERT 0 3", // and not its own rows again and again
			"UPDATE n SET i = i + 1", "-- UPDATE 6",
			"BEGIN", "-- BEGIN",
			"INSERT INTO n SELECT i + 100 FROM n WHERE i > 10", "-- INSERT 0 3",
			"DELETE FROM n WHERE i < 10", "-- DELETE 3",
			"UPDATE n SET i = -i WHERE i > 100", "-- UPDATE 3",
			"COPY n FROM (SELECT i * 2 FROM n)", "-- COPY 6",
			"SELECT count(*), sum(i) FROM n", "12|-900\n-- SELECT 1",
			"COMMIT", "-- COMMIT")
		c.between()
		c.run(c.b, "SELECT count(*), sum(i) FROM n", "12|-900\n-- SELECT 1")
	})
}

func TestPromiseConflict(t *testing.T) {
	connect(t, func(c *connections) {
		c.run(c.a, "CREATE TABLE n (i int8)", "-- CREATE TABLE", "CREATE TABLE m (i int8)", "-- CREATE TABLE")
		c.between()
		// Read, then somebody commits, then write: even to another table.
		c.run(c.a, "BEGIN", "-- BEGIN", "SELECT count(*) FROM n", "0\n-- SELECT 1")
		c.run(c.b, "INSERT INTO m VALUES (1)", "-- INSERT 0 1")
		c.run(c.a, "INSERT INTO n VALUES (1)", "40001 could not serialize access: columnar: the store has changed since this transaction read it",
			"COMMIT", "-- ROLLBACK", "SELECT count(*) FROM n", "0\n-- SELECT 1")
		// Without a read before, or without a commit in between, there is none.
		c.run(c.a, "BEGIN", "-- BEGIN")
		c.run(c.b, "INSERT INTO m VALUES (2)", "-- INSERT 0 1")
		c.run(c.a, "INSERT INTO n VALUES (2)", "-- INSERT 0 1", "SELECT count(*) FROM m", "2\n-- SELECT 1", "COMMIT", "-- COMMIT",
			"BEGIN", "-- BEGIN", "SELECT count(*) FROM n", "1\n-- SELECT 1")
		c.run(c.b, "BEGIN", "-- BEGIN", "INSERT INTO m VALUES (3)", "-- INSERT 0 1", "ROLLBACK", "-- ROLLBACK", "CHECKPOINT", "-- CHECKPOINT")
		c.run(c.a, "INSERT INTO n VALUES (3)", "-- INSERT 0 1", "COMMIT", "-- COMMIT")
		// The first to write holds the lock; the second is told who.
		c.run(c.a, "BEGIN", "-- BEGIN", "INSERT INTO n VALUES (4)", "-- INSERT 0 1")
		c.run(c.b, "INSERT INTO m VALUES (4)", "55P03 columnar: another write transaction is open", "SELECT count(*) FROM n", "2\n-- SELECT 1")
		c.run(c.a, "COMMIT", "-- COMMIT")
		c.between()
		c.run(c.b, "SELECT count(*) FROM n", "3\n-- SELECT 1")
	})
}

func TestPromiseFailed(t *testing.T) {
	const aborted = "25P02 current transaction is aborted, commands ignored until end of transaction block"
	connect(t, func(c *connections) {
		c.run(c.a, "CREATE TABLE n (i int8 PRIMARY KEY)", "-- CREATE TABLE", "INSERT INTO n VALUES (1)", "-- INSERT 0 1")
		c.between()
		for _, end := range [][2]string{{"ROLLBACK", "-- ROLLBACK"}, {"COMMIT", "-- ROLLBACK"}} {
			c.run(c.a, "BEGIN", "-- BEGIN", "INSERT INTO n VALUES (2)", "-- INSERT 0 1",
				"SELECT 1 / 0", "22012 division by zero",
				"SELECT 1", aborted, "INSERT INTO n VALUES (3)", aborted, "BEGIN", aborted, "CHECKPOINT", aborted)
			c.run(c.b, "INSERT INTO n VALUES (2)", "-- INSERT 0 1", "DELETE FROM n WHERE i = 2", "-- DELETE 1") // the lock is free
			c.run(c.a, end[0], end[1], "SELECT count(*) FROM n", "1\n-- SELECT 1")
		}
		c.between()
		c.run(c.a, "SELECT i FROM n", "1\n-- SELECT 1")
	})
}

func TestPromiseOutside(t *testing.T) {
	connect(t, func(c *connections) {
		for _, text := range []string{"CHECKPOINT", "VACUUM"} {
			c.run(c.a, "BEGIN", "-- BEGIN", text, "25001 "+text+" cannot run inside a transaction block",
				"ROLLBACK", "-- ROLLBACK", text, "-- "+text)
		}
	})
}

func TestPromiseReadOnly(t *testing.T) {
	connect(t, func(c *connections) {
		c.run(c.a, makePeople, "-- CREATE TABLE", fillPeople, "-- INSERT 0 3000", "CREATE TABLE m (i int8)", "-- CREATE TABLE")
		c.between()
		c.run(c.a, "BEGIN READ ONLY", "-- BEGIN")
		all := "3000|4498500|0|2999\n-- SELECT 1"
		for _, step := range []string{"DELETE FROM person WHERE id < 1000", "CHECKPOINT", "INSERT INTO m VALUES (1)",
			"DELETE FROM person", "VACUUM", "TRUNCATE person", "DROP TABLE person", "CREATE TABLE person (x text)", "VACUUM", "CHECKPOINT"} {
			must(c.T, c.b, step)
			c.run(c.a, sumPeople, all, "SELECT name FROM person WHERE id = 999", "person 999\n-- SELECT 1",
				"SELECT count(*) FROM m", "0\n-- SELECT 1")
		}
		c.run(c.a, "INSERT INTO m VALUES (2)", "25006 cannot write in a read-only transaction", "ROLLBACK", "-- ROLLBACK",
			"SELECT count(*) FROM m", "1\n-- SELECT 1", "SELECT count(*) FROM person", "0\n-- SELECT 1")
	})
}

func TestPromiseEndOfInput(t *testing.T) {
	connect(t, func(c *connections) {
		c.run(c.a, "CREATE TABLE n (i int8)", "-- CREATE TABLE", "BEGIN", "-- BEGIN", "INSERT INTO n VALUES (1)", "-- INSERT 0 1",
			"CREATE TABLE other (i int8)", "-- CREATE TABLE")
		if err := c.a.Close(); err != nil {
			c.Error(err)
		}
		c.run(c.b, "SELECT count(*) FROM n", "0\n-- SELECT 1", "INSERT INTO n VALUES (2)", "-- INSERT 0 1",
			"SELECT * FROM other", "42P01 relation \"other\" does not exist")
		c.between()
		c.run(c.b, "SELECT i FROM n", "2\n-- SELECT 1")
	})
}

func TestPromiseSlowInput(t *testing.T) {
	connect(t, func(c *connections) {
		c.run(c.a, "CREATE TABLE n (i int8)", "-- CREATE TABLE")
		in, out := io.Pipe()
		c.a.SetStdin(in)
		done := make(chan error)
		go func() {
			_, tag, err := ask(c.a, "COPY n FROM STDIN")
			if err == nil && tag != "COPY 2" {
				err = fmt.Errorf("tag %s", tag)
			}
			done <- err
		}()
		if _, err := io.WriteString(out, "1\n"); err != nil { // taken: the COPY is at work
			c.Fatal(err)
		}
		// BusyTimeout is negative: a writer that had to wait would be refused.
		c.run(c.b, "INSERT INTO n VALUES (10)", "-- INSERT 0 1", "BEGIN", "-- BEGIN", "INSERT INTO n VALUES (11)", "-- INSERT 0 1", "COMMIT", "-- COMMIT",
			"CHECKPOINT", "-- CHECKPOINT", "SELECT count(*), sum(i) FROM n", "2|21\n-- SELECT 1")
		if _, err := io.WriteString(out, "2\n"); err != nil {
			c.Fatal(err)
		}
		if err := out.Close(); err != nil {
			c.Fatal(err)
		}
		if err := <-done; err != nil {
			c.Fatal(err)
		}
		c.run(c.b, "SELECT count(*), sum(i) FROM n", "4|24\n-- SELECT 1")
	})
}

// TestCountTouchesNoRow damages the bytes of a table's columns behind an open store: count(*)
// does not see it, with rows deleted or not, and whoever reads a column does.
func TestCountTouchesNoRow(t *testing.T) {
	for _, deleted := range []int{0, 1000} {
		c := &connections{T: t, dir: t.TempDir()}
		c.open(1)
		c.run(c.a, makePeople, "-- CREATE TABLE", fillPeople, "-- INSERT 0 3000")
		if deleted > 0 {
			c.run(c.a, "DELETE FROM person WHERE id < 1000", "-- DELETE 1000")
		}
		c.close()
		c.open(1) // no chunk was read since
		files, err := filepath.Glob(filepath.Join(c.dir, "data-*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%d data files, %v", len(files), err)
		}
		for _, name := range files {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt([]byte(strings.Repeat("x", 4096)), 4096); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		c.run(c.a, "SELECT count(*) FROM person", fmt.Sprintf("%d\n-- SELECT 1", 3000-deleted))
		if _, _, err := ask(c.a, "SELECT sum(id) FROM person"); pgerr.Code(err) != "XX001" {
			t.Errorf("a sum over damaged bytes: %v", err)
		}
		c.close()
	}
}
