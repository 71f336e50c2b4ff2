package journal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

// All integers are little-endian; all checksums are CRC-32C.

const (
	blockSize = 4096

	// versionReader is the oldest reader version that understands what this package
	// writes, and the newest that it understands itself. versionWriter tells who wrote.
	versionReader = 1
	versionWriter = 1

	superblockName = "SB"
	superblockTemp = "SB.tmp"
	logTemp        = "log.tmp"
	tempSuffix     = ".tmp"
	logPrefix      = "log-"
	dataPrefix     = "data-"
)

var (
	castagnoli      = crc32.MakeTable(crc32.Castagnoli)
	superblockMagic = []byte("INGOTSB\x00")
	logMagic        = []byte("INGOTLOG")
	recordMagic     = []byte("iREC")
)

// logName returns the file name of log n.
func logName(n uint64) string { return logPrefix + strconv.FormatUint(n, 10) }

// DataName returns the name of the data file with number n, as given by NewFileNumber.
func DataName(n uint64) string { return dataPrefix + strconv.FormatUint(n, 10) }

// numberOf returns the number in a name made of prefix and a number in its shortest form.
func numberOf(name, prefix string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && strconv.FormatUint(n, 10) == digits
}

// slot is one slot of the superblock.
//
// Format: magic[8] reader:u16 writer:u16 zero:u32 store[16] generation:u64 log:u64
// log id:u64 crc:u32 over all before it; zeros up to 4 KiB.
type slot struct {
	store      [16]byte
	generation uint64
	log        uint64
	logID      uint64
}

const slotSize = 60

func (s *slot) encode() []byte {
	b := make([]byte, 0, blockSize)
	b = append(b, superblockMagic...)
	b = appendVersion(b)
	b = append(b, s.store[:]...)
	b = binary.LittleEndian.AppendUint64(b, s.generation)
	b = binary.LittleEndian.AppendUint64(b, s.log)
	b = binary.LittleEndian.AppendUint64(b, s.logID)
	b = appendChecksum(b)
	return b[:blockSize]
}

// decodeSlot reads a slot. The error is ErrVersion, or says what is wrong with the bytes.
func decodeSlot(b []byte) (slot, error) {
	var s slot
	if err := checkFrame(b, superblockMagic, slotSize); err != nil {
		return s, err
	}
	copy(s.store[:], b[16:])
	s.generation = binary.LittleEndian.Uint64(b[32:])
	s.log = binary.LittleEndian.Uint64(b[40:])
	s.logID = binary.LittleEndian.Uint64(b[48:])
	return s, nil
}

// logHeader is the first block of a log.
//
// Format: magic[8] reader:u16 writer:u16 zero:u32 store[16] number:u64 log id:u64 length:u64
// crc:u32 over all before it; zeros up to 4 KiB.
type logHeader struct {
	store  [16]byte
	number uint64
	id     uint64
	size   int64 // of the file
}

const logHeaderSize = 60

func (h *logHeader) encode(b []byte) []byte {
	start := len(b)
	b = append(b, logMagic...)
	b = appendVersion(b)
	b = append(b, h.store[:]...)
	b = binary.LittleEndian.AppendUint64(b, h.number)
	b = binary.LittleEndian.AppendUint64(b, h.id)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.size))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	return append(b, make([]byte, blockSize-logHeaderSize)...)
}

func decodeLogHeader(b []byte) (logHeader, error) {
	var h logHeader
	if err := checkFrame(b, logMagic, logHeaderSize); err != nil {
		return h, err
	}
	copy(h.store[:], b[16:])
	h.number = binary.LittleEndian.Uint64(b[32:])
	h.id = binary.LittleEndian.Uint64(b[40:])
	size := binary.LittleEndian.Uint64(b[48:])
	if size < 2*blockSize || size%blockSize != 0 || size > 1<<62 {
		return h, fmt.Errorf("impossible length %d", size)
	}
	h.size = int64(size)
	return h, nil
}

func appendVersion(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, versionReader)
	b = binary.LittleEndian.AppendUint16(b, versionWriter)
	return append(b, 0, 0, 0, 0)
}

func appendChecksum(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// checkFrame tests what slots and log headers share: magic, checksum in the last of size
// bytes, version. The checksum comes before the version, so that a damaged version is
// damage and not a newer format; its place and coverage are the same in every format.
func checkFrame(b, magic []byte, size int) error {
	if len(b) < size {
		return fmt.Errorf("%d bytes, need %d", len(b), size)
	}
	if !bytes.Equal(b[:len(magic)], magic) {
		return fmt.Errorf("magic is %q, not %q", b[:len(magic)], magic)
	}
	sum := size - 4
	if got, want := crc32.Checksum(b[:sum], castagnoli), binary.LittleEndian.Uint32(b[sum:]); got != want {
		return fmt.Errorf("checksum is %08x, should be %08x", got, want)
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v > versionReader {
		return fmt.Errorf("%w: it needs a reader of version %d, this is version %d", ErrVersion, v, versionReader)
	}
	return nil
}

// kind is what a record is.
type kind uint8

const (
	kindState    kind = 1 // full state; first and only first in a log
	kindCommit   kind = 2
	kindMark     kind = 3 // everything before it is durable; no body
	kindContinue kind = 4 // the last record: body is the number and id of the next log
)

// flagSynced says that the record was appended with sync, so that the data files it and
// earlier records name were durable before it was written.
const flagSynced = 1

// recordHeader comes before each body.
//
// Format: magic[4] kind:u8 flags:u8 zero:u16 log id:u64 offset:u64 seq:u64 durable seq:u64
// durable end:u64 next file number:u64 body length:u64 body crc:u32 crc:u32 over all before.
type recordHeader struct {
	kind       kind
	flags      uint8
	logID      uint64
	offset     int64  // of this header in its log
	seq        uint64 // of the commit; of the last commit before it for other kinds
	durableSeq uint64 // highest seq that was durable when this was written
	durableEnd int64  // bytes of this log that were durable when this was written
	nextFile   uint64 // no file number from here on had been given out
	length     int64  // of the body
	crc        uint32 // of the body
}

const recordHeaderSize = 72

// recordSpan returns the bytes that a record with a body of n bytes takes in a log.
func recordSpan(n int64) int64 {
	return (recordHeaderSize + n + blockSize - 1) / blockSize * blockSize
}

func (h *recordHeader) encode(b []byte) []byte {
	start := len(b)
	b = append(b, recordMagic...)
	b = append(b, byte(h.kind), h.flags, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, h.logID)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.offset))
	b = binary.LittleEndian.AppendUint64(b, h.seq)
	b = binary.LittleEndian.AppendUint64(b, h.durableSeq)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.durableEnd))
	b = binary.LittleEndian.AppendUint64(b, h.nextFile)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.length))
	b = binary.LittleEndian.AppendUint32(b, h.crc)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// decodeRecordHeader returns the header at offset of the log with that id, and whether
// there is a valid one. Its length is not yet compared with anything.
func decodeRecordHeader(b []byte, logID uint64, offset int64) (recordHeader, bool) {
	var h recordHeader
	if len(b) < recordHeaderSize || !bytes.Equal(b[:4], recordMagic) {
		return h, false
	}
	if crc32.Checksum(b[:recordHeaderSize-4], castagnoli) != binary.LittleEndian.Uint32(b[recordHeaderSize-4:]) {
		return h, false
	}
	h = recordHeader{
		kind:       kind(b[4]),
		flags:      b[5],
		logID:      binary.LittleEndian.Uint64(b[8:]),
		offset:     int64(binary.LittleEndian.Uint64(b[16:])),
		seq:        binary.LittleEndian.Uint64(b[24:]),
		durableSeq: binary.LittleEndian.Uint64(b[32:]),
		durableEnd: int64(binary.LittleEndian.Uint64(b[40:])),
		nextFile:   binary.LittleEndian.Uint64(b[48:]),
		length:     int64(binary.LittleEndian.Uint64(b[56:])),
		crc:        binary.LittleEndian.Uint32(b[64:]),
	}
	return h, h.logID == logID && h.offset == offset
}

// encodeLink and decodeLink are the body of a continuation.
func encodeLink(number, id uint64) []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 16), number)
	return binary.LittleEndian.AppendUint64(b, id)
}

func decodeLink(b []byte) (number, id uint64, ok bool) {
	if len(b) != 16 {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), true
}
