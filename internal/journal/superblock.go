package journal

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/ingotdb/ingot/internal/vfs"
)

// superblock is the open SB file and what its slots say.
type superblock struct {
	file   vfs.File
	slots  [2]slot
	errs   [2]error // why a slot is not valid; nil if it is
	newest int      // index of the valid slot with the higher generation
}

// openSuperblock reads both slots. One bad slot is the trace of a torn write, or of damage
// that the other one makes good; two are a *CorruptionError. A newest slot of a newer
// format is ErrVersion. The caller closes the file.
func openSuperblock(fs vfs.FS, writable bool) (*superblock, error) {
	f, err := fs.Open(superblockName, writable)
	if err != nil {
		return nil, fmt.Errorf("journal: open superblock: %w", err)
	}
	sb := &superblock{file: f}
	if err := sb.read(filepath.Join(fs.Path(), superblockName)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return sb, nil
}

func (sb *superblock) read(path string) error {
	if err := sb.file.DropCache(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	block := make([]byte, blockSize)
	for i := range sb.slots {
		n, err := sb.file.ReadAt(block, int64(i)*blockSize)
		if err != nil && err != io.EOF {
			return fmt.Errorf("journal: read superblock: %w", err)
		}
		sb.slots[i], sb.errs[i] = decodeSlot(block[:n])
		if errors.Is(sb.errs[i], ErrVersion) {
			return fmt.Errorf("journal: %s: %w", path, sb.errs[i])
		}
	}
	a, b := &sb.slots[0], &sb.slots[1]
	switch {
	case sb.errs[0] != nil && sb.errs[1] != nil:
		return &CorruptionError{path, 0, fmt.Sprintf("both slots are bad: %v; %v", sb.errs[0], sb.errs[1])}
	case sb.errs[0] != nil:
		sb.newest = 1
	case sb.errs[1] != nil:
		sb.newest = 0
	case a.store != b.store:
		return &CorruptionError{path, blockSize, "the slots belong to different stores"}
	case a.generation == b.generation:
		return &CorruptionError{path, blockSize, fmt.Sprintf("both slots have generation %d", a.generation)}
	case a.generation < b.generation:
		sb.newest = 1
	}
	return nil
}

// point writes the slot that is not the newest, so that it becomes it and names a log. The
// other one stays valid meanwhile. It does not sync.
func (sb *superblock) point(number, id uint64) error {
	s := sb.slots[sb.newest]
	s.generation++
	s.log, s.logID = number, id
	i := 1 - sb.newest
	if _, err := sb.file.WriteAt(s.encode(), int64(i)*blockSize); err != nil {
		return fmt.Errorf("journal: write superblock: %w", err)
	}
	sb.slots[i], sb.errs[i], sb.newest = s, nil, i
	return nil
}

// oldestLog returns the lowest number of a log that a valid slot names.
func (sb *superblock) oldestLog() uint64 {
	oldest := sb.slots[sb.newest].log
	if other := 1 - sb.newest; sb.errs[other] == nil {
		oldest = min(oldest, sb.slots[other].log)
	}
	return oldest
}

// writeSuperblock makes the first superblock of a store under a temporary name, with both
// slots naming a log, and gives it its name.
func writeSuperblock(fs vfs.FS, s slot) (*superblock, error) {
	f, err := createTemp(fs, superblockTemp)
	if err != nil {
		return nil, err
	}
	sb := &superblock{file: f}
	both := make([]byte, 0, 2*blockSize)
	for i := range sb.slots {
		s.generation++
		sb.slots[i] = s
		both = append(both, s.encode()...)
	}
	sb.newest = 1
	if _, err = f.WriteAt(both, 0); err == nil {
		if err = f.Sync(); err == nil {
			err = fs.Rename(superblockTemp, superblockName)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("journal: create superblock: %w", err), f.Close(), fs.Remove(superblockTemp))
	}
	return sb, nil
}
