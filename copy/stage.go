package copy

import (
	"context"
	"runtime/pprof"
	"sync/atomic"
	"time"
)

// Stage is a part of the work of a COPY.
type Stage uint8

// The stages, in the order that the data passes them.
const (
	StageRead    Stage = iota // reading the input
	StageSplit                // counting record ends, planning, finding where records start
	StageConvert              // index, values, checks
	StageStore                // zone maps, checksums, placing string bytes
	StageIndex                // unique keys
	StageSync                 // making the data durable
	StageCommit               // waiting for the write lock, log record, publication
	Stages
)

var stageNames = [Stages]string{"read", "split", "convert", "store", "index", "sync", "commit"}

// String returns the stage's name.
func (s Stage) String() string {
	if s < Stages {
		return stageNames[s]
	}
	return "unknown"
}

// StageCost is what one stage took: time summed over the workers, and the bytes that
// passed through it (input bytes up to convert, stored bytes after it).
type StageCost struct {
	NS    int64
	Bytes int64
}

// clock accounts the time of one goroutine to stages. Its labels show the stage in a
// CPU profile.
type clock struct {
	ns     [Stages]int64
	bytes  [Stages]int64
	stage  Stage
	since  time.Time
	labels *stageLabels
}

// stageLabels are the profiler labels of one COPY.
type stageLabels struct {
	ctx    context.Context // the caller's own
	stages [Stages]context.Context
}

func newStageLabels(ctx context.Context) *stageLabels {
	l := &stageLabels{ctx: ctx}
	for s := range Stages {
		l.stages[s] = pprof.WithLabels(ctx, pprof.Labels("copy", s.String()))
	}
	return l
}

// start begins accounting to stage s in the calling goroutine.
func (c *clock) start(s Stage, labels *stageLabels) {
	c.labels, c.stage, c.since = labels, s, time.Now()
	pprof.SetGoroutineLabels(labels.stages[s])
}

// enter accounts what follows to stage s. It is cheap enough for once per block.
func (c *clock) enter(s Stage) {
	if c.stage == s {
		return
	}
	now := time.Now()
	c.ns[c.stage] += int64(now.Sub(c.since))
	c.stage, c.since = s, now
	pprof.SetGoroutineLabels(c.labels.stages[s])
}

// restart goes on with stage s without accounting the time since the last switch.
func (c *clock) restart(s Stage) {
	c.stage, c.since = s, time.Now()
	pprof.SetGoroutineLabels(c.labels.stages[s])
}

// stop ends the accounting of the calling goroutine.
func (c *clock) stop() {
	c.ns[c.stage] += int64(time.Since(c.since))
	pprof.SetGoroutineLabels(c.labels.ctx)
}

// addTo adds what c has counted to costs.
func (c *clock) addTo(costs *[Stages]StageCost) {
	for s := range costs {
		costs[s].NS += c.ns[s]
		costs[s].Bytes += c.bytes[s]
	}
}

// Progress is how far a COPY is, in PostgreSQL's counters. The COPY adds to it while it
// runs, about once per block; anybody may read it at any time.
type Progress struct {
	BytesProcessed  atomic.Int64 // bytes of the source, each counted once
	BytesTotal      atomic.Int64 // size of the source files; 0 if the source is no file
	TuplesProcessed atomic.Int64
	TuplesExcluded  atomic.Int64
	TuplesSkipped   atomic.Int64
}

// Cardinality is what a source says about its number of rows.
type Cardinality uint8

// The classes of cardinality.
const (
	Unknown  Cardinality = iota // nothing is known before the end
	Estimate                    // about so many
	AtMost                      // not more
	Exact                       // exactly so many
)

// String returns the class's name.
func (c Cardinality) String() string {
	return [...]string{"unknown", "estimate", "at most", "exact"}[c&3]
}

// Result is what a COPY did and what it took.
type Result struct {
	Rows          int64 // stored, or written
	Excluded      int64 // records that WHERE left out
	Skipped       int64 // records that ON_ERROR ignore left out
	SetNull       int64 // records of which ON_ERROR set_null made values NULL
	Ignored       int64 // rows that ON_CONFLICT left out
	Replaced      int64 // rows of the table that ON_CONFLICT replace deleted
	Bytes         int64 // of input read, or of output written
	Cardinality   Cardinality
	Workers       int // goroutines that converted at once, the caller's among them
	Fragments     int
	Reservations  int // times that space was taken
	ReservedBytes int64
	UsedBytes     int64
	Stages        [Stages]StageCost
	WallNS        int64
	CPUNS         int64 // of the process, from beginning to end of the COPY
	MinorFaults   int64 // likewise
}
