package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/bench/internal/measure"
)

// config is the command line.
type config struct {
	kinds      []*kind
	cancels    int
	scale      float64
	dir        string
	results    string
	durability ingot.Durability
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	return measure.Main("cancel", args, stdout, stderr, map[string]measure.Form{"": measure.Parsed(parse, (*config).measure)})
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (*config, error) {
	c := new(config)
	flags := flag.NewFlagSet("cancel", flag.ContinueOnError)
	names := flags.String("kinds", kindNames(), "comma-separated `list` of kinds of load")
	flags.IntVar(&c.cancels, "n", 40, "`number` of cancelled loads of each kind")
	flags.Float64Var(&c.scale, "scale", 1, "`part` of the rows of each kind")
	flags.StringVar(&c.dir, "dir", "", "`directory` for inputs and stores (default: the system's temporary one)")
	flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw numbers")
	durability := flags.String("durability", "full", "`full` or none")
	return c, measure.Parse(flags, args, stderr, measure.Positive("n", &c.cancels), func() error {
		if c.scale <= 0 {
			return errors.New("-scale must be positive")
		}
		var ok bool
		if c.durability, ok = map[string]ingot.Durability{"full": ingot.Full, "none": ingot.None}[*durability]; !ok {
			return fmt.Errorf("-durability is %q: want full or none", *durability)
		}
		for name := range strings.SplitSeq(*names, ",") {
			at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
			if at < 0 {
				return fmt.Errorf("no kind of load is called %q", name)
			}
			c.kinds = append(c.kinds, &kinds[at])
		}
		return nil
	})
}

// measure cancels loads of all kinds and prints the table.
func (c *config) measure(ctx context.Context, stdout, stderr io.Writer) (err error) {
	work, err := os.MkdirTemp(c.dir, "ingot-cancel-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	raw, err := measure.CreateRaw(c.results, "cancel", work, fmt.Sprintf("cancels: %d; scale: %g", c.cancels, c.scale), "kind after_ns late_ns")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	fmt.Fprintf(stdout, "Raw: %s\n\n| load | whole, ms | cancelled | median, ms | largest, ms | at, ms |\n|---|--:|--:|--:|--:|--:|\n", filepath.Base(raw.Name()))
	for _, k := range c.kinds {
		fmt.Fprintf(stderr, "cancel: %s\n", k.name)
		r, err := c.measureKind(ctx, raw, work, k)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		fmt.Fprintf(stdout, "| %s | %s | %d | %s | %s | %s |\n", k.name, ms(r.whole), len(r.late), ms(r.median()), ms(r.largest().late), ms(r.largest().after))
	}
	return measure.WriteEnd(raw)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/1e6) }

// result is what one kind of load took.
type result struct {
	whole time.Duration
	late  []lateness
}

// lateness is how much later than cancelled, after the load's begin, a load returned.
type lateness struct{ after, late time.Duration }

func (r *result) largest() lateness {
	if len(r.late) == 0 {
		return lateness{}
	}
	return slices.MaxFunc(r.late, func(a, b lateness) int { return int(a.late - b.late) })
}

func (r *result) median() time.Duration {
	return measure.MedianOf(r.late, func(l *lateness) time.Duration { return l.late })
}

// measureKind cancels loads of one kind, each into a store that is gone afterwards.
func (c *config) measureKind(ctx context.Context, raw io.Writer, work string, k *kind) (r result, err error) {
	path := filepath.Join(work, k.name+".csv")
	if err := k.writeFile(path, max(1, int(float64(k.rows)*c.scale))); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := -1; i < c.cancels; i++ {
		after := time.Duration(-1)
		if i >= 0 {
			after = time.Duration((float64(i) + rng.Float64()) / float64(c.cancels) * float64(r.whole))
		}
		took, late, err := c.once(ctx, filepath.Join(work, "store"), path, k, after)
		if err != nil {
			return r, err
		}
		if i < 0 {
			r.whole = took
			continue
		}
		if late >= 0 {
			r.late = append(r.late, lateness{after, late})
			if _, err := fmt.Fprintf(raw, "%s\t%d\t%d\n", k.name, after, late); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// once runs one load and cancels it some time after it began, unless that is negative.
// late is negative if the load was over before.
func (c *config) once(ctx context.Context, dir, path string, k *kind, after time.Duration) (took, late time.Duration, err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := ingot.Open(ctx, dir, ingot.Options{Files: ingot.AnyFile(), Durability: c.durability, MemoryLimit: 8 << 30})
	if err != nil {
		return 0, 0, err
	}
	closed := false
	defer func() {
		if !closed {
			err = errors.Join(err, db.Close())
		}
	}()
	if _, err := db.Exec(ctx, k.create); err != nil {
		return 0, 0, err
	}
	rows := int64(0)
	if k.before {
		if _, err := db.Exec(ctx, fmt.Sprintf("COPY t FROM '%s' (FORMAT csv)", path)); err != nil {
			return 0, 0, err
		}
		if rows, err = count(ctx, db); err != nil {
			return 0, 0, err
		}
	}
	before, err := measure.DirBytes(dir)
	if err != nil {
		return 0, 0, err
	}
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	cancelled := make(chan time.Time, 1)
	if after >= 0 {
		t := time.AfterFunc(after, func() {
			cancelled <- time.Now()
			cancel()
		})
		defer t.Stop()
	}
	begun := time.Now()
	_, loadErr := db.Exec(running, fmt.Sprintf("COPY t FROM '%s' (FORMAT csv%s)", path, k.options))
	ended := time.Now()
	if !errors.Is(loadErr, context.Canceled) {
		if (loadErr != nil) != k.fails {
			return 0, 0, fmt.Errorf("the load returned %w", loadErr)
		}
		return ended.Sub(begun), -1, nil
	}
	late = ended.Sub(<-cancelled)
	got, err := count(ctx, db)
	if err != nil {
		return 0, 0, err
	}
	if got != rows {
		return 0, 0, fmt.Errorf("%d rows after a cancelled load, %d before", got, rows)
	}
	closed = true
	if err := db.Close(); err != nil {
		return 0, 0, err
	}
	const logs = 64 << 20 // which grow by themselves
	if now, err := measure.DirBytes(dir); err != nil || now > before+logs {
		return 0, 0, fmt.Errorf("the store had %d bytes before a cancelled load, %d after: %w", before, now, err)
	}
	return ended.Sub(begun), late, nil
}

// count returns the rows of the table.
func count(ctx context.Context, db *ingot.DB) (n int64, err error) {
	rows, err := db.Query(ctx, "SELECT count(*) FROM t")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return 0, err
		}
	}
	return n, rows.Err()
}
