package driver_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/driver"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := sql.Open("ingot", filepath.Join(dir, "store"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE flights (origin text, delay int4)"); err != nil {
		log.Fatal(err)
	}
	file := strings.NewReader("SEA,4\nJFK,-2\nSEA,16\n")
	if _, err := db.Exec("COPY flights FROM STDIN (FORMAT csv)", file); err != nil {
		log.Fatal(err)
	}
	rows, err := db.Query("SELECT origin, count(*), avg(delay)::float8 FROM flights WHERE delay < $1 GROUP BY origin ORDER BY origin", 100)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var origin string
		var flights int
		var delay float64
		if err := rows.Scan(&origin, &flights, &delay); err != nil {
			log.Fatal(err)
		}
		fmt.Println(origin, flights, delay)
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// JFK 1 -2
	// SEA 2 10
}

// open returns a handle on a new store.
func open(t *testing.T, params string) *sql.DB {
	t.Helper()
	db, err := sql.Open("ingot", filepath.Join(t.TempDir(), "store")+params)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func mustExec(t *testing.T, db interface {
	Exec(string, ...any) (sql.Result, error)
}, text string, args ...any) int64 {
	t.Helper()
	res, err := db.Exec(text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// count returns the rows of a table.
func count(t *testing.T, db *sql.DB, table string) (n int) {
	t.Helper()
	if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestValues(t *testing.T) {
	db := open(t, "?durability=none")
	mustExec(t, db, `CREATE TABLE v (b bool, i int2, f float8, n numeric(10,2), s varchar(5), y bytea, d date, z timestamptz, u uuid, a int4[])`)
	at := time.Date(2024, 2, 29, 12, 30, 0, 5000, time.UTC)
	if n := mustExec(t, db, "INSERT INTO v VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
		true, 7, 2.5, "12.50", "abc", []byte{0, 1}, at, at, "00000000-0000-0000-0000-000000000001", "{1,NULL}"); n != 1 {
		t.Errorf("%d rows inserted", n)
	}
	mustExec(t, db, "INSERT INTO v (b) VALUES ($1)", nil)
	rows, err := db.Query("SELECT * FROM v")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range types {
		names = append(names, c.DatabaseTypeName()+" "+c.ScanType().String())
	}
	if got, want := strings.Join(names, ", "), "bool bool, int2 int64, float8 float64, numeric string, varchar string, bytea []uint8, date time.Time, timestamptz time.Time, uuid string, int4[] string"; got != want {
		t.Errorf("types %s\nwant  %s", got, want)
	}
	if p, s, ok := types[3].DecimalSize(); p != 10 || s != 2 || !ok {
		t.Error(p, s, ok)
	}
	if n, ok := types[4].Length(); n != 5 || !ok {
		t.Error(n, ok)
	}
	var got [2]string
	for i := range got {
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
		vals := make([]any, len(types))
		dest := make([]any, len(types))
		for i := range vals {
			dest[i] = &vals[i]
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		got[i] = strings.TrimSpace(fmt.Sprintln(vals...))
	}
	if want := `true 7 2.5 12.50 abc [0 1] 2024-02-29 00:00:00 +0000 UTC 2024-02-29 12:30:00.000005 +0000 UTC 00000000-0000-0000-0000-000000000001 {1,NULL}`; got[0] != want {
		t.Errorf("row %s\nwant %s", got[0], want)
	}
	if want := strings.TrimSpace(strings.Repeat("<nil> ", len(types))); got[1] != want {
		t.Errorf("row %s", got[1])
	}
}

func TestTransactions(t *testing.T) {
	db := open(t, "?busy_timeout=-1ns")
	mustExec(t, db, "CREATE TABLE t (a int4 PRIMARY KEY)")
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, tx, "INSERT INTO t VALUES (1), (2)")
	if n := count(t, db, "t"); n != 0 {
		t.Errorf("%d rows are seen before the commit", n)
	}
	if _, err := db.Exec("INSERT INTO t VALUES (9)"); !errors.Is(err, ingot.ErrBusy) {
		t.Errorf("a second writer: %v", err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, "t"); n != 2 {
		t.Errorf("%d rows after the commit", n)
	}
	if tx, err = db.Begin(); err != nil {
		t.Fatal(err)
	}
	mustExec(t, tx, "DELETE FROM t")
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if tx, err = db.Begin(); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("INSERT INTO t VALUES (1)"); ingot.SQLState(err) != "23505" {
		t.Errorf("a duplicate: %v", err)
	}
	if err := tx.Commit(); err == nil {
		t.Error("a failed transaction commits")
	}
	if n := count(t, db, "t"); n != 2 {
		t.Errorf("%d rows in the end", n)
	}
	if tx, err = db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelSerializable}); err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec("DELETE FROM t"); ingot.SQLState(err) != "25006" {
		t.Errorf("a write in a read-only transaction: %v", err)
	}
}

// TestReset gives a connection back with things left open on it.
func TestReset(t *testing.T) {
	db := open(t, "")
	db.SetMaxOpenConns(1)
	mustExec(t, db, "CREATE TABLE t (a int4)")
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"SET TIME ZONE 'Asia/Tokyo'", "BEGIN", "INSERT INTO t VALUES (1)"} {
		if _, err := conn.ExecContext(context.Background(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, "t"); n != 0 {
		t.Errorf("%d rows of a transaction that its user forgot", n)
	}
	var zone string
	if err := db.QueryRow("SHOW TIME ZONE").Scan(&zone); err != nil || zone != "UTC" {
		t.Errorf("time zone %s, %v", zone, err)
	}
}

func TestCopy(t *testing.T) {
	db := open(t, "?files=none")
	mustExec(t, db, "CREATE TABLE t (a int4, b text)")
	if n := mustExec(t, db, "COPY t FROM STDIN (FORMAT csv)", strings.NewReader("1,x\n2,y\n")); n != 2 {
		t.Errorf("%d rows", n)
	}
	var out strings.Builder
	if n := mustExec(t, db, "COPY t TO STDOUT (FORMAT csv)", &out); n != 2 || out.String() != "1,x\n2,y\n" {
		t.Errorf("%d rows: %q", n, out.String())
	}
	if _, err := db.Exec("COPY t FROM STDIN"); err == nil {
		t.Error("COPY FROM STDIN without a reader")
	}
	_, err := db.Exec("COPY t FROM STDIN (FORMAT csv)", strings.NewReader("3,x\nq,y\n"))
	var e *ingot.Error
	if !errors.As(err, &e) || e.SQLState != "22P02" || e.Line != 2 || e.Column != "a" {
		t.Errorf("error %+v", err)
	}
	if _, err := db.Exec("COPY t TO '/nowhere'"); ingot.SQLState(err) != "42501" {
		t.Errorf("a file: %v", err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "f.csv")
	if err := os.WriteFile(file, []byte("1,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	inside := open(t, "?files="+dir)
	mustExec(t, inside, "CREATE TABLE t (a int4, b text)")
	mustExec(t, inside, "COPY t FROM 'f.csv' (FORMAT csv)")
	anywhere := open(t, "")
	mustExec(t, anywhere, "CREATE TABLE t (a int4, b text)")
	mustExec(t, anywhere, "COPY t FROM '"+file+"' (FORMAT csv)")
}

func TestPrepare(t *testing.T) {
	db := open(t, "")
	mustExec(t, db, "CREATE TABLE t (a int4)")
	if _, err := db.Prepare("INSERT INTO"); ingot.SQLState(err) != "42601" {
		t.Errorf("half a statement: %v", err)
	}
	stmt, err := db.Prepare("INSERT INTO t VALUES ($1) RETURNING a * 2")
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	for i := range 3 {
		var twice int
		if err := stmt.QueryRow(i).Scan(&twice); err != nil || twice != 2*i {
			t.Errorf("%d: %d, %v", i, twice, err)
		}
	}
	if _, err := stmt.Exec(); err == nil {
		t.Error("an argument is missing")
	}
	if _, err := db.Exec("INSERT INTO t VALUES ($1)", sql.Named("a", 1)); err == nil {
		t.Error("a named argument")
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"", "?mode=ro", "x?mode=no", "x?durability=some", "x?busy_timeout=soon", "x?nothing=1", "x?mode=ro&mode=rw", "x?timezone=Nowhere/At_all", "x?max_workers=q"} {
		if db, err := sql.Open("ingot", name); err == nil {
			db.Close()
			t.Errorf("%q is accepted", name)
		}
	}
	db := open(t, "?mode=ro")
	if err := db.Ping(); err == nil {
		t.Error("a store that is not there opens for reading")
	}
}

// TestShared uses one store by several connections at once, and a store that the program
// has opened itself.
func TestShared(t *testing.T) {
	store, err := ingot.Open(context.Background(), t.TempDir(), ingot.Options{Durability: ingot.None})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	db := sql.OpenDB(driver.NewConnector(store))
	mustExec(t, db, "CREATE TABLE t (a int4)")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 20 {
				if _, err := db.Exec("INSERT INTO t VALUES ($1)", 20*i+k); err != nil {
					t.Error(err)
				}
				var n int
				if err := db.QueryRow("SELECT count(*) FROM t").Scan(&n); err != nil || n == 0 {
					t.Errorf("%d rows, %v", n, err)
				}
			}
		})
	}
	all.Wait()
	if n := count(t, db, "t"); n != 160 {
		t.Errorf("%d rows", n)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if _, err := store.Exec(context.Background(), "SELECT 1"); err != nil {
		t.Errorf("the store was closed with the handle: %v", err)
	}
}
