package mmap

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// zeroChunk is how much Reserve writes at a time where the system cannot allocate: large
// enough to hide the call, small enough to keep as a buffer.
const zeroChunk = 1 << 20

// Reserve gives bytes [off, off+n) of f their disk blocks and makes the file at least
// off+n bytes long. Bytes that were there keep their values, new ones read as zero.
//
// A full disk or quota is reported here, wrapping syscall.ENOSPC or syscall.EDQUOT, and the
// file then has its old length again. Where the file system cannot allocate without
// writing, Reserve writes: n bytes of time, and nobody may write the range meanwhile.
func Reserve(f *os.File, off, n int64) error {
	if off < 0 || n < 0 || off+n < off {
		return fmt.Errorf("mmap: bad range to reserve: %d bytes at %d", n, off)
	}
	if n == 0 {
		return nil
	}
	st, err := f.Stat()
	if err != nil {
		return fmt.Errorf("mmap: reserve: %w", err)
	}
	err = sysReserve(f, off, n)
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		err = writeBlocks(f, st.Size(), off, n)
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("mmap: reserve %d bytes of %s at %d: %w", n, f.Name(), off, err)
	if undo := f.Truncate(st.Size()); undo != nil {
		err = errors.Join(err, undo)
	}
	return err
}

// writeBlocks does what fallocate does on a file of the given size, by writing: below size
// each byte is written back as it is, behind it zeros.
func writeBlocks(f *os.File, size, off, n int64) error {
	buf := make([]byte, min(n, zeroChunk))
	for end := off + n; off < end; {
		chunk := buf[:min(int64(len(buf)), end-off)]
		clear(chunk)
		if off < size {
			chunk = chunk[:min(int64(len(chunk)), size-off)]
			if _, err := f.ReadAt(chunk, off); err != nil {
				return err
			}
		}
		if _, err := f.WriteAt(chunk, off); err != nil {
			return err
		}
		off += int64(len(chunk))
	}
	return nil
}
