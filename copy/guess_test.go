package copy

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/ingotdb/ingot/internal/pgerr"
)

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGuess(t *testing.T) {
	name := register(t, Format{Magic: []string{"GUESS", "GUESS MORE"}, Suffixes: []string{".guess", ".x.guess"}, ReadContainer: (&boxes{}).format().ReadContainer})
	env := Env{Files: AnyFile()}
	for _, c := range []struct{ file, text, want string }{
		{"a.csv", "1,2\n", "csv"},
		{"a.CSV.gz", gzipped(t, "1,2\n"), "csv"},
		{"a.tsv", "1\t2\n", "text"},
		{"a.csv", binarySignature + "\x00\x00", "binary"},
		{"a", "GUESS MORE", name},
		{"a.gz", gzipped(t, "GUESS"), name},
		{"a.x.guess", "", name},
		{"a", "1,2\n", ""},
		{"a.txt", "", ""},
	} {
		g, err := GuessFrom(context.Background(), FromFiles(writeFile(t, c.file, c.text)), env)
		if err != nil || g.Format != c.want {
			t.Errorf("%s, %.10q: %q, %v, want %q", c.file, c.text, g.Format, err, c.want)
		}
		if (g.Says == "") != (g.Format == "") || g.Format != "" && (!strings.Contains(g.Says, g.Format) || !strings.Contains(g.Says, c.file)) {
			t.Errorf("%s: %s", c.file, g.Says)
		}
	}
	for path, want := range map[string]string{"a.csv": "csv", "/x/a.csv.zst": "csv", "a.guess": "", "a": "", "csv": ""} {
		if g := GuessTo(path); g.Format != want {
			t.Errorf("to %s: %q, want %q", path, g.Format, want)
		}
	}
	_, err := GuessFrom(context.Background(), FromFiles("/nowhere/a.csv"), env)
	wantState(t, err, pgerr.UndefinedFile)

	g := GuessTo("a.csv")
	e := wantState(t, g.Blame(pgerr.New(pgerr.BadCopyFileFormat, "extra data").WithDetail("So.")), pgerr.BadCopyFileFormat)
	if e.Detail != "So. The format was not given: FORMAT csv, as the name \"a.csv\" says." || e.Hint == "" {
		t.Error(e.Detail, e.Hint)
	}
	if g.Blame(nil) != nil || (Guess{}).Blame(err) != err {
		t.Error("blame where there is none")
	}
}
