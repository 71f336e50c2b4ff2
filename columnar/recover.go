package columnar

import (
	"context"

	"github.com/ingotdb/ingot/internal/journal"
	"github.com/ingotdb/ingot/visibility"
)

// recovery rebuilds the latest version from the log; it is the journal's Replayer.
type recovery struct {
	store *Store
	r     replayer
	open  map[*dataFile]struct{} // files mapped so far
}

// recover opens an existing store.
func (s *Store) recover(opt journal.Options) (err error) {
	rec := &recovery{store: s, open: map[*dataFile]struct{}{}}
	rec.r.files = map[uint64]*dataFile{}
	rec.r.draft = (&version{}).draft()
	defer func() {
		if err != nil {
			for df := range rec.open {
				df.m.Release()
			}
		}
	}()
	if s.log, err = journal.Open(opt, rec); err != nil {
		return err
	}
	v := rec.r.draft.version
	var files []*dataFile
	for df, frags := range rec.r.draft.refs {
		if df.frags = frags; frags > 0 {
			files = append(files, df)
		}
	}
	for df := range rec.open {
		if df.frags <= 0 { // looked at by Verify, and dropped or cut off later
			df.m.Release()
			df.m = nil
		}
	}
	s.start(&v, files)
	if opt.ReadOnly || !s.log.Unclean() {
		return nil
	}
	if err := s.rotate(context.Background(), nil, 0); err != nil {
		s.logger().Warn("recovery could not start a new log; the first commit tries again", "err", err)
	}
	return nil
}

// State begins the history with the full state at the head of a log.
func (rec *recovery) State(seq uint64, body []byte) error {
	rec.r.draft = (&version{}).draft()
	rec.r.files = map[uint64]*dataFile{}
	rec.r.draft.seq = visibility.CommitSeq(seq)
	return rec.damaged(seq, rec.r.state(body))
}

// Apply makes the changes of one record.
func (rec *recovery) Apply(seq uint64, body []byte) error {
	rec.r.draft.seq = visibility.CommitSeq(seq)
	return rec.damaged(seq, rec.r.apply(body))
}

// damaged says which record cannot be: its checksum holds, its content does not.
func (rec *recovery) damaged(seq uint64, err error) error {
	if err == nil {
		return nil
	}
	return corrupt("log", -1, "record %d: %v", seq, err)
}

// Verify checks every chunk that a record past the last known sync names.
func (rec *recovery) Verify(seq uint64, body []byte) error {
	probe := replayer{draft: rec.r.draft.clone(), files: rec.r.files}
	known := map[*dataFile]int{}
	for df, n := range probe.draft.refs {
		known[df] = n
	}
	if err := probe.apply(body); err != nil {
		return rec.damaged(seq, err)
	}
	for df, n := range probe.draft.refs {
		if n <= known[df] {
			continue
		}
		if err := rec.openFile(df); err != nil {
			return err
		}
	}
	for _, t := range probe.draft.list() {
		if err := t.verifyFiles(func(df *dataFile) bool { return probe.draft.refs[df] > known[df] }); err != nil {
			return err
		}
	}
	return nil
}

// verifyFiles opens every chunk and every run that lies in a file of interest.
func (t *Table) verifyFiles(of func(*dataFile) bool) (err error) {
	t.pieces(func(_ visibility.RowID, p piece) {
		if err != nil || p.from != 0 || p.frag.file == nil || !of(p.frag.file) {
			return
		}
		for i := range p.frag.chunks {
			if _, err = p.frag.open(&p.frag.chunks[i]); err != nil {
				return
			}
		}
	})
	for _, r := range t.runs {
		if err == nil && r.file != nil && of(r.file) {
			_, err = r.open(t)
		}
	}
	return err
}

// Files maps the data files of the recovered version and returns their names.
func (rec *recovery) Files() ([]string, error) {
	var names []string
	for df, frags := range rec.r.draft.refs {
		if frags <= 0 {
			continue
		}
		if err := rec.openFile(df); err != nil {
			return nil, err
		}
		names = append(names, df.name)
	}
	return names, rec.extents()
}

func (rec *recovery) openFile(df *dataFile) error {
	if df.m != nil {
		return nil
	}
	if err := df.open(rec.store.fs); err != nil {
		return err
	}
	rec.open[df] = struct{}{}
	return nil
}

// extents checks that every chunk and every run of the recovered version lies in its file.
func (rec *recovery) extents() (err error) {
	for _, t := range rec.r.draft.list() {
		t.pieces(func(_ visibility.RowID, p piece) {
			if err != nil || p.frag.file == nil {
				return
			}
			for i := range p.frag.chunks {
				l := &p.frag.chunks[i].loc
				if l.off+l.size > p.frag.file.size || l.outOff+l.outLen > p.frag.file.size {
					err = corrupt(p.frag.file.name, l.off, "a chunk ends behind the file's %d bytes", p.frag.file.size)
					return
				}
			}
		})
		for _, r := range t.runs {
			if err == nil && r.file != nil && !r.inside(r.file.size) {
				err = corrupt(r.file.name, r.dirs[fromEnd].off, "an adjacency run ends behind the file's %d bytes", r.file.size)
			}
		}
	}
	return err
}
