package main

import (
	"errors"
	"io"
	"os"
	"runtime"

	"github.com/minio/simdjson-go"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// simdjsonMissing says that the processor is not one that simdjson-go has code for.
func simdjsonMissing() string {
	if !simdjson.SupportedCPU() {
		return "simdjson-go has no code for this processor"
	}
	return ""
}

// loadSimdjson parses the lines of the file into tapes, which are not looked at: what is
// left out is every conversion, and storing.
func loadSimdjson(j *job) (s measure.Sample, err error) {
	runtime.GOMAXPROCS(j.Threads)
	f, err := os.Open(j.File)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var rows int64
	s, err = measure.Timed(func() error {
		const ahead = 8
		reuse, parsed := make(chan *simdjson.ParsedJson, ahead), make(chan simdjson.Stream, ahead)
		simdjson.ParseNDStream(f, parsed, reuse)
		for st := range parsed {
			if st.Error != nil {
				if errors.Is(st.Error, io.EOF) {
					return nil
				}
				return st.Error
			}
			err := st.Value.ForEach(func(simdjson.Iter) error { rows++; return nil })
			if err != nil {
				return err
			}
			select {
			case reuse <- st.Value:
			default:
			}
		}
		return nil
	})
	s.Rows = rows
	return s, err
}
