package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/ingotdb/ingot"
)

// bar shows how far a COPY is. Off a terminal it shows nothing.
type bar struct {
	on    bool
	stop  chan struct{} // closed to end the goroutine that draws; nil if there is none
	drawn chan struct{} // closed when that goroutine has ended
}

// Times of the bar: a COPY shorter than quickLoad has none.
const (
	quickLoad = 300 * time.Millisecond
	redraw    = 100 * time.Millisecond
)

func newBar() *bar { return &bar{on: term.IsTerminal(int(os.Stderr.Fd()))} }

// begin starts to show p until clear.
func (b *bar) begin(p *ingot.Progress) {
	b.clear()
	if !b.on {
		return
	}
	b.stop, b.drawn = make(chan struct{}), make(chan struct{})
	go b.draw(p, b.stop, b.drawn)
}

// clear takes the bar off the screen.
func (b *bar) clear() {
	if b.stop != nil {
		close(b.stop)
		<-b.drawn
		b.stop = nil
	}
}

// draw shows p again and again until stop is closed.
func (b *bar) draw(p *ingot.Progress, stop <-chan struct{}, drawn chan<- struct{}) {
	defer close(drawn)
	var pb *progressbar.ProgressBar
	timer := time.NewTimer(quickLoad)
	defer timer.Stop()
	for {
		select {
		case <-stop:
			if pb != nil {
				_ = pb.Clear() // the terminal is gone, or it worked
			}
			return
		case <-timer.C:
		}
		if pb == nil {
			pb = newProgressBar(p.BytesTotal.Load())
		}
		pb.Describe(fmt.Sprintf("%d rows", p.TuplesProcessed.Load()))
		_ = pb.Set64(p.BytesProcessed.Load()) // it fails past the total only; the bar is no result
		timer.Reset(redraw)
	}
}

// newProgressBar returns a bar for total bytes; 0 is unknown. It has no colour, as nothing
// else here, so NO_COLOR has nothing to switch off.
func newProgressBar(total int64) *progressbar.ProgressBar {
	if total == 0 {
		total = -1
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionShowBytes(true),
		progressbar.OptionSetWidth(30),
	)
}
