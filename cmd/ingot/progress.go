package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/ingotdb/ingot"
)

// bar shows how far a COPY is. Off a terminal it shows nothing. It may be updated by the
// goroutines of a COPY while another one clears it.
type bar struct {
	on   bool
	mu   sync.Mutex
	pb   *progressbar.ProgressBar // while one is on the screen
	from time.Time
}

// quickLoad is how long a COPY may take without a bar.
const quickLoad = 300 * time.Millisecond

func newBar() *bar { return &bar{on: term.IsTerminal(int(os.Stderr.Fd()))} }

// update shows p. Progress without a known total is shown as a count of bytes.
func (b *bar) update(p ingot.Progress) {
	if !b.on {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pb == nil {
		if b.from.IsZero() {
			b.from = time.Now()
		}
		if time.Since(b.from) < quickLoad {
			return
		}
		total := p.BytesTotal
		if total <= 0 {
			total = -1
		}
		b.pb = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionShowBytes(true),
			progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionEnableColorCodes(os.Getenv("NO_COLOR") == ""),
		)
	}
	b.pb.Describe(fmt.Sprintf("%d rows", p.TuplesProcessed))
	_ = b.pb.Set64(p.BytesProcessed) // it fails past the total only; the bar is no result
}

// clear takes the bar off the screen.
func (b *bar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pb != nil {
		_ = b.pb.Clear() // the terminal is gone, or it worked
	}
	b.pb, b.from = nil, time.Time{}
}
