package kernels

import (
	"fmt"
	"os"
	"sync/atomic"
)

// Level is the instruction set that kernels run on.
//
// The vector levels belong to different architectures and are not ordered among
// themselves; Generic is below all of them and exists everywhere.
type Level uint8

const (
	// Generic is plain Go.
	Generic Level = iota

	// AVX2 is amd64 with AVX2, BMI1, BMI2, LZCNT, POPCNT and PCLMULQDQ.
	AVX2

	// NEON is arm64 with Advanced SIMD.
	NEON
)

// simdEnv is the environment variable that lowers the level of a process.
const simdEnv = "INGOT_SIMD"

// detected is what the CPU and the build offer; active is what kernels run on now, a
// Level, written at init and by tests.
var (
	detected = detectLevel()
	active   atomic.Uint32
	envErr   error
)

func init() {
	var l Level
	l, envErr = limitLevel(os.Getenv(simdEnv), detected)
	active.Store(uint32(l))
}

// String returns the name of l as INGOT_SIMD spells it.
func (l Level) String() string {
	switch l {
	case Generic:
		return "generic"
	case AVX2:
		return "avx2"
	case NEON:
		return "neon"
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

// Detected returns the best level that this CPU, operating system and build offer.
func Detected() Level { return detected }

// Active returns the level that kernels run on now: Detected, unless INGOT_SIMD or a
// test lowered it.
func Active() Level { return Level(active.Load()) }

// Levels returns every level that this machine can run, Generic first.
func Levels() []Level {
	if detected == Generic {
		return []Level{Generic}
	}
	return []Level{Generic, detected}
}

// CheckEnv returns an error if INGOT_SIMD held a value at the start of the process that
// names no level; kernels then run on Detected.
//
// The known names are generic, avx2, avx512 and neon. A name is an upper bound: the
// level is the best one at or below it that the machine has. avx512 therefore means avx2
// where there is AVX2, and a name of another architecture means generic. Empty is as
// unset.
func CheckEnv() error { return envErr }

// SetLevelForTest makes every kernel of the process run on l until undo is called.
//
// It panics if this machine cannot run l; Levels lists what it can. Calls may come from
// any goroutine, but a test that relies on the level must not run in parallel with
// another one that changes it.
func SetLevelForTest(l Level) (undo func()) {
	if l != Generic && l != detected {
		panic(fmt.Sprintf("kernels: level %v is not available on this machine (%v)", l, detected))
	}
	before := active.Swap(uint32(l))
	return func() { active.Store(before) }
}

// limitLevel returns the best level of a machine that offers best when the environment
// asks for name.
func limitLevel(name string, best Level) (Level, error) {
	allowed := false
	switch name {
	case "":
		allowed = true
	case "generic":
	case "avx2", "avx512":
		allowed = best == AVX2
	case "neon":
		allowed = best == NEON
	default:
		return best, fmt.Errorf("kernels: %s=%q names no level (generic, avx2, avx512, neon)", simdEnv, name)
	}
	if allowed {
		return best, nil
	}
	return Generic, nil
}
