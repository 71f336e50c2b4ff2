//go:build unix && (amd64 || arm64) && !purego

// Only these builds have assembly, and only unix systems deliver the profiling signal on
// the thread that runs it, in the middle of a kernel.

package kernels

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"
)

// profileRounds and profileSlice bound the sampling of one kernel; at 100 samples a
// second one round is enough on an idle machine.
const (
	profileRounds  = 40
	profileSlice   = 150 * time.Millisecond
	profileSamples = 5
)

// profiledCaller is the frame that the test looks for above each kernel.
//
//go:noinline
func profiledCaller(run func(), d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
		for range 100 {
			run()
		}
	}
}

// TestProfileFrames samples kernels and requires, for every sample taken inside the
// assembly, the frames of its Go callers up to profiledCaller. A kernel that broke the
// stack would hide the time of the code around it.
func TestProfileFrames(t *testing.T) {
	if Detected() == Generic {
		t.Skip("needs a CPU that has a vector level")
	}
	defer SetLevelForTest(Detected())()
	words := make([]uint64, 8192)
	for _, k := range profiledKernels(words) {
		t.Run(k.routine, func(t *testing.T) {
			inside := 0
			for round := 0; inside < profileSamples; round++ {
				if round == profileRounds {
					t.Fatalf("%d samples inside the kernel after %d rounds of %v", inside, round, profileSlice)
				}
				stacks, err := sampleStacks(func() { profiledCaller(k.run, profileSlice) })
				if err != nil {
					t.Fatal(err)
				}
				for _, stack := range stacks {
					if !isRoutine(stack[0], k.routine) {
						continue
					}
					inside++
					if !slices.ContainsFunc(stack, func(f string) bool { return strings.HasSuffix(f, "kernels.profiledCaller") }) {
						t.Errorf("caller missing above the kernel: %q", stack)
					}
				}
			}
		})
	}
}

// isRoutine reports whether frame is the assembly routine of package asm.
func isRoutine(frame, routine string) bool {
	_, name, _ := strings.Cut(frame, "ingot/asm.")
	return strings.TrimSuffix(name, ".abi0") == routine
}

// sampleStacks returns the stacks, innermost frame first, that the CPU profiler saw
// while run ran.
func sampleStacks(run func()) ([][]string, error) {
	var out bytes.Buffer
	if err := pprof.StartCPUProfile(&out); err != nil {
		return nil, err
	}
	run()
	pprof.StopCPUProfile()
	r, err := gzip.NewReader(&out)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return decodeStacks(raw)
}

// Fields of the profile format (profile.proto) that a stack of names needs.
const (
	profileSample   = 2
	profileLocation = 4
	profileFunction = 5
	profileString   = 6
	sampleLocations = 1
	locationID      = 1
	locationLine    = 4
	lineFunction    = 1
	functionID      = 1
	functionName    = 2
)

// decodeStacks returns the stack of every sample of an uncompressed profile.
func decodeStacks(raw []byte) ([][]string, error) {
	var names []string
	var samples [][]uint64                 // location ids
	functionNames := map[uint64]uint64{}   // function id -> index in names
	locationLines := map[uint64][]uint64{} // location id -> function ids, inlined ones first
	err := eachField(raw, func(field, value uint64, body []byte) error {
		switch field {
		case profileString:
			names = append(names, string(body))
		case profileSample:
			locations, err := numbers(body, sampleLocations)
			samples = append(samples, locations)
			return err
		case profileFunction:
			id, err := numbers(body, functionID)
			name, err2 := numbers(body, functionName)
			if len(id) == 1 && len(name) == 1 {
				functionNames[id[0]] = name[0]
			}
			return errors.Join(err, err2)
		case profileLocation:
			id, err := numbers(body, locationID)
			if err != nil {
				return err
			}
			if len(id) != 1 {
				return errors.New("location without id")
			}
			return eachField(body, func(field, _ uint64, line []byte) error {
				if field != locationLine {
					return nil
				}
				function, err := numbers(line, lineFunction)
				locationLines[id[0]] = append(locationLines[id[0]], function...)
				return err
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var stacks [][]string
	for _, locations := range samples {
		var stack []string
		for _, l := range locations {
			for _, f := range locationLines[l] {
				if i := functionNames[f]; i < uint64(len(names)) {
					stack = append(stack, names[i])
				}
			}
		}
		if len(stack) > 0 {
			stacks = append(stacks, stack)
		}
	}
	return stacks, nil
}

// numbers returns the values of one integer field of a message, packed or not.
func numbers(message []byte, field uint64) (all []uint64, err error) {
	err = eachField(message, func(f, value uint64, body []byte) error {
		if f != field {
			return nil
		}
		if body == nil {
			all = append(all, value)
		}
		for len(body) > 0 {
			v, n := binary.Uvarint(body)
			if n <= 0 {
				return errors.New("bad packed integer")
			}
			all, body = append(all, v), body[n:]
		}
		return nil
	})
	return all, err
}

// eachField calls f for every field of a protocol buffer message: with the value of an
// integer and a nil body, or with the bytes of a string or an embedded message.
func eachField(message []byte, f func(field, value uint64, body []byte) error) error {
	for len(message) > 0 {
		key, n := binary.Uvarint(message)
		if n <= 0 {
			return errors.New("bad field key")
		}
		value, m := binary.Uvarint(message[n:])
		if m <= 0 {
			return errors.New("bad field value")
		}
		message = message[n+m:]
		var body []byte
		switch key & 7 {
		case 0:
		case 2:
			if value > uint64(len(message)) {
				return errors.New("field longer than its message")
			}
			body, message = message[:value:value], message[value:]
		default:
			return fmt.Errorf("wire type %d", key&7)
		}
		if err := f(key>>3, value, body); err != nil {
			return err
		}
	}
	return nil
}
