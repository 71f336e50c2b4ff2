//go:build !linux && !darwin && !freebsd

package vfs

import (
	"errors"
	"os"
)

const openNonblock = 0

func inodeOf(*os.File) (inode, error) { return inode{}, errors.ErrUnsupported }
func flock(*os.File, bool) error      { return errors.ErrUnsupported }
func processLives(int) bool           { return true }
