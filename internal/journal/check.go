package journal

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Check reads everything back that the journal holds: both slots, and all records of the
// logs that they lead to, checksums included. It calls report for each part, with nil or
// with what is wrong, and returns an error if anything is. Appends wait meanwhile.
func (j *Journal) Check(report func(what string, err error)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrClosed
	}
	var all []error
	note := func(what string, err error) {
		report(what, err)
		if err != nil {
			all = append(all, err)
		}
	}
	sb, err := openSuperblock(j.fs, false)
	if err != nil {
		note("superblock", err)
		return errors.Join(all...)
	}
	checked := map[uint64]bool{}
	for i, bad := range sb.errs {
		what := fmt.Sprintf("superblock slot %d", i)
		if bad != nil {
			path := filepath.Join(j.fs.Path(), superblockName)
			note(what, &CorruptionError{path, int64(i) * blockSize, bad.Error()})
			continue
		}
		note(what, nil)
		j.checkChain(sb.slots[i], checked, note)
	}
	if err := sb.file.Close(); err != nil {
		note("superblock", fmt.Errorf("journal: %w", err))
	}
	if !checked[j.header.number] {
		note("superblock", &CorruptionError{filepath.Join(j.fs.Path(), superblockName), 0,
			fmt.Sprintf("no slot leads to the present log %d", j.header.number)})
	}
	return errors.Join(all...)
}

// checkChain checks the log that a slot names and those in which it continues, but none twice.
func (j *Journal) checkChain(s slot, checked map[uint64]bool, note func(string, error)) {
	for number, id := s.log, s.logID; number != 0 && !checked[number]; {
		checked[number] = true
		what := logName(number)
		l, err := openLog(j.fs, j.store, number, id, false)
		if err != nil {
			note(what, err)
			return
		}
		err = l.scan()
		if err == nil && number == j.header.number && l.end != j.tail && !j.unclean {
			err = l.corrupt(l.end, "log ends here, but should at byte %d", j.tail)
		}
		if err == nil && number != j.header.number && l.next == 0 {
			err = l.corrupt(l.end, "log %d does not lead to the present log %d", number, j.header.number)
		}
		if closeErr := l.file.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("journal: %w", closeErr)
		}
		note(what, err)
		number, id = l.next, l.nextID
	}
}
