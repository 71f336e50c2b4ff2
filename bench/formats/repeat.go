package main

import (
	"io"

	"github.com/ingotdb/ingot/visibility"
)

// reader gives the text of so many rows.
func (w *work) reader(rows int) io.Reader {
	r := &repeat{text: w.text, times: rows / visibility.GroupRows}
	for range rows % visibility.GroupRows {
		for w.text[r.rest] != '\n' {
			r.rest++
		}
		r.rest++
	}
	return r
}

// repeat reads a text some times over, and then the beginning of it.
type repeat struct {
	text  []byte
	at    int
	times int
	rest  int
}

func (r *repeat) Read(p []byte) (int, error) {
	end := len(r.text)
	if r.times == 0 {
		end = r.rest
	}
	n := copy(p, r.text[r.at:end])
	if r.at += n; r.at == end {
		if r.times == 0 {
			if n == 0 && len(p) > 0 {
				return 0, io.EOF
			}
			return n, nil
		}
		r.at = 0
		r.times--
	}
	return n, nil
}
