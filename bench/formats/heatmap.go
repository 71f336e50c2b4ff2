package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// heatMap is the ratios of one direction.
type heatMap struct {
	title string
	cells map[[2]int]float64 // by columns and millions of rows
}

func (m *heatMap) set(columns, millions int, ratio float64) {
	if m.cells == nil {
		m.cells = make(map[[2]int]float64)
	}
	m.cells[[2]int{columns, millions}] = ratio
}

// summary says in a line what the map shows.
func (m *heatMap) summary() string {
	var all []float64
	outside := 0
	for _, r := range m.cells {
		all = append(all, r)
		if r < 0.98 || r > 1.02 {
			outside++
		}
	}
	return fmt.Sprintf("%-10s median ratio %.4f, %.4f to %.4f, %d of %d cells outside 0.98 to 1.02",
		m.title, measure.Median(all), slices.Min(all), slices.Max(all), outside, len(all))
}

// Sizes of the drawing.
const (
	cellWidth, cellHeight = 56, 26
	marginLeft, marginTop = 60, 64
	gap                   = 40
)

// drawing returns the maps as SVG, side by side: columns to the right, rows downward.
func drawing(maps []heatMap, columns, millions []int) []byte {
	var b bytes.Buffer
	width := marginLeft + len(columns)*cellWidth + gap
	height := marginTop + len(millions)*cellHeight + 30
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", len(maps)*width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	for i := range maps {
		m := &maps[i]
		left := i*width + marginLeft
		fmt.Fprintf(&b, `<text x="%d" y="20" font-size="15">%s: time from outside / built in</text>`+"\n", left-marginLeft+10, m.title)
		fmt.Fprintf(&b, `<text x="%d" y="40">columns</text><text x="%d" y="%d">million rows</text>`+"\n", left, left-marginLeft+4, height-8)
		for x, c := range columns {
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%d</text>`+"\n", left+x*cellWidth+cellWidth/2, marginTop-8, c)
			for y, r := range millions {
				ratio, ok := m.cells[[2]int{c, r}]
				if !ok {
					continue
				}
				fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/><text x="%d" y="%d" text-anchor="middle">%.3f</text>`+"\n",
					left+x*cellWidth, marginTop+y*cellHeight, cellWidth-1, cellHeight-1, color(ratio),
					left+x*cellWidth+cellWidth/2, marginTop+y*cellHeight+17, ratio)
			}
		}
		for y, r := range millions {
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%d</text>`+"\n", left-6, marginTop+y*cellHeight+17, r)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// color is white at 1, red for slower and blue for faster, full at 5 percent.
func color(ratio float64) string {
	strength := math.Min(math.Abs(ratio-1)/0.05, 1)
	fade := 255 - int(strength*155)
	if ratio > 1 {
		return fmt.Sprintf("#ff%02x%02x", fade, fade)
	}
	return fmt.Sprintf("#%02x%02xff", fade, fade)
}
