package measure

import (
	"fmt"
	"slices"
	"time"
)

// Sample is one measured load.
//
// Times and faults are those of the statement that loads, not of starting a program or
// making the table. What a program cannot tell is 0.
type Sample struct {
	Rows          int64  `json:"rows"`
	WallNS        int64  `json:"wall_ns"`
	CPUNS         int64  `json:"cpu_ns"`
	MinorFaults   int64  `json:"minor_faults,omitempty"`
	PeakAnonBytes int64  `json:"peak_anon_bytes,omitempty"`
	StoredBytes   int64  `json:"stored_bytes,omitempty"` // on disk after the load
	Version       string `json:"version,omitempty"`

	Stages map[string]Stage `json:"stages,omitempty"`
}

// Stage is the part of a load's work that has a name, summed over its workers.
type Stage struct {
	NS    int64 `json:"ns"`
	Bytes int64 `json:"bytes"`
}

// Timed calls f and returns what it took this process: wall and processor time, and minor
// faults. They are 0 if f fails.
func Timed(f func() error) (s Sample, err error) {
	cpu, faults := processUsage()
	begin := time.Now()
	if err := f(); err != nil {
		return s, err
	}
	s.WallNS = int64(time.Since(begin))
	cpuEnd, faultsEnd := processUsage()
	s.CPUNS, s.MinorFaults = cpuEnd-cpu, faultsEnd-faults
	return s, nil
}

// Median returns the median of v, the mean of the two middle values if their number is
// even, and 0 if there are none. v is not changed.
func Median[N ~int64 | ~float64](v []N) N {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	m := len(s) / 2
	if len(s)%2 == 1 {
		return s[m]
	}
	return s[m-1] + (s[m]-s[m-1])/2
}

// MedianOf returns the median of a field of all of s.
func MedianOf[S any, N ~int64 | ~float64](s []S, field func(*S) N) N {
	v := make([]N, len(s))
	for i := range s {
		v[i] = field(&s[i])
	}
	return Median(v)
}

// Medians returns the sample whose numbers are the medians of those of s, each taken by
// itself. Rows, version and the names of stages are the first sample's.
func Medians(s []Sample) Sample {
	if len(s) == 0 {
		return Sample{}
	}
	of := func(field func(*Sample) int64) int64 { return MedianOf(s, field) }
	out := Sample{
		Rows: s[0].Rows, Version: s[0].Version,
		WallNS:        of(func(s *Sample) int64 { return s.WallNS }),
		CPUNS:         of(func(s *Sample) int64 { return s.CPUNS }),
		MinorFaults:   of(func(s *Sample) int64 { return s.MinorFaults }),
		PeakAnonBytes: of(func(s *Sample) int64 { return s.PeakAnonBytes }),
		StoredBytes:   of(func(s *Sample) int64 { return s.StoredBytes }),
	}
	for name := range s[0].Stages {
		if out.Stages == nil {
			out.Stages = map[string]Stage{}
		}
		out.Stages[name] = Stage{
			NS:    of(func(s *Sample) int64 { return s.Stages[name].NS }),
			Bytes: of(func(s *Sample) int64 { return s.Stages[name].Bytes }),
		}
	}
	return out
}

// Seconds formats nanoseconds as seconds with three digits that count.
func Seconds(ns int64) string {
	s := float64(ns) / 1e9
	switch {
	case s >= 10:
		return fmt.Sprintf("%.1f", s)
	case s >= 1:
		return fmt.Sprintf("%.2f", s)
	}
	return fmt.Sprintf("%.3f", s)
}
