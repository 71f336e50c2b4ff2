package arch

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/ingotdb/ingot"

// maxLines is the longest a source file may be.
const maxLines = 800

// layers ranks every package directory: a package imports packages of a lower rank, or
// of its own entry. The longest entry that is a directory's prefix counts; "." is the
// façade alone.
var layers = map[string]int{
	"asm":              0,
	"internal/pgerr":   0,
	"internal/bitmap":  0,
	"internal/guard":   0,
	"kernels":          1,
	"internal/pgtext":  1,
	"mmap":             2,
	"visibility":       2,
	"internal/vfs":     3,
	"internal/journal": 4,
	"columnar":         5,
	"graph":            6,
	"copy":             6,
	"sql":              7,
	".":                8,
	"bench":            9,
	"driver":           9,
	"examples":         9,
	"cmd":              9,

	// Packages that only hold tests, of anything.
	"internal/acceptance": 9,
	"internal/arch":       9,
	"internal/asmlint":    9,
	"internal/naive":      9,
	"internal/pgpeer":     9,
	"internal/torture":    9,
}

// coreModules are the modules that the library itself may import.
var coreModules = []string{
	"golang.org/x/sys",
	"golang.org/x/text",
	"github.com/klauspost/cpuid/v2",
	"github.com/klauspost/compress",
	"github.com/apache/arrow-go/v18",
	"github.com/minio/simdjson-go",
}

// ownModules are what a package that registers itself may import beside the core's: a
// program that does not import it does not link them.
var ownModules = map[string][]string{
	"copy/parquet": {"github.com/andybalholm/brotli", "github.com/pierrec/lz4/v4"},
}

// keptOut are import paths that a program which imports the façade must not link, not
// even through another dependency.
var keptOut = []string{
	"github.com/spf13/pflag",
	"github.com/jedib0t/go-pretty",
	"github.com/peterh/liner",
	"github.com/schollz/progressbar",
	"github.com/apache/arrow-go/v18/parquet",
	"github.com/andybalholm/brotli",
	"google.golang.org/grpc",
	"net/http",
	"testing",
}

// tags are the words a build constraint may use: what make targets build with, and the
// big-endian architectures, on which the build is refused.
var tags = set("amd64 arm64 purego race mmapdebug linux darwin freebsd windows unix " +
	"armbe arm64be m68k mips mips64 mips64p32 ppc ppc64 s390 s390x shbe sparc sparc64")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// source is one file of the tree; name is slash-separated and relative to its root.
type source struct {
	name string
	text []byte
}

func (s source) dir() string { return path.Dir(s.name) }

// sources returns the tree's files whose name ends in one of the suffixes.
func sources(t *testing.T, suffixes ...string) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	var out []source
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if p != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		for _, s := range suffixes {
			if strings.HasSuffix(base, s) {
				text, err := os.ReadFile(p)
				if err != nil {
					return err
				}
				name, err := filepath.Rel(root, p)
				if err != nil {
					return err
				}
				out = append(out, source{filepath.ToSlash(name), text})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("no files ending in %v below %s", suffixes, root)
	}
	return out
}

// imports returns the import paths of a Go file.
func imports(t *testing.T, s source) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), s.name, s.text, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return nil
	}
	var out []string
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		out = append(out, p)
	}
	return out
}

// layer returns the entry of layers that dir belongs to.
func layer(dir string) (entry string, ok bool) {
	for d := dir; ; d = path.Dir(d) {
		if _, ok := layers[d]; ok && (d != "." || dir == ".") {
			return d, true
		}
		if d == "." {
			return "", false
		}
	}
}

// checkImport returns what is wrong with a package in the directory from importing the
// directory to, or "".
func checkImport(from, to string) string {
	f, ok := layer(from)
	if !ok {
		return from + " has no place in the table of layers"
	}
	g, ok := layer(to)
	if !ok {
		return to + " has no place in the table of layers"
	}
	if f != g && layers[g] >= layers[f] {
		return from + " must not import " + to + ": imports only go down"
	}
	return ""
}

func TestImportsGoDown(t *testing.T) {
	for _, s := range sources(t, ".go") {
		if strings.HasSuffix(s.name, "_test.go") {
			continue
		}
		if _, ok := layer(s.dir()); !ok {
			t.Errorf("%s: %s has no place in the table of layers", s.name, s.dir())
		}
		for _, p := range imports(t, s) {
			if p != module && !strings.HasPrefix(p, module+"/") {
				continue
			}
			to := strings.TrimPrefix(strings.TrimPrefix(p, module), "/")
			if to == "" {
				to = "."
			}
			if msg := checkImport(s.dir(), to); msg != "" {
				t.Errorf("%s: %s", s.name, msg)
			}
		}
	}
}

func TestCheckImport(t *testing.T) {
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"kernels", "asm", true},
		{"asm", "kernels", false},
		{"copy", "columnar", true},
		{"copy", "sql", false},
		{"copy", "graph", false},
		{"sql/parse", "sql/ast", true},
		{"sql/ast", "sql", true},
		{"cmd/ingot", ".", true},
		{".", "cmd/ingot", false},
		{"visibility", "mmap", false},
		{"nowhere", "asm", false},
		{"asm", "nowhere", false},
	} {
		if msg := checkImport(c.from, c.to); (msg == "") != c.ok {
			t.Errorf("checkImport(%s, %s) = %q, want ok %v", c.from, c.to, msg, c.ok)
		}
	}
}

func TestCoreDependencies(t *testing.T) {
	for _, s := range sources(t, ".go") {
		entry, _ := layer(s.dir())
		if strings.HasSuffix(s.name, "_test.go") || entry == "" || layers[entry] > layers["."] {
			continue
		}
	next:
		for _, p := range imports(t, s) {
			if first, _, _ := strings.Cut(p, "/"); !strings.Contains(first, ".") {
				continue
			}
			for _, m := range slices.Concat(coreModules, ownModules[s.dir()], []string{module}) {
				if p == m || strings.HasPrefix(p, m+"/") {
					continue next
				}
			}
			t.Errorf("%s imports %s, which is no dependency of the core", s.name, p)
		}
	}
}

// TestFacadeLinks asks the go command what a program that imports the façade links.
func TestFacadeLinks(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", module)
	cmd.Dir = filepath.Join("..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -deps: %v\n%s", err, stderr.Bytes())
	}
	deps := strings.Fields(string(out))
	if len(deps) < 10 {
		t.Fatalf("go list -deps names only %d packages", len(deps))
	}
	for _, p := range deps {
		for _, no := range keptOut {
			if p == no || strings.HasPrefix(p, no+"/") {
				t.Errorf("a program that imports %s links %s", module, p)
			}
		}
	}
}

func TestNoCgo(t *testing.T) {
	for _, s := range sources(t, ".go") {
		for _, p := range imports(t, s) {
			if p == "C" {
				t.Errorf("%s uses cgo", s.name)
			}
		}
	}
}

func TestFileLength(t *testing.T) {
	for _, s := range sources(t, ".go", ".s") {
		if n := bytes.Count(s.text, []byte("\n")); n > maxLines {
			t.Errorf("%s has %d lines; the limit is %d", s.name, n, maxLines)
		}
	}
}

func TestFormatted(t *testing.T) {
	for _, s := range sources(t, ".go") {
		want, err := format.Source(s.text)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		} else if !bytes.Equal(s.text, want) {
			t.Errorf("%s is not formatted: gofmt -w %s", s.name, s.name)
		}
	}
}

// left matches words that mark unfinished work. It is put together so that it does not
// match itself.
var left = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b`)

func TestNothingLeftForLater(t *testing.T) {
	for _, s := range sources(t, ".go", ".s") {
		for i, line := range bytes.Split(s.text, []byte("\n")) {
			if m := left.Find(line); m != nil {
				t.Errorf("%s:%d: %s", s.name, i+1, m)
			}
		}
	}
}

// constraintTags returns the words of the build constraints of a file, and whether it
// has one in the form that go vet no longer reads.
func constraintTags(text []byte) (words []string, old bool) {
	set := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			break
		}
		switch {
		case constraint.IsPlusBuild(line):
			old = true
		case constraint.IsGoBuild(line):
			x, err := constraint.Parse(line)
			if err != nil {
				set[line] = true
				continue
			}
			collectTags(x, set)
		}
	}
	for w := range set {
		words = append(words, w)
	}
	sort.Strings(words)
	return words, old
}

func collectTags(x constraint.Expr, into map[string]bool) {
	switch x := x.(type) {
	case *constraint.TagExpr:
		into[x.Tag] = true
	case *constraint.NotExpr:
		collectTags(x.X, into)
	case *constraint.AndExpr:
		collectTags(x.X, into)
		collectTags(x.Y, into)
	case *constraint.OrExpr:
		collectTags(x.X, into)
		collectTags(x.Y, into)
	}
}

func TestBuildTags(t *testing.T) {
	for _, s := range sources(t, ".go", ".s") {
		words, old := constraintTags(s.text)
		if old {
			t.Errorf("%s has a +build line; //go:build replaces it", s.name)
		}
		for _, w := range words {
			if !tags[w] {
				t.Errorf("%s: nothing builds with the tag %q", s.name, w)
			}
		}
	}
}

func TestConstraintTags(t *testing.T) {
	words, old := constraintTags([]byte("//go:build (linux || plan9) && !purego\n\npackage x\n//go:build late\n"))
	if got := strings.Join(words, " "); got != "linux plan9 purego" || old {
		t.Errorf("got %q, old %v", got, old)
	}
	if _, old := constraintTags([]byte("// +build ignore\n\npackage x\n")); !old {
		t.Error("a +build line was not seen")
	}
}

// TestPackageComments wants one package comment per package, in a file that is no test.
func TestPackageComments(t *testing.T) {
	has := map[string]bool{}
	for _, s := range sources(t, ".go") {
		if strings.HasSuffix(s.name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), s.name, s.text, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		has[s.dir()] = has[s.dir()] || commented(f)
	}
	for dir, ok := range has {
		if !ok {
			t.Errorf("package in %s has no package comment", dir)
		}
	}
}

func commented(f *ast.File) bool { return f.Doc != nil && strings.TrimSpace(f.Doc.Text()) != "" }
