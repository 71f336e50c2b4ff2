package measure

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// CreateRaw makes the file for the raw numbers of one run of the benchmark name, in dir:
// NAME-DATE.txt, with the time of day too if that day has one already. It begins with a
// header: the machine, the file system of work, where the measured stores are, and lines.
func CreateRaw(dir, name, work string, lines ...string) (*os.File, error) {
	f, err := createDated(dir, name)
	if err != nil {
		return nil, err
	}
	if err := writeHeader(f, work, lines...); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// WriteEnd writes the line with which a raw file ends: how busy the machine was then.
func WriteEnd(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "# load average at the end: %s\n", loadAverage()); err != nil {
		return fmt.Errorf("measure: %w", err)
	}
	return nil
}

func createDated(dir, name string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("measure: %w", err)
	}
	at := time.Now().UTC()
	for _, form := range []string{"2006-01-02", "2006-01-02T150405"} {
		f, err := os.OpenFile(filepath.Join(dir, name+"-"+at.Format(form)+".txt"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil || !os.IsExist(err) {
			return f, err
		}
	}
	return nil, fmt.Errorf("measure: %s has a result of this second already", name)
}
