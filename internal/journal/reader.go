package journal

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/ingotdb/ingot/internal/vfs"
)

// tailChunk is how much of a log's unused end is read at a time; a multiple of blockSize.
const tailChunk = 256 << 10

// logFile is a log being read: its header and what scan found.
type logFile struct {
	file   vfs.File
	path   string
	header logHeader

	records    []recordHeader // valid and in order, from the state on
	end        int64          // where the first record that is not there would be
	clean      bool           // ends with a mark, and zeros follow
	next       uint64         // number of the log it continues in; 0 if it is the last
	nextID     uint64
	durableSeq uint64 // highest seq whose record and data a header declares durable
	nextFile   uint64 // no file number from here on is named, as far as any header tells
}

// openLog opens log number and reads its header, which must have that id. The caller closes
// the file. The log's cached bytes are dropped first where the system can: after a failed
// sync the cache may show what the device does not have.
func openLog(dir vfs.FS, store [16]byte, number, id uint64, writable bool) (*logFile, error) {
	name := logName(number)
	l := &logFile{path: filepath.Join(dir.Path(), name)}
	var err error
	if l.file, err = dir.Open(name, writable); errors.Is(err, fs.ErrNotExist) {
		return nil, l.corrupt(0, "log is named by the superblock or another log, but missing")
	} else if err != nil {
		return nil, fmt.Errorf("journal: open log: %w", err)
	}
	if err := l.readHeader(store, number, id); err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	return l, nil
}

func (l *logFile) readHeader(store [16]byte, number, id uint64) error {
	if err := l.file.DropCache(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	size, err := l.file.Size()
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	block := make([]byte, logHeaderSize)
	n, err := l.file.ReadAt(block, 0)
	if err != nil && err != io.EOF {
		return fmt.Errorf("journal: read log: %w", err)
	}
	l.header, err = decodeLogHeader(block[:n])
	switch {
	case errors.Is(err, ErrVersion):
		return fmt.Errorf("journal: %s: %w", l.path, err)
	case err != nil:
		return l.corrupt(0, "log header: %v", err)
	case l.header.store != store:
		return l.corrupt(0, "log belongs to another store")
	case l.header.number != number || l.header.id != id:
		return l.corrupt(0, "this is log %d with id %x, not log %d with id %x", l.header.number, l.header.id, number, id)
	case size < l.header.size:
		return l.corrupt(size, "log has %d bytes, its header says %d", size, l.header.size)
	}
	return nil
}

func (l *logFile) corrupt(offset int64, format string, args ...any) error {
	return &CorruptionError{l.path, offset, fmt.Sprintf(format, args...)}
}

// scan reads all records and finds where the log ends, and why there: continued, closed, or
// cut by a crash. A record that is bad although it had been durable is a *CorruptionError.
// Nothing is written.
func (l *logFile) scan() error {
	var body []byte
	for l.end = blockSize; l.end < l.header.size; {
		h, ok, err := l.readRecordHeader(l.end)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if body, err = l.readBody(h, body); err != nil {
			return err
		}
		if crc32.Checksum(body, castagnoli) != h.crc {
			break
		}
		if err := l.accept(h, body); err != nil {
			return err
		}
		l.end += recordSpan(h.length)
		if h.kind == kindContinue {
			return nil
		}
	}
	if len(l.records) == 0 {
		return l.corrupt(blockSize, "the state at the head of the log is bad")
	}
	return l.scanTail()
}

// readRecordHeader returns the header at offset and whether there is a valid one whose body
// ends inside the log.
func (l *logFile) readRecordHeader(offset int64) (recordHeader, bool, error) {
	var b [recordHeaderSize]byte
	if _, err := l.file.ReadAt(b[:], offset); err != nil {
		return recordHeader{}, false, fmt.Errorf("journal: read %s: %w", l.path, err)
	}
	h, ok := decodeRecordHeader(b[:], l.header.id, offset)
	room := l.header.size - offset - recordHeaderSize
	return h, ok && h.length >= 0 && h.length <= room, nil
}

// readBody reads the body of a record into buf, which grows as needed.
func (l *logFile) readBody(h recordHeader, buf []byte) ([]byte, error) {
	if int64(cap(buf)) < h.length {
		buf = make([]byte, h.length)
	}
	buf = buf[:h.length]
	if _, err := l.file.ReadAt(buf, h.offset+recordHeaderSize); err != nil {
		return nil, fmt.Errorf("journal: read %s: %w", l.path, err)
	}
	return buf, nil
}

// accept adds a record whose checksums hold. One that does not follow from those before it
// was never written like this.
func (l *logFile) accept(h recordHeader, body []byte) error {
	last, first := recordHeader{}, len(l.records) == 0
	if !first {
		last = l.records[len(l.records)-1]
	}
	switch {
	case first != (h.kind == kindState):
		return l.corrupt(h.offset, "record of kind %d at position %d of the log", h.kind, len(l.records))
	case h.kind == kindCommit && h.seq != last.seq+1, !first && h.kind != kindCommit && h.seq != last.seq:
		return l.corrupt(h.offset, "record of kind %d has seq %d after %d", h.kind, h.seq, last.seq)
	case h.durableSeq > h.seq || h.durableEnd > h.offset || h.durableEnd < last.durableEnd:
		return l.corrupt(h.offset, "record declares seq %d and bytes to %d durable", h.durableSeq, h.durableEnd)
	}
	switch h.kind {
	case kindState, kindCommit, kindMark:
	case kindContinue:
		var ok bool
		if l.next, l.nextID, ok = decodeLink(body); !ok || l.next <= l.header.number {
			return l.corrupt(h.offset, "continuation in log %d of log %d", l.next, l.header.number)
		}
	default:
		return l.corrupt(h.offset, "record of unknown kind %d", h.kind)
	}
	l.records = append(l.records, h)
	l.durableSeq = max(l.durableSeq, h.durableSeq)
	if h.kind == kindState || h.flags&flagSynced != 0 {
		l.durableSeq = max(l.durableSeq, h.seq)
	}
	l.nextFile = max(l.nextFile, h.nextFile)
	return nil
}

// scanTail looks at everything from l.end on. A valid header there that declares bytes
// behind l.end durable proves that the record at l.end was once good.
func (l *logFile) scanTail() error {
	chunk := make([]byte, min(tailChunk, l.header.size-l.end))
	allZero := true
	for at := l.end; at < l.header.size; at += int64(len(chunk)) {
		chunk = chunk[:min(int64(len(chunk)), l.header.size-at)]
		if _, err := l.file.ReadAt(chunk, at); err != nil {
			return fmt.Errorf("journal: read %s: %w", l.path, err)
		}
		if isZero(chunk) {
			continue
		}
		allZero = false
		for i := 0; i < len(chunk); i += blockSize {
			h, ok := decodeRecordHeader(chunk[i:], l.header.id, at+int64(i))
			if !ok {
				continue
			}
			if h.durableEnd > l.end {
				return l.corrupt(l.end, "bad record, which the record at byte %d declares durable", h.offset)
			}
			l.nextFile = max(l.nextFile, h.nextFile)
		}
	}
	l.clean = allZero && l.records[len(l.records)-1].kind == kindMark
	return nil
}

func isZero(b []byte) bool {
	for len(b) > 0 {
		n := min(len(b), len(zeros))
		if !bytes.Equal(b[:n], zeros[:n]) {
			return false
		}
		b = b[n:]
	}
	return true
}

// zeros is what unused log blocks are written with. Never written to.
var zeros [tailChunk]byte

// openChain opens the log that the newest slot names and follows continuations to the last
// one, which is returned scanned. The caller closes its file.
func openChain(dir vfs.FS, sb *superblock, writable bool) (*logFile, error) {
	s := sb.slots[sb.newest]
	for number, id := s.log, s.logID; ; {
		l, err := openLog(dir, s.store, number, id, writable)
		if err != nil {
			return nil, err
		}
		if err := l.scan(); err != nil {
			return nil, errors.Join(err, l.file.Close())
		}
		if l.next == 0 {
			return l, nil
		}
		number, id = l.next, l.nextID
		if err := l.file.Close(); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
	}
}
