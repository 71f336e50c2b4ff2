package inputs

import (
	_ "embed" // for the counts
	"strconv"
	"strings"
	"sync"
	"time"
)

var flightColumns = []column{
	{"time", "timestamp"},
	{"delay", "integer"},
	{"distance", "integer"},
	{"origin", "text"},
	{"destination", "text"},
}

//go:embed flights.txt
var flightsText string

// flightCounts is how often the values of the sample occur.
type flightCounts struct {
	hours  [24]int  // departures in each hour of the day
	delays []string // one entry for each departure
	routes []string // "distance,origin,destination", one entry for each departure
	rows   int
}

// loadFlights returns the counts of flights.txt, which is part of the program.
var loadFlights = sync.OnceValue(func() *flightCounts {
	c := new(flightCounts)
	for line := range strings.Lines(flightsText) {
		f := strings.Fields(line)
		n, _ := strconv.Atoi(f[len(f)-1])
		switch f[0] {
		case "hour":
			h, _ := strconv.Atoi(f[1])
			c.hours[h%24] = n
			c.rows += n
		case "delay":
			for range n {
				c.delays = append(c.delays, f[1])
			}
		case "route":
			route := f[3] + "," + f[1] + "," + f[2]
			for range n {
				c.routes = append(c.routes, route)
			}
		}
	}
	return c
})

// flightMinutes is how long the departures of the sample took: from the first minute of 1 January
// 2001 to 08:11 on the 13th.
const flightMinutes = 12*1440 + 8*60 + 12

// flightRows: time never falls, and as many flights leave in an hour of the day as in the
// sample, in a minute up to half more or less than that. delay and route are drawn
// independently, with the frequencies of the sample.
func flightRows(s *stream) func(b []byte) []byte {
	c := loadFlights()
	minute := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	var left int // flights that still leave in this minute
	var stamp []byte
	next := func() {
		for left == 0 {
			if stamp != nil {
				minute = minute.Add(time.Minute)
			}
			stamp = minute.AppendFormat(stamp[:0], time.DateTime)
			// In 1/1024 flights: the mean of the hour, times 0.5 to 1.5, rounded by chance.
			mean := c.hours[minute.Hour()] * 24 * 1024 / flightMinutes
			left = (mean*(512+s.below(1024))/1024 + s.below(1024)) / 1024
		}
	}
	return func(b []byte) []byte {
		next()
		left--
		b = append(b, stamp...)
		b = append(b, ',')
		b = append(b, c.delays[s.below(len(c.delays))]...)
		b = append(b, ',')
		b = append(b, c.routes[s.below(len(c.routes))]...)
		return append(b, '\n')
	}
}
