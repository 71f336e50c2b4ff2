package naive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	block        = 4096
	version      = 1
	recordHeader = 72

	kindState        = 1
	kindCommit       = 2
	kindMark         = 3
	kindContinuation = 4
)

// slot is one half of the superblock.
type slot struct {
	store      [16]byte
	generation uint64
	log, logID uint64
}

func readSuperblock(dir string) (slot, error) {
	b, err := os.ReadFile(filepath.Join(dir, "SB"))
	if err != nil {
		return slot{}, fmt.Errorf("naive: %w", err)
	}
	var valid []slot
	for i := range 2 {
		if len(b) < (i+1)*block {
			break
		}
		s, ok, err := parseSlot(b[i*block:][:block])
		if err != nil {
			return slot{}, err
		}
		if ok {
			valid = append(valid, s)
		}
	}
	switch {
	case len(valid) == 0:
		return slot{}, corrupt("SB", "no valid slot")
	case len(valid) == 1:
		return valid[0], nil
	case valid[0].store != valid[1].store:
		return slot{}, corrupt("SB", "slots of two stores")
	case valid[0].generation == valid[1].generation:
		return slot{}, corrupt("SB", "both slots have generation %d", valid[0].generation)
	case valid[0].generation > valid[1].generation:
		return valid[0], nil
	}
	return valid[1], nil
}

func parseSlot(b []byte) (s slot, ok bool, err error) {
	if string(b[:8]) != "INGOTSB\x00" || crc(b[:56]) != u32(b[56:]) {
		return slot{}, false, nil
	}
	if u16(b[8:]) > version {
		return slot{}, false, fmt.Errorf("%w: SB", ErrVersion)
	}
	copy(s.store[:], b[16:])
	s.generation, s.log, s.logID = u64(b[32:]), u64(b[40:]), u64(b[48:])
	return s, true, nil
}

// record is a valid record of a log.
type record struct {
	kind       byte
	synced     bool
	at, end    uint64
	seq        uint64
	durableSeq uint64
	durableEnd uint64
	body       []byte
}

// log is the content of a log up to its end.
type log struct {
	name    string
	id      uint64
	records []record
	clean   bool
}

// followLogs reads the log that the slot names and those that it leads to, and returns the last.
func followLogs(dir string, from slot, s *Store) (*log, error) {
	number, id := from.log, from.logID
	for {
		l, err := readLog(dir, from.store, number, id)
		if err != nil {
			return nil, err
		}
		s.Logs = append(s.Logs, number)
		s.Clean = l.clean
		last := l.records[len(l.records)-1]
		if last.kind != kindContinuation {
			return l, nil
		}
		number, id = u64(last.body), u64(last.body[8:])
	}
}

func readLog(dir string, store [16]byte, number, id uint64) (*log, error) {
	l := &log{name: fmt.Sprintf("log-%d", number), id: id}
	b, err := os.ReadFile(filepath.Join(dir, l.name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, corrupt(l.name, "is named but not there")
	}
	if err != nil {
		return nil, fmt.Errorf("naive: %w", err)
	}
	if len(b) < 2*block || string(b[:8]) != "INGOTLOG" || crc(b[:56]) != u32(b[56:]) {
		return nil, corrupt(l.name, "header")
	}
	if u16(b[8:]) > version {
		return nil, fmt.Errorf("%w: %s", ErrVersion, l.name)
	}
	length := u64(b[48:])
	if [16]byte(b[16:32]) != store || u64(b[32:]) != number || u64(b[40:]) != id {
		return nil, corrupt(l.name, "is not the log that was named")
	}
	if length%block != 0 || length < 2*block || length > uint64(len(b)) {
		return nil, corrupt(l.name, "length is %d, the file has %d bytes", length, len(b))
	}
	return l, l.scan(b[:length], number)
}

// scan reads the records of the log, whose bytes are b, and decides where it ends.
func (l *log) scan(b []byte, number uint64) error {
	at := uint64(block)
	for at < uint64(len(b)) {
		r, ok := l.record(b, at)
		if !ok {
			break
		}
		if err := l.follow(r, number); err != nil {
			return err
		}
		l.records = append(l.records, r)
		at = r.end
		if r.kind == kindContinuation {
			return nil
		}
	}
	if len(l.records) == 0 {
		return corrupt(l.name, "no state")
	}
	for p := at; p < uint64(len(b)); p += block {
		if l.validHeader(b, p) && u64(b[p+40:]) > at {
			return corrupt(l.name, "the record at %d is damaged: that at %d says it was durable", at, p)
		}
	}
	l.clean = l.records[len(l.records)-1].kind == kindMark && allZero(b[at:])
	return nil
}

func (l *log) validHeader(b []byte, at uint64) bool {
	h := b[at:][:recordHeader]
	return string(h[:4]) == "iREC" && crc(h[:68]) == u32(h[68:]) && u64(h[8:]) == l.id && u64(h[16:]) == at
}

// record parses the record at a block of the log and tells whether it is valid.
func (l *log) record(b []byte, at uint64) (record, bool) {
	if !l.validHeader(b, at) {
		return record{}, false
	}
	h := b[at:]
	length := u64(h[56:])
	if length > uint64(len(b))-at-recordHeader {
		return record{}, false
	}
	r := record{
		kind:       h[4],
		synced:     h[5]&1 != 0,
		at:         at,
		seq:        u64(h[24:]),
		durableSeq: u64(h[32:]),
		durableEnd: u64(h[40:]),
		body:       h[recordHeader:][:length],
	}
	r.end = (at + recordHeader + length + block - 1) / block * block
	return r, crc(r.body) == u32(h[64:])
}

// follow tells whether r, a valid record, may come behind those before it.
func (l *log) follow(r record, number uint64) error {
	bad := func(format string, args ...any) error {
		return corrupt(fmt.Sprintf("%s at %d", l.name, r.at), format, args...)
	}
	first := len(l.records) == 0
	if first != (r.kind == kindState) {
		return bad("record of kind %d", r.kind)
	}
	if r.durableSeq > r.seq {
		return bad("durable seq %d above seq %d", r.durableSeq, r.seq)
	}
	if r.durableEnd > r.at {
		return bad("durable end %d", r.durableEnd)
	}
	if first {
		return nil
	}
	before := l.records[len(l.records)-1]
	want := before.seq
	switch r.kind {
	case kindCommit:
		want++
	case kindMark:
		if len(r.body) != 0 {
			return bad("mark with a body")
		}
	case kindContinuation:
		if len(r.body) != 16 {
			return bad("continuation of %d bytes", len(r.body))
		}
		if next := u64(r.body); next <= number {
			return bad("continuation leads to log %d", next)
		}
	default:
		return bad("record of kind %d", r.kind)
	}
	if r.seq != want {
		return bad("seq %d, not %d", r.seq, want)
	}
	if r.durableEnd < before.durableEnd {
		return bad("durable end %d below %d", r.durableEnd, before.durableEnd)
	}
	return nil
}
