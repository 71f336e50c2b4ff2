package copy

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Guess is a format that was inferred, for a statement that names none.
type Guess struct {
	Format string // empty if nothing tells it
	Says   string // from what, in one line: to be told to whoever did not say it
}

// guessBytes is how much of a file is looked at.
const guessBytes = 64

// GuessFrom infers the format of a COPY FROM the files by what the first of them begins with,
// decompressed, and else by the end of its name. A stream has neither.
func GuessFrom(ctx context.Context, src Source, env Env) (Guess, error) {
	if src.reader != nil || src.rows != nil {
		return Guess{}, nil
	}
	names, err := env.Files.expand(src.paths)
	if err != nil || len(names) == 0 {
		return Guess{}, err
	}
	head, err := guessHead(ctx, names[0], &env)
	if err != nil {
		return Guess{}, err
	}
	best, found := "", ""
	for _, name := range Formats() {
		f, err := lookupFormat(name)
		if err != nil || !f.reads() {
			continue
		}
		for _, magic := range f.Magic {
			begin := head
			if f.Text {
				begin = strings.TrimPrefix(head, "\ufeff")
			}
			if len(magic) > len(best) && strings.HasPrefix(begin, magic) {
				best, found = magic, name
			}
		}
	}
	if best != "" {
		return Guess{found, fmt.Sprintf("FORMAT %s, as the first bytes of \"%s\" say", found, names[0])}, nil
	}
	return guessName(names[0], (*Format).reads), nil
}

// GuessTo infers the format of a COPY TO by the end of the name.
func GuessTo(path string) Guess { return guessName(path, (*Format).writes) }

// guessName infers a format that has a side by the end of a name, behind which that of a
// compression may stand.
func guessName(path string, side func(*Format) bool) (g Guess) {
	plain := strings.ToLower(path)
	if c := compressionOf(plain); c != nil {
		plain = strings.TrimSuffix(plain, c.suffix)
	}
	best := ""
	for _, name := range Formats() {
		f, err := lookupFormat(name)
		if err != nil || !side(f) {
			continue
		}
		for _, suffix := range f.Suffixes {
			if len(suffix) > len(best) && strings.HasSuffix(plain, suffix) {
				best = suffix
				g = Guess{name, fmt.Sprintf("FORMAT %s, as the name \"%s\" says", name, path)}
			}
		}
	}
	return g
}

// guessHead returns the first bytes of a file, decompressed; of a pipe, which can be read only
// once, none.
func guessHead(ctx context.Context, name string, env *Env) (string, error) {
	if info, err := env.Files.stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return "", nil
	}
	file, _, err := env.Files.open(ctx, name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	r := io.Reader(file)
	if kind := sniff(file); kind != nil {
		inflated, err := newInflated(&countedReader{r: file, progress: new(Progress)}, kind, name)
		if err != nil {
			return "", err
		}
		defer inflated.Close()
		r = inflated
	}
	b := make([]byte, guessBytes)
	n, err := io.ReadFull(r, b)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", fileError(err, "could not read from file", name)
	}
	return string(b[:n]), nil
}

// Blame gives the error of a COPY whose format was guessed what the guess was: what does not
// fit it may be no error of the data.
func (g Guess) Blame(err error) error {
	if err == nil || g.Format == "" {
		return err
	}
	e := *pgerr.From(err)
	if e.Detail != "" {
		e.Detail += " "
	}
	e.Detail += "The format was not given: " + g.Says + "."
	if e.Hint == "" {
		e.Hint = "Say FORMAT if it is another."
	}
	return &e
}
