package acceptance

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestChangedInput changes a file in every way while the command loads it. That is the
// error which says so, and nothing is stored. On a busy machine a load may pass between
// two changes; then it has whole records, and the file is loaded again.
func TestChangedInput(t *testing.T) {
	const records = 500_000
	changes := map[string]func(f *os.File, i int64) error{
		"grows": func(f *os.File, i int64) error {
			_, err := f.WriteAt([]byte(record), int64(len(record))*(records+i))
			return err
		},
		"shrinks": func(f *os.File, i int64) error {
			return f.Truncate(int64(len(record)) * max(0, records-1-i))
		},
		"is written over": func(f *os.File, i int64) error {
			_, err := f.WriteAt([]byte("456,def\n"), int64(len(record))*(i%records))
			return err
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			for try := 0; ; try++ {
				store := newTable(t)
				e := whileChanging(t, writeLines(t, records), change, func(path string) ended {
					return run(t, "copy", store, "t", "from", path, "--max-workers", "2", "--errors", "json")
				})
				rows := count(t, store, "t")
				must(t, "check", store)
				if e.status == 0 {
					if want := strings.TrimSpace(strings.TrimPrefix(e.stderr, "COPY ")); rows != want {
						t.Fatalf("COPY %s, and %s rows", want, rows)
					}
					if try == 20 {
						t.Fatal("no load met a change")
					}
					continue
				}
				f := e.failed(1)
				if f.SQLState != "55000" || !strings.Contains(f.Message, "changed while being read") {
					t.Errorf("error %+v", f)
				}
				if left := files(t, store); rows != "0" || len(left) > 0 {
					t.Errorf("%s rows and %v are left", rows, left)
				}
				return
			}
		})
	}
}

// whileChanging calls change again and again, with the number of the call, until fn
// returns.
func whileChanging(t *testing.T, path string, change func(*os.File, int64) error, fn func(string) ended) ended {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := int64(0); ; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := change(f, i); err != nil {
				done <- err
				return
			}
		}
	}()
	e := fn(path)
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return e
}

// TestNumbersOfRows says how many rows come, rightly and wrongly, for a file and a pipe.
func TestNumbersOfRows(t *testing.T) {
	path := writeLines(t, 3000)
	for _, rows := range []int{2999, 3000, 3001} {
		store := newTable(t)
		e := run(t, "copy", store, "t", "from", path, "-o", "rows="+strconv.Itoa(rows), "--errors", "json")
		if rows == 3000 {
			e.want(0)
		} else if f := e.failed(1); f.SQLState != "22P04" || f.Hint == "" {
			t.Errorf("ROWS %d: %+v", rows, f)
		} else if n := count(t, store, "t"); n != "0" {
			t.Errorf("ROWS %d: %s rows are left", rows, n)
		}
	}
}
