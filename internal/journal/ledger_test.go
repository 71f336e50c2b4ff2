package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs"
)

// ledger is a small owner of a journal: a map from keys to values, each value either in the
// record or in a data file of its own.
type ledger struct {
	fs      vfs.FS
	j       *Journal
	entries map[uint64]entry
	dirty   []vfs.File // data files that are not synced yet
	applied uint64
}

// entry is a value in the record (file empty), or the data file that holds it.
type entry struct {
	value string
	file  string
	size  int64
	crc   uint32
}

func (e entry) append(b []byte, key uint64) []byte {
	b = binary.LittleEndian.AppendUint64(b, key)
	b = binary.LittleEndian.AppendUint64(b, uint64(e.size))
	b = binary.LittleEndian.AppendUint32(b, e.crc)
	for _, s := range []string{e.value, e.file} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return b
}

var errShortBody = errors.New("ledger: short body")

func readEntry(b []byte) (key uint64, e entry, rest []byte, err error) {
	if len(b) < 20 {
		return 0, e, nil, errShortBody
	}
	key = binary.LittleEndian.Uint64(b)
	e.size = int64(binary.LittleEndian.Uint64(b[8:]))
	e.crc = binary.LittleEndian.Uint32(b[16:])
	b = b[20:]
	for _, s := range []*string{&e.value, &e.file} {
		if len(b) < 4 {
			return 0, e, nil, errShortBody
		}
		n := binary.LittleEndian.Uint32(b)
		b = b[4:]
		if uint64(n) > uint64(len(b)) {
			return 0, e, nil, errShortBody
		}
		*s, b = string(b[:n]), b[n:]
	}
	return key, e, b, nil
}

const opPut, opDelete = 'P', 'D'

func (l *ledger) encode() []byte {
	var b []byte
	for _, key := range slices.Sorted(maps.Keys(l.entries)) {
		b = l.entries[key].append(b, key)
	}
	return b
}

func (l *ledger) State(seq uint64, body []byte) error {
	l.entries = map[uint64]entry{}
	l.applied = seq
	for len(body) > 0 {
		key, e, rest, err := readEntry(body)
		if err != nil {
			return err
		}
		l.entries[key], body = e, rest
	}
	return nil
}

func (l *ledger) Verify(_ uint64, body []byte) error {
	if len(body) == 0 || body[0] != opPut {
		return nil
	}
	_, e, _, err := readEntry(body[1:])
	if err != nil || e.file == "" {
		return err
	}
	_, err = l.load(e)
	return err
}

func (l *ledger) Apply(seq uint64, body []byte) error {
	if len(body) == 0 || seq != l.applied+1 {
		return fmt.Errorf("ledger: %d bytes at seq %d after %d", len(body), seq, l.applied)
	}
	key, e, _, err := readEntry(body[1:])
	if err != nil {
		return err
	}
	if l.applied = seq; body[0] == opDelete {
		delete(l.entries, key)
	} else {
		l.entries[key] = e
	}
	return nil
}

func (l *ledger) Files() (keep []string, err error) {
	for _, key := range slices.Sorted(maps.Keys(l.entries)) {
		e := l.entries[key]
		if e.file == "" {
			continue
		}
		f, err := l.fs.Open(e.file, false)
		if err != nil {
			return nil, err
		}
		size, err := f.Size()
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		if size < e.size {
			return nil, fmt.Errorf("ledger: %s has %d bytes, not %d", e.file, size, e.size)
		}
		keep = append(keep, e.file)
	}
	return keep, nil
}

// load reads the value of an entry and checks it.
func (l *ledger) load(e entry) (string, error) {
	if e.file == "" {
		return e.value, nil
	}
	f, err := l.fs.Open(e.file, false)
	if err != nil {
		return "", err
	}
	b := make([]byte, e.size)
	_, err = f.ReadAt(b, 0)
	if err == io.EOF {
		err = nil
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if crc32.Checksum(b, castagnoli) != e.crc {
		return "", fmt.Errorf("ledger: %s is damaged: %w", e.file, ErrCorrupt)
	}
	return string(b), nil
}

// values reads all values back.
func (l *ledger) values() (map[uint64]string, error) {
	out := map[uint64]string{}
	for key, e := range l.entries {
		v, err := l.load(e)
		if err != nil {
			return nil, err
		}
		out[key] = v
	}
	return out, nil
}

// smallLogs make rotation frequent and crash images cheap.
var smallLogs = Options{FirstLogBytes: 48 << 10, LogBytes: 64 << 10}

func (l *ledger) options() Options {
	opt := smallLogs
	opt.FS = l.fs
	return opt
}

// openLedger opens the store in a directory, creates it if it is not there, and completes a
// recovery.
func openLedger(dir vfs.FS) (*ledger, error) { return openLedgerThen(dir, func(*ledger) {}) }

// openLedgerThen is openLedger with a call between Open and the Rotate of a recovery.
func openLedgerThen(dir vfs.FS, opened func(*ledger)) (*ledger, error) {
	l := &ledger{fs: dir, entries: map[uint64]entry{}}
	exists, err := Exists(dir)
	if err != nil {
		return nil, err
	}
	if !exists {
		l.j, err = Create(l.options(), nil)
		return l, err
	}
	if l.j, err = Open(l.options(), l); err != nil {
		return nil, err
	}
	opened(l)
	if l.j.Unclean() {
		if err := l.j.Rotate(0, l.encode()); err != nil {
			return nil, errors.Join(err, l.j.Close())
		}
	}
	return l, nil
}

// put commits a value, in the record or in a data file, with sync or without.
func (l *ledger) put(key uint64, value string, inFile, sync bool) error {
	e := entry{value: value}
	if inFile {
		var err error
		if e, err = l.store(value); err != nil {
			return err
		}
	}
	if sync {
		if err := l.syncData(); err != nil {
			return err
		}
	}
	if err := l.append(sync, e.append([]byte{opPut}, key)); err != nil {
		return err
	}
	l.entries[key] = e
	return nil
}

// store writes a value to a data file of its own, half of it through a mapping.
func (l *ledger) store(value string) (e entry, err error) {
	e = entry{file: DataName(l.j.NewFileNumber()), size: int64(len(value)), crc: crc32.Checksum([]byte(value), castagnoli)}
	f, err := l.fs.Create(e.file)
	if err != nil {
		return e, err
	}
	l.dirty = append(l.dirty, f)
	if err := f.Allocate(0, e.size+1000); err != nil {
		return e, err
	}
	half := len(value) / 2
	m, err := f.Map(int64(half), len(value)-half, true)
	if err != nil {
		return e, err
	}
	copy(m.Bytes(), value[half:])
	m.Release()
	if _, err = f.WriteAt([]byte(value[:half]), 0); err != nil {
		return e, err
	}
	return e, f.Truncate(e.size)
}

// syncData makes all data files durable, names included.
func (l *ledger) syncData() error {
	if len(l.dirty) == 0 {
		return nil
	}
	for _, f := range l.dirty {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := l.fs.SyncDir(); err != nil {
		return err
	}
	for _, f := range l.dirty {
		if err := f.Close(); err != nil {
			return err
		}
	}
	l.dirty = nil
	return nil
}

func (l *ledger) remove(key uint64) error {
	if err := l.syncData(); err != nil {
		return err
	}
	if err := l.append(true, entry{}.append([]byte{opDelete}, key)); err != nil {
		return err
	}
	e := l.entries[key]
	delete(l.entries, key)
	if e.file != "" {
		_ = l.fs.Remove(e.file) // if it stays it is an orphan: the commit stands
	}
	return nil
}

func (l *ledger) append(sync bool, body []byte) error {
	_, err := l.j.Append(sync, body[:1], body[1:])
	if errors.Is(err, ErrLogFull) {
		if err := l.rotate(); err != nil {
			return err
		}
		_, err = l.j.Append(sync, body)
	}
	return err
}

func (l *ledger) rotate() error {
	if err := l.syncData(); err != nil {
		return err
	}
	state := l.encode()
	return l.j.Rotate(20<<10, state[:len(state)/2], state[len(state)/2:])
}

func (l *ledger) close() error {
	if err := l.syncData(); err != nil {
		return errors.Join(err, l.j.Abandon())
	}
	return l.j.Close()
}

// step is one operation of a script.
type step struct {
	what   string // put, remove, rotate, prepare, sync, mark, reopen
	key    uint64
	value  string
	inFile bool
	sync   bool
}

// drawScript makes a script that uses everything.
func drawScript(seed uint64, n int) []step {
	rng := rand.New(rand.NewPCG(seed, 1))
	var script []step
	held := map[uint64]bool{}
	for i := range n {
		s := step{what: "put", key: uint64(rng.IntN(6)), sync: rng.IntN(3) > 0}
		switch rng.IntN(12) {
		case 0:
			s.what = "rotate"
		case 1:
			s.what = "prepare"
		case 2:
			s.what = "sync"
		case 3:
			s.what = "reopen"
		case 4:
			s.what = "mark"
		case 5:
			if held[s.key] {
				s.what = "remove"
			}
			delete(held, s.key)
		}
		if s.what == "put" {
			s.inFile = rng.IntN(3) == 0
			length := rng.IntN(200)
			if rng.IntN(3) == 0 {
				length = 3000 + rng.IntN(9000)
			}
			s.value = fmt.Sprintf("%d:%s", i, bytes.Repeat([]byte{byte('a' + i%26)}, length))
			held[s.key] = true
		}
		script = append(script, s)
	}
	return script
}

// history is what a script did: the values after each step that changed any, from the empty
// store on, and how many of these are certain to survive.
type history struct {
	states []map[uint64]string
	acked  int // index into states of the last durable one
	// rotate, if set, is called with each rotation of the script to make.
	rotate func(func() error) error
}

// run performs a script until its end or the first error. Steps change states before they
// are known to have worked: the last one may or may not survive.
func (h *history) run(dir vfs.FS, script []step) (err error) {
	h.states = []map[uint64]string{{}}
	l, err := openLedger(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.j.Abandon()) }()
	for _, s := range script {
		before := h.states[len(h.states)-1]
		durable := true
		switch s.what {
		case "put":
			after := maps.Clone(before)
			after[s.key] = s.value
			h.states = append(h.states, after)
			err, durable = l.put(s.key, s.value, s.inFile, s.sync), s.sync
		case "remove":
			after := maps.Clone(before)
			delete(after, s.key)
			h.states = append(h.states, after)
			err = l.remove(s.key)
		case "rotate":
			if h.rotate == nil {
				err = l.rotate()
			} else if err = errors.Join(l.syncData(), l.j.Sync()); err == nil {
				err = h.rotate(l.rotate)
			}
		case "prepare":
			err, durable = l.j.Prepare(), false
		case "sync":
			if err = l.syncData(); err == nil {
				err = l.j.Sync()
			}
		case "mark":
			if err = l.syncData(); err == nil {
				err = l.j.Mark()
			}
		case "reopen":
			if err = l.close(); err == nil {
				l, err = reopen(dir, l)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
		if durable {
			h.acked = len(h.states) - 1
		}
	}
	return l.syncData()
}

// reopen returns the old ledger with an error, so that there is always one to close.
func reopen(dir vfs.FS, old *ledger) (*ledger, error) {
	l, err := openLedger(dir)
	if err != nil {
		return old, err
	}
	return l, nil
}

// position returns which of the states from index at on the ledger has.
func (h *history) position(l *ledger, at int) (int, error) {
	values, err := l.values()
	if err != nil {
		return 0, err
	}
	for i := at; i < len(h.states); i++ {
		if maps.Equal(h.states[i], values) {
			return i, nil
		}
	}
	for i, s := range h.states[:at] {
		if maps.Equal(s, values) {
			return 0, fmt.Errorf("lost: the store is at state %d, %d was durable", i, at)
		}
	}
	return 0, fmt.Errorf("the store has %d values and is at no state of its history", len(values))
}

func mustOpen(t testing.TB, dir vfs.FS) *ledger {
	t.Helper()
	l, err := openLedger(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
