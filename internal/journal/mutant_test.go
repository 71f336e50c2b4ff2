package journal

import (
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs/errfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
)

// mutants leave out one kind of sync each. The names of log files are those they were opened
// under: log.tmp for one that was made in the same run.
var mutants = []mutant{
	{name: "no data sync", always: []errfs.Rule{{Kind: errfs.Sync, Name: "data-*"}}},
	{name: "no log sync", always: []errfs.Rule{{Kind: errfs.Sync, Name: "log*"}}},
	{name: "no superblock sync", always: []errfs.Rule{{Kind: errfs.Sync, Name: "SB*"}}},
	{name: "no directory sync", always: []errfs.Rule{{Kind: errfs.SyncDir}}},
	{name: "rotate does not sync the new log", rotation: []errfs.Rule{{Kind: errfs.Sync, Name: "log*", Nth: 1}}},
	{name: "rotate does not sync the continuation", rotation: []errfs.Rule{{Kind: errfs.Sync, Name: "log*", Nth: 2}}},
	{name: "rotate does not sync the directory", rotation: []errfs.Rule{{Kind: errfs.SyncDir}}},
	{name: "rotate does not sync the superblock", rotation: []errfs.Rule{{Kind: errfs.Sync, Name: "SB*"}}},
	{name: "recovery does not sync the log", recovery: []errfs.Rule{{Kind: errfs.Sync, Name: "log-*"}},
		first: []memfs.Mode{memfs.Kill}},
	{name: "recovery does not sync data", recovery: []errfs.Rule{{Kind: errfs.Sync, Name: "data-*"}},
		first: []memfs.Mode{memfs.Kill}, second: []memfs.Mode{memfs.Strict}},
	{name: "recovery does not sync the directory", recovery: []errfs.Rule{{Kind: errfs.SyncDir}},
		first: []memfs.Mode{memfs.Kill}},
	{name: "recovery does not sync the superblock", recovery: []errfs.Rule{{Kind: errfs.Sync, Name: "SB"}},
		first: []memfs.Mode{memfs.Kill}, second: []memfs.Mode{memfs.Torn}, after: "WriteAt SB", seeds: 400},
}

// TestSimulatorFindsMissingSyncs shows that each sync is needed, and that the crash test
// would notice its absence. It stops at the first violation, but counts all for a soak.
func TestSimulatorFindsMissingSyncs(t *testing.T) {
	seeds, budget := 4, 30*time.Second
	if soak {
		seeds, budget = 20, 10*time.Minute
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			trials, violations := 0, 0
			deadline := time.Now().Add(budget)
			for script := uint64(0); script < 20 && time.Now().Before(deadline) && (soak || violations == 0); script++ {
				trials += explore(&m, script, max(seeds, m.seeds), budget/20, 0, func(at trial, err error) bool {
					if violations++; violations == 1 {
						t.Logf("first: %s: %v", at, err)
					}
					return soak
				})
			}
			t.Logf("%d trials, %d violations", trials, violations)
			if violations == 0 {
				t.Error("no violation found")
			}
		})
	}
}
