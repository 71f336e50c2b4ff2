package sql

import (
	"errors"
	"io"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// programAllowed refuses a PROGRAM if the session runs none.
func (r *run) programAllowed(stmt *ast.Copy) error {
	if stmt.Endpoint == ast.Program && r.opt.Program == nil {
		return r.at(int(stmt.PathAt), pgerr.New(pgerr.FeatureNotSupported, "COPY with PROGRAM is not supported").
			WithHint("Run the program yourself and use STDIN or STDOUT."))
	}
	return nil
}

// program is a command whose output is read or whose input is written, which begins with the
// first Read or Write. If it fails, that is an error where its output ends, so that nothing of
// it is stored.
type program struct {
	run     *run
	command string
	pipe    io.ReadWriteCloser // nil before it begins and when it is closed
	ended   bool
}

// begin starts the command unless it has begun.
func (p *program) begin(write bool) (err error) {
	if p.pipe == nil {
		if p.pipe, err = p.run.opt.Program(p.run.ctx, p.command, write); err != nil {
			return programError(p.command, err)
		}
	}
	return nil
}

// Read reads the command's output.
func (p *program) Read(b []byte) (n int, err error) {
	if p.ended {
		return 0, io.EOF
	}
	if err := p.begin(false); err != nil {
		return 0, err
	}
	n, err = p.pipe.Read(b)
	if errors.Is(err, io.EOF) {
		if failed := p.Close(); failed != nil {
			err = programError(p.command, failed)
		}
	}
	return n, err
}

// Write writes to the command's input.
func (p *program) Write(b []byte) (int, error) {
	if err := p.begin(true); err != nil {
		return 0, err
	}
	return p.pipe.Write(b)
}

// finish ends a command that all input was written to; if there was none it begins first.
func (p *program) finish() error {
	if err := p.begin(true); err != nil {
		return err
	}
	if err := p.Close(); err != nil {
		return programError(p.command, err)
	}
	return nil
}

// Close ends a command that is not wanted to its end.
func (p *program) Close() error {
	if p.pipe == nil {
		return nil
	}
	pipe := p.pipe
	p.pipe, p.ended = nil, true
	return pipe.Close()
}

func programError(command string, err error) error {
	return pgerr.New(pgerr.ExternalRoutineException, "program \"%s\" failed: %w", command, err)
}
