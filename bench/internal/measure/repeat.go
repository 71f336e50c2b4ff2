package measure

import "time"

// Repeat is many small loads one after the other in one process. The first is by itself:
// it finds caches cold and pays for what a process does once. The others are given per
// load.
type Repeat struct {
	Loads       int    `json:"loads"` // without the first
	Rows        int64  `json:"rows"`  // of each
	Version     string `json:"version,omitempty"`
	FirstWallNS int64  `json:"first_wall_ns"`
	FirstCPUNS  int64  `json:"first_cpu_ns"`
	FirstFaults int64  `json:"first_faults"`
	WallNS      int64  `json:"wall_ns"` // median
	CPUNS       int64  `json:"cpu_ns"`  // mean, as are all below
	Faults      int64  `json:"faults"`  // minor

	// What only ingot counts.
	LogSyncs    float64 `json:"log_syncs,omitempty"`
	LogBytes    int64   `json:"log_bytes,omitempty"`   // in whole 4 KiB blocks
	Allocations int64   `json:"allocations,omitempty"` // on Go's heap
	AllocBytes  int64   `json:"alloc_bytes,omitempty"`

	PeakAnonBytes int64 `json:"peak_anon_bytes,omitempty"` // of the process
}

// RunRepeat calls load loads+1 times and measures this process. after, if it is not
// nil, is called once when the first load is done.
func RunRepeat(loads int, load func() (rows int64, err error), after func()) (r Repeat, err error) {
	r.Loads = loads
	first, err := Timed(func() (err error) { r.Rows, err = load(); return err })
	if err != nil {
		return r, err
	}
	r.FirstWallNS, r.FirstCPUNS, r.FirstFaults = first.WallNS, first.CPUNS, first.MinorFaults
	if after != nil {
		after()
	}
	if loads == 0 {
		return r, nil
	}
	walls := make([]int64, loads)
	all, err := Timed(func() error {
		for i := range walls {
			begin := time.Now()
			if _, err := load(); err != nil {
				return err
			}
			walls[i] = int64(time.Since(begin))
		}
		return nil
	})
	r.WallNS, r.CPUNS, r.Faults = Median(walls), all.CPUNS/int64(loads), all.MinorFaults/int64(loads)
	return r, err
}
