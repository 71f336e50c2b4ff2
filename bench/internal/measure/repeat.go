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
	cpu, faults := ProcessUsage()
	begin := time.Now()
	if r.Rows, err = load(); err != nil {
		return r, err
	}
	r.FirstWallNS = int64(time.Since(begin))
	cpuNow, faultsNow := ProcessUsage()
	r.FirstCPUNS, r.FirstFaults = cpuNow-cpu, faultsNow-faults
	if after != nil {
		after()
	}
	if loads == 0 {
		return r, nil
	}
	walls := make([]int64, loads)
	cpu, faults = ProcessUsage()
	for i := range walls {
		begin = time.Now()
		if _, err := load(); err != nil {
			return r, err
		}
		walls[i] = int64(time.Since(begin))
	}
	cpuNow, faultsNow = ProcessUsage()
	r.WallNS, r.CPUNS, r.Faults = Median(walls), (cpuNow-cpu)/int64(loads), (faultsNow-faults)/int64(loads)
	return r, nil
}
