package journal

import (
	"fmt"
	"hash/crc32"
	"slices"
)

// Append writes one record, whose body is the parts joined, and returns its seq.
//
// With sync the record is durable when Append returns nil, and so are all before it; this
// is the commit point, and costs one pwrite and one fdatasync. The data files that it and
// earlier records name must be durable already. Without sync a crash may lose it and what
// follows it; see Replayer.Verify.
//
// ErrLogFull means that it does not fit and nothing was written: Rotate, then try again.
// ErrCommitUnknown (and ErrPoisoned) means that it may have become durable all the same.
// After any other error the record is not there and never will be, and the journal goes on.
// The parts are not kept.
func (j *Journal) Append(sync bool, parts ...[]byte) (seq uint64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return 0, err
	}
	var length int64
	for _, p := range parts {
		length += int64(len(p))
	}
	if !j.fits(length) {
		return 0, fmt.Errorf("%w: record of %d bytes", ErrLogFull, length)
	}
	h := recordHeader{kind: kindCommit, seq: j.seq + 1}
	if sync {
		h.flags = flagSynced
	}
	if err := j.write(h, parts...); err != nil {
		return 0, err
	}
	j.seq++
	if sync {
		if err := j.syncTail(); err != nil {
			return 0, fmt.Errorf("%w: %w", ErrCommitUnknown, err)
		}
	}
	return j.seq, nil
}

// Sync makes everything that was appended durable. The data files that it names must be.
func (j *Journal) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return err
	}
	if j.durableEnd == j.tail {
		return nil
	}
	return j.syncTail()
}

// Mark makes everything durable and says so in the log, so that damage to the last record
// is later known for what it is. It does nothing if nothing was appended since the last
// mark, or if the log has no block left for it. An idle store may call it at leisure.
func (j *Journal) Mark() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return err
	}
	if j.unclean {
		return nil
	}
	return j.mark()
}

func (j *Journal) mark() error {
	if j.durableEnd != j.tail {
		if err := j.syncTail(); err != nil {
			return err
		}
	}
	// The last block of the reserve stays for a continuation.
	if j.marked || j.tail+recordSpan(0) > j.header.size-blockSize {
		return nil
	}
	if err := j.write(recordHeader{kind: kindMark, seq: j.seq}); err != nil {
		return err
	}
	if err := j.syncTail(); err != nil {
		return err
	}
	j.marked = true
	return nil
}

// syncTail syncs the log up to the tail; failure poisons. j.mu is held.
func (j *Journal) syncTail() error {
	if err := j.sync(j.log); err != nil {
		return err
	}
	j.durableEnd, j.durableSeq = j.tail, j.seq
	return nil
}

// write puts a record at the tail with one pwrite of whole blocks and moves the tail. kind,
// flags and seq of h are given. After an error the record is not there, unless the error
// is ErrPoisoned. j.mu is held.
func (j *Journal) write(h recordHeader, parts ...[]byte) error {
	h.logID, h.offset = j.header.id, j.tail
	h.durableSeq, h.durableEnd = j.durableSeq, j.durableEnd
	h.nextFile = j.files.Load()
	j.buf = appendRecord(j.buf[:0], h, parts)
	n, err := j.log.WriteAt(j.buf, j.tail)
	if err != nil {
		return j.undo(int64(len(j.buf)), fmt.Errorf("journal: write log: %w", err))
	}
	j.tail += int64(n)
	j.marked = false
	if cap(j.buf) > maxKeptBuffer {
		j.buf = nil
	}
	return nil
}

// appendRecord appends a record with its padding to b, which must be at a block boundary of
// the log. Length and checksum of the body are filled in.
func appendRecord(b []byte, h recordHeader, parts [][]byte) []byte {
	h.length, h.crc = 0, 0
	for _, p := range parts {
		h.length += int64(len(p))
		h.crc = crc32.Update(h.crc, castagnoli, p)
	}
	start, span := len(b), int(recordSpan(h.length))
	b = slices.Grow(b, span)
	b = h.encode(b)
	for _, p := range parts {
		b = append(b, p...)
	}
	used := len(b)
	b = b[:start+span]
	clear(b[used:])
	return b
}

// undo takes back a write that failed after an unknown number of bytes. The record could be
// whole on the device, or become so later, so zeros go over it and are made durable before
// the failure counts as clean. j.mu is held.
func (j *Journal) undo(n int64, cause error) error {
	blank := j.buf[:n]
	clear(blank)
	_, err := j.log.WriteAt(blank, j.tail)
	if err == nil {
		if err = j.syncTail(); err == nil {
			return cause
		}
	} else {
		err = j.fail(err)
	}
	return fmt.Errorf("%w: %w; undoing it: %w", ErrCommitUnknown, cause, err)
}
