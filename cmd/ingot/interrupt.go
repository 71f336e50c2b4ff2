package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// untilInterrupted returns a context that the first SIGINT or SIGTERM cancels. A second
// signal ends the process as if nobody listened. stop gives the signals back: only a shell
// that goes on calls it. A command that is about to exit does not, since a signal that
// arrives behind its last statement would end it with another status than what it did.
func untilInterrupted() (ctx context.Context, stop func()) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// interruptible returns a reader of f whose Read returns when ctx ends, even while it
// waits for a pipe or a terminal. A regular file never waits and is returned as it is.
func interruptible(ctx context.Context, f *os.File) io.Reader {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return f
	}
	return &waiter{ctx: ctx, file: f, asked: make(chan struct{}, 1), got: make(chan chunk, 1)}
}

// chunk is what one read returned.
type chunk struct {
	bytes []byte
	err   error
}

// waiter reads a file in a goroutine of its own, one read at a time, so that its caller
// can stop waiting. The goroutine starts with the first Read and lives as long as the
// process: nothing can wake it from a read.
type waiter struct {
	ctx     context.Context
	file    *os.File
	started bool
	asked   chan struct{}
	got     chan chunk
	rest    chunk
}

// readSize is how much a waiter asks for at once.
const readSize = 1 << 20

func (w *waiter) Read(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, w.ctx.Err()
	}
	if len(p) == 0 {
		return 0, nil
	}
	if len(w.rest.bytes) == 0 && w.rest.err == nil {
		if !w.started {
			w.started = true
			go w.loop()
		}
		w.asked <- struct{}{}
		select {
		case w.rest = <-w.got:
		case <-w.ctx.Done():
			return 0, w.ctx.Err()
		}
	}
	n := copy(p, w.rest.bytes)
	w.rest.bytes = w.rest.bytes[n:]
	if len(w.rest.bytes) > 0 {
		return n, nil
	}
	err := w.rest.err
	if err == nil {
		w.rest = chunk{}
	}
	return n, err
}

// loop reads once for each time it is asked. The buffer is reused: Read asks again only
// when it has handed everything out.
func (w *waiter) loop() {
	buf := make([]byte, readSize)
	for range w.asked {
		n, err := w.file.Read(buf)
		w.got <- chunk{buf[:n], err}
	}
}

// interruptibleOut returns a writer to f whose Write returns when ctx ends, even while it
// waits for who reads a pipe. A regular file never waits and is returned as it is.
func interruptibleOut(ctx context.Context, f *os.File) io.Writer {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return f
	}
	return &pusher{ctx: ctx, file: f, done: make(chan error, 1)}
}

// pusher writes a file in goroutines, so that its caller can stop waiting. After that
// nothing more is written.
type pusher struct {
	ctx  context.Context
	file *os.File
	done chan error
	left bool // a write was left behind
}

func (p *pusher) Write(b []byte) (int, error) {
	if p.left {
		return 0, p.ctx.Err()
	}
	go func() {
		_, err := p.file.Write(b)
		p.done <- err
	}()
	select {
	case err := <-p.done:
		if err != nil {
			return 0, err
		}
		return len(b), nil
	case <-p.ctx.Done():
	}
	// What was written in time is not given up: statements end with their tag.
	timer := time.NewTimer(lastWrite)
	defer timer.Stop()
	select {
	case err := <-p.done:
		if err != nil {
			return 0, err
		}
		return len(b), nil
	case <-timer.C:
		p.left = true
		return 0, p.ctx.Err()
	}
}

// lastWrite is how long a write may go on after an interruption.
const lastWrite = 10 * time.Millisecond
