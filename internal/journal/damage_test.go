package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
)

// image is the content of a directory.
type image map[string][]byte

func capture(t testing.TB, dir vfs.FS) image {
	t.Helper()
	names, err := dir.List()
	noError(t, err)
	img := image{}
	for _, name := range names {
		f, err := dir.Open(name, false)
		noError(t, err)
		size, err := f.Size()
		noError(t, err)
		b := make([]byte, size)
		if _, err := f.ReadAt(b, 0); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		noError(t, f.Close())
		img[name] = b
	}
	return img
}

// with returns the image with another content of one file.
func (img image) with(name string, content []byte) image {
	out := maps.Clone(img)
	out[name] = content
	return out
}

// disk makes a directory of the image.
func (img image) disk(t testing.TB) *memfs.FS {
	t.Helper()
	disk := memfs.New()
	for _, name := range slices.Sorted(maps.Keys(img)) {
		f, err := disk.Create(name)
		noError(t, err)
		_, err = f.WriteAt(img[name], 0)
		noError(t, errors.Join(err, f.Sync(), f.Close()))
	}
	noError(t, disk.SyncDir())
	return disk
}

// closedStore is a small store, closed after a rotation and some commits, and its values.
func closedStore(t testing.TB) (image, map[uint64]string) {
	t.Helper()
	disk := memfs.New()
	l := mustOpen(t, disk)
	for i := range uint64(4) {
		noError(t, l.put(i, fmt.Sprintf("value %d", i), false, true))
	}
	noError(t, l.rotate())
	for i := range uint64(3) {
		noError(t, l.put(i+2, fmt.Sprintf("other %d", i), false, i != 1))
	}
	noError(t, l.put(7, string(make([]byte, 6000)), false, true))
	values, err := l.values()
	noError(t, errors.Join(err, l.close()))
	return capture(t, disk), values
}

// answers fails unless opening the image gives the values or ErrCorrupt. It reports which.
func answers(t *testing.T, img image, want map[uint64]string, what string) (corrupt bool) {
	t.Helper()
	disk := img.disk(t)
	l, err := openLedger(disk)
	if err != nil {
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: error %v, want ErrCorrupt", what, err)
		}
		return true
	}
	got, err := l.values()
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%s: wrong values, %v", what, err)
	}
	if err := l.close(); err != nil {
		t.Errorf("%s: close: %v", what, err)
	}
	return false
}

// TestBitFlips damages each byte of a cleanly closed store.
func TestBitFlips(t *testing.T) {
	img, want := closedStore(t)
	budget, floor := 3*time.Second, 1500
	if soak {
		budget = time.Hour
	}
	// Bytes that are not zero come first, then the rest in a scattered order.
	type place struct {
		name string
		at   int
	}
	var full, rest []place
	for _, name := range slices.Sorted(maps.Keys(img)) {
		for at, b := range img[name] {
			if b != 0 {
				full = append(full, place{name, at})
			} else {
				rest = append(rest, place{name, at})
			}
		}
	}
	places := full
	for i := range rest {
		places = append(places, rest[i*7919%len(rest)])
	}
	deadline := time.Now().Add(budget)
	opens, refused := 0, 0
	for _, p := range places {
		for _, mask := range []byte{0xff, 1 << (p.at % 8)} {
			damaged := slices.Clone(img[p.name])
			damaged[p.at] ^= mask
			opens++
			if answers(t, img.with(p.name, damaged), want, fmt.Sprintf("%s, byte %d xor %#x", p.name, p.at, mask)) {
				refused++
			}
		}
		if t.Failed() || opens >= floor && time.Now().After(deadline) {
			break
		}
	}
	t.Logf("%d opens, %d refused, of %d", opens, refused, 2*len(places))
	if opens < floor || refused == 0 {
		t.Errorf("only %d opens, need %d, or nothing was refused", opens, floor)
	}
}

// TestTruncation cuts each file at many lengths, and removes it.
func TestTruncation(t *testing.T) {
	img, want := closedStore(t)
	opens := 0
	for _, name := range slices.Sorted(maps.Keys(img)) {
		step := 97
		if soak {
			step = 1
		}
		for length := 0; length < len(img[name]); length += step {
			answers(t, img.with(name, img[name][:length]), want, fmt.Sprintf("%s cut to %d bytes", name, length))
			opens++
		}
		if name != superblockName {
			gone := maps.Clone(img)
			delete(gone, name)
			answers(t, gone, want, name+" removed")
		}
	}
	t.Logf("%d opens", opens)
}

// TestMovedBlocks puts each block of each file in the place of each other one.
func TestMovedBlocks(t *testing.T) {
	img, want := closedStore(t)
	opens := 0
	for _, to := range slices.Sorted(maps.Keys(img)) {
		for _, from := range slices.Sorted(maps.Keys(img)) {
			for i := 0; i < len(img[to]); i += blockSize {
				for k := 0; k < len(img[from]); k += blockSize {
					source := img[from][k : k+blockSize]
					if isZero(source) && isZero(img[to][i:i+blockSize]) {
						continue
					}
					damaged := slices.Clone(img[to])
					copy(damaged[i:], source)
					answers(t, img.with(to, damaged), want, fmt.Sprintf("%s at %d over %s at %d", from, k, to, i))
					opens++
				}
			}
		}
	}
	t.Logf("%d opens", opens)
}

// TestTornTailOrCorruption tells the two apart.
func TestTornTailOrCorruption(t *testing.T) {
	disk := memfs.New()
	j := mustCreate(t, disk)
	for range 3 {
		mustAppend(t, j, true, []byte("synced"))
	}
	for range 3 {
		mustAppend(t, j, false, []byte("not synced"))
	}
	open := capture(t, disk)
	noError(t, j.Sync())
	noError(t, j.Close())
	closed := capture(t, disk)
	for record := range 7 { // the mark is the last
		for _, c := range []struct {
			name string
			img  image
			// the seq to be recovered if this record is bad; negative: ErrCorrupt
			want func(record int) int
		}{
			// Record 3, the last synced one, is known durable from the headers behind it.
			{"open", open, func(r int) int {
				if r < 3 {
					return -1
				}
				return min(r, 6)
			}},
			{"closed", closed, func(r int) int {
				if r < 6 {
					return -1
				}
				return 6
			}},
		} {
			damaged := slices.Clone(c.img["log-1"])
			damaged[(2+record)*blockSize+50] ^= 1
			r := &recorder{t: t}
			j, err := Open(options(c.img.with("log-1", damaged).disk(t)), r)
			want := c.want(record)
			if want < 0 {
				var corruption *CorruptionError
				if !errors.As(err, &corruption) || corruption.Offset != int64(2+record)*blockSize {
					t.Errorf("%s, record %d: error %v, want corruption there", c.name, record, err)
				}
				continue
			}
			noError(t, err)
			if !j.Unclean() || int(r.seq) != want {
				t.Errorf("%s, record %d: recovered to %d, want %d", c.name, record, r.seq, want)
			}
		}
	}
}

// TestRecordsCountOnlyWhereTheyWereWritten puts good records of this log and of another
// behind the end: bytes that prove nothing.
func TestRecordsCountOnlyWhereTheyWereWritten(t *testing.T) {
	var logs [2][]byte
	var images [2]image
	for i, records := range []int{2, 4} {
		disk := memfs.New()
		j := mustCreate(t, disk)
		for range records {
			mustAppend(t, j, true, []byte("body"))
		}
		images[i] = capture(t, disk)
		logs[i] = images[i][logName(1)]
	}
	const end = 4 * blockSize
	for name, from := range map[string][]byte{
		"the last record again":               logs[0][end-blockSize:],
		"a record of another log, same seq":   logs[1][end-blockSize:],
		"a record of another log, same place": logs[1][end:],
	} {
		log := slices.Clone(logs[0])
		copy(log[end:], from[:blockSize])
		r := &recorder{t: t}
		if _, err := Open(options(images[0].with(logName(1), log).disk(t)), r); err != nil || r.seq != 2 {
			t.Errorf("%s: recovered to seq %d, %v; want 2", name, r.seq, err)
		}
	}
}

// TestAnythingBehindTheMarkIsUnclean: the store was opened again, and a record whose first
// sector was lost may still be there.
func TestAnythingBehindTheMarkIsUnclean(t *testing.T) {
	disk := memfs.New()
	j := mustCreate(t, disk)
	mustAppend(t, j, true, []byte("body"))
	noError(t, j.Close())
	img := capture(t, disk)
	for _, at := range []int{4 * blockSize, 4*blockSize + 1000, len(img["log-1"]) - 1} {
		log := slices.Clone(img["log-1"])
		log[at] = 1
		j, err := Open(options(img.with("log-1", log).disk(t)), &recorder{t: t})
		noError(t, err)
		if !j.Unclean() {
			t.Errorf("a byte at %d behind the mark passed as clean", at)
		}
	}
}

// repair puts the right checksum at the end of the first n bytes of b.
func repair(b []byte, n int) {
	binary.LittleEndian.PutUint32(b[n-4:], crc32.Checksum(b[:n-4], castagnoli))
}

func TestNewerFormat(t *testing.T) {
	img, want := closedStore(t)
	for name, size := range map[string]int{superblockName: slotSize, logName(2): logHeaderSize} {
		for _, reader := range []uint16{versionReader, versionReader + 1} {
			newer := slices.Clone(img[name])
			for at := 0; at < 2*blockSize && name == superblockName || at == 0; at += blockSize {
				binary.LittleEndian.PutUint16(newer[at+8:], reader)
				binary.LittleEndian.PutUint16(newer[at+10:], versionWriter+5)
				repair(newer[at:], size)
			}
			changed := img.with(name, newer)
			if reader == versionReader { // written by a newer program for this reader
				answers(t, changed, want, name)
				continue
			}
			if _, err := Open(options(changed.disk(t)), &recorder{t: t}); !errors.Is(err, ErrVersion) || errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: error %v, want ErrVersion", name, err)
			}
		}
	}
}

// TestCheckFinds damages the disk under an open journal.
func TestCheckFinds(t *testing.T) {
	for _, c := range []struct {
		name string
		at   int64
		what string
	}{
		{"SB", 20, "superblock slot 0"},
		{"SB", blockSize + 20, "superblock slot 1"},
		{"log-1", 5, "log-1"},
		{"log-1", 2*blockSize + 100, "log-1"},
		{"log-2", blockSize + 80, "log-2"},
		{"log-2", 2*blockSize + 80, "log-2"},
		{"log-2", 3*blockSize + 80, "log-2"}, // the last record, which no header calls durable
	} {
		disk := memfs.New()
		j := mustCreate(t, disk)
		mustAppend(t, j, true, make([]byte, 500))
		noError(t, j.Rotate(0, []byte("state of some length")))
		mustAppend(t, j, true, make([]byte, 500))
		mustAppend(t, j, true, make([]byte, 500))
		var parts []string
		noError(t, j.Check(func(what string, err error) {
			noError(t, err)
			parts = append(parts, what)
		}))
		slices.Sort(parts)
		if want := []string{"log-1", "log-2", "superblock slot 0", "superblock slot 1"}; !slices.Equal(parts, want) {
			t.Errorf("checked %q, want %q", parts, want)
		}
		f, err := disk.Open(c.name, true)
		noError(t, err)
		b := make([]byte, 1)
		_, err = f.ReadAt(b, c.at)
		noError(t, err)
		b[0] ^= 0x10
		_, err = f.WriteAt(b, c.at)
		noError(t, err)
		found := false
		err = j.Check(func(what string, err error) { found = found || what == c.what && errors.Is(err, ErrCorrupt) })
		if !found || !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s at %d: found %v, error %v", c.name, c.at, found, err)
		}
	}
}
