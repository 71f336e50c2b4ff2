package ingot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
)

// Open opens the store in the directory path, or creates it there unless
// Options.ReadOnly is set. A directory that holds other files than a store's is refused.
//
// A store has one process that writes at a time, or any number that only read: ErrLocked
// names the other (*LockedError). What an interrupted process left is recovered first:
// every acknowledged commit is there, every other is wholly there or wholly absent.
// ErrVersion says that a newer ingot wrote the store, ErrCorrupt (*CorruptionError) that
// its bytes are damaged. An unknown value of the environment variable INGOT_SIMD is an
// error, too.
func Open(ctx context.Context, path string, opt Options) (*DB, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	if err := kernels.CheckEnv(); err != nil {
		return nil, fmt.Errorf("ingot: %w", err)
	}
	if err := mayHoldStore(path, opt.ReadOnly); err != nil {
		return nil, openError(path, opt.ReadOnly, err)
	}
	memory := opt.MemoryLimit
	if memory == 0 {
		memory = DefaultMemoryLimit
	}
	store, err := columnar.Open(ctx, path, columnar.Options{
		ReadOnly: opt.ReadOnly, Durability: opt.Durability, BusyTimeout: opt.BusyTimeout, MemoryLimit: memory, Logger: opt.Logger,
	})
	if err != nil {
		return nil, openError(path, opt.ReadOnly, err)
	}
	return &DB{store: store, path: path, opt: opt}, nil
}

// mayHoldStore returns an error if path is a directory that cannot be meant: it has no
// superblock, and either nothing but reading is asked for or it has files that are not
// those of a store in creation.
func mayHoldStore(path string, readOnly bool) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, syscall.ENOTDIR) {
		return pgerr.New(pgerr.WrongObjectType, "%w", err).WithHint("A store is a directory.")
	}
	if err != nil {
		return nil // absent, or opening it says what is wrong
	}
	foreign := ""
	for _, e := range entries {
		switch name := e.Name(); {
		case name == "SB":
			return nil
		case name == "LOCK", strings.HasPrefix(name, "log-"), strings.HasPrefix(name, "data-"), strings.HasSuffix(name, ".tmp"):
		default:
			foreign = name
		}
	}
	switch {
	case readOnly:
		return pgerr.New(pgerr.UndefinedFile, "the directory holds no store: %w", fs.ErrNotExist)
	case foreign != "":
		return pgerr.New(pgerr.WrongObjectType, "the directory is no store and not empty: it has %s", foreign).
			WithHint("Name a new directory for the store.")
	}
	return nil
}

// openError returns err with the store's path, a SQLSTATE and what can be done about it.
func openError(path string, readOnly bool, err error) error {
	e := pgerr.New(pgerr.Code(err), "could not open store %s: %w", path, err)
	var known *pgerr.Error
	if errors.As(err, &known) {
		e.Message = fmt.Sprintf("could not open store %s: %s", path, known.Message)
		e.Detail, e.Hint = known.Detail, known.Hint
	}
	switch {
	case errors.Is(err, ErrLocked):
		e.SQLState = pgerr.LockNotAvailable
		e.WithHint("End that process first. Several may have a store open if all of them only read.")
	case errors.Is(err, ErrVersion):
		e.SQLState = pgerr.FeatureNotSupported
		e.WithHint("Open it with the version of ingot that wrote it, or a later one.")
	case errors.Is(err, ErrCorrupt):
		e.SQLState = pgerr.DataCorrupted
		e.WithHint("Nothing was changed. Restore the store from a copy, or load the data again.")
	case errors.Is(err, fs.ErrNotExist) && readOnly:
		e.WithHint("A store is created by a command that writes, such as ingot sql or ingot copy.")
	case errors.Is(err, fs.ErrNotExist):
		e.WithHint("Create the directory that the store is to be in first.")
	case errors.Is(err, fs.ErrPermission) && readOnly:
		e.WithHint("Let this user read the store's directory and all files in it.")
	case errors.Is(err, fs.ErrPermission):
		e.WithHint("Let this user write to the store, or open it for reading only, as ingot info and ingot check do.")
	}
	return e
}
