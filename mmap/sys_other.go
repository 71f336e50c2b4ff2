//go:build !linux && !darwin && !freebsd

package mmap

import (
	"errors"
	"os"
)

func sizeOf(uintptr) (int64, error)                    { return 0, errors.ErrUnsupported }
func sysMap(uintptr, int64, int, bool) ([]byte, error) { return nil, errors.ErrUnsupported }
func sysUnmap([]byte) error                            { return errors.ErrUnsupported }
func sysSync([]byte) error                             { return errors.ErrUnsupported }
func sysAdvise([]byte, Advice) error                   { return errors.ErrUnsupported }
func sysReserve(*os.File, int64, int64) error          { return errors.ErrUnsupported }
