package journal

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// openAnything opens an image that may be anything and uses what it gets.
func openAnything(t *testing.T, img image) {
	disk := img.disk(t)
	r := &recorder{t: t}
	j, err := Open(options(disk), r)
	if err != nil {
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
			t.Errorf("error %v, want ErrCorrupt or ErrVersion", err)
		}
		return
	}
	if j.Unclean() {
		if err := j.Rotate(0, []byte("state")); err != nil {
			t.Fatalf("Rotate: %v", err)
		}
	}
	if j.Fits(4) {
		mustAppend(t, j, true, []byte("more"))
	}
	noError(t, j.Close())
	replayed(t, disk)
}

// FuzzSuperblock opens a store whose two slots begin with any bytes.
func FuzzSuperblock(f *testing.F) {
	img, _ := closedStore(f)
	sb := img[superblockName]
	f.Add(sb[:slotSize], sb[blockSize:blockSize+slotSize], len(sb))
	f.Add([]byte{}, sb[blockSize:blockSize+slotSize], blockSize+100)
	f.Fuzz(func(t *testing.T, first, second []byte, length int) {
		b := slices.Clone(sb)
		copy(b[:blockSize], first)
		copy(b[blockSize:], second)
		openAnything(t, img.with(superblockName, b[:max(0, min(length, len(b)))]))
	})
}

// FuzzLog opens a store whose newest log has any bytes at any place.
func FuzzLog(f *testing.F) {
	img, _ := closedStore(f)
	log := img[logName(2)]
	f.Add(uint16(0), log[:logHeaderSize], len(log))
	f.Add(uint16(blockSize), log[2*blockSize:2*blockSize+100], len(log))
	f.Add(uint16(3*blockSize+20), []byte{1, 2, 3}, 4*blockSize)
	f.Fuzz(func(t *testing.T, at uint16, patch []byte, length int) {
		b := slices.Clone(log)
		copy(b[min(int(at), len(b)):], patch)
		openAnything(t, img.with(logName(2), b[:max(0, min(length, len(b)))]))
	})
}

// FuzzBehindChecksums changes a field of a slot, a log header or a record header and repairs
// the checksum, to reach what the checksums hide.
func FuzzBehindChecksums(f *testing.F) {
	img, _ := closedStore(f)
	f.Add(uint8(0), uint8(32), uint64(1))
	f.Add(uint8(1), uint8(48), uint64(1<<40))
	f.Add(uint8(3), uint8(56), uint64(1<<63))
	f.Add(uint8(3), uint8(24), uint64(2))
	f.Add(uint8(4), uint8(4), uint64(4))
	f.Fuzz(func(t *testing.T, where, field uint8, value uint64) {
		name, at, size := logName(2), 0, logHeaderSize
		switch where {
		case 0:
			name, size = superblockName, slotSize
		case 1:
		default:
			at, size = int(where-1)*blockSize, recordHeaderSize
		}
		b := slices.Clone(img[name])
		if at+size > len(b) || int(field)+8 > size-4 {
			return
		}
		binary.LittleEndian.PutUint64(b[at+int(field):], value)
		repair(b[at:], size)
		openAnything(t, img.with(name, b))
	})
}
