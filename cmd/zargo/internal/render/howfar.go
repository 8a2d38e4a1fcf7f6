package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// howFar is how far work is.
type howFar struct {
	unit   string // what is counted: "tasks", "chunks"; "" for bytes
	done   int64
	total  int64 // 0 while it is not known
	before int64 // of done: what had been done when the work began
	atMost bool  // total is a bound
	moved  int64 // bytes that were moved meanwhile, where the unit is another
	verb   string
	errors int64 // what was found to be wrong
	tries  int64 // failed requests that were made again
	took   time.Duration
}

// parts are what there is to say, the most important first.
func (h howFar) parts() []string {
	p := []string{h.count()}
	moved := h.moved
	if h.unit == "" {
		moved = h.done - h.before
	} else if moved > 0 {
		p = append(p, shortSize(moved)+" "+h.verb)
	}
	switch seconds := h.took.Seconds(); {
	case seconds <= 0:
	case moved > 0:
		p = append(p, fmt.Sprintf("%.1f MiB/s", float64(moved)/seconds/(1<<20)))
	case h.done > h.before:
		p = append(p, fmt.Sprintf("%.0f/s", float64(h.done-h.before)/seconds))
	}
	if left, ok := h.left(); ok {
		bound := ""
		if h.atMost {
			bound = "at most "
		}
		p = append(p, fmt.Sprintf("%s%v left", bound, left))
	}
	if h.errors > 0 {
		p = append(p, plural(int(h.errors), "error"))
	}
	if h.tries == 1 {
		p = append(p, "1 retry")
	} else if h.tries > 1 {
		p = append(p, fmt.Sprintf("%d retries", h.tries))
	}
	return p
}

// count is what is done of how much.
func (h howFar) count() string {
	bound := ""
	if h.atMost {
		bound = "at most "
	}
	switch {
	case h.unit == "" && h.total > 0:
		return fmt.Sprintf("%s of %s%s %s", shortSize(h.done), bound, shortSize(h.total), h.verb)
	case h.unit == "":
		return shortSize(h.done) + " " + h.verb
	case h.total > 0:
		return fmt.Sprintf("%d of %s%d %s", h.done, bound, h.total, h.unit)
	}
	return fmt.Sprintf("%d %s", h.done, h.unit)
}

// left is how long the rest takes at the rate until now.
func (h howFar) left() (time.Duration, bool) {
	ran, rest := h.done-h.before, h.total-h.done
	if ran <= 0 || rest <= 0 || h.took <= 0 {
		return 0, false
	}
	left := float64(h.took) / float64(ran) * float64(rest)
	if left > math.MaxInt64/2 {
		return 0, false // some centuries
	}
	rounded := time.Duration(left).Round(time.Second)
	return rounded, rounded > 0
}

// String is all of it in one line.
func (h howFar) String() string { return strings.Join(h.parts(), ", ") }

// within is as much of it as there is room for, in columns of a terminal. All is ASCII.
func (h howFar) within(columns int) string {
	line := "zargo: "
	for i, p := range h.parts() {
		if i > 0 {
			p = ", " + p
		}
		if i > 0 && len(line+p) > columns {
			break
		}
		line += p
	}
	return line[:min(len(line), max(columns, 0))]
}

// shortSize is a number of bytes in the unit that makes it short.
func shortSize(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, u := float64(n), -1
	for u < 5 && (f >= 1024 || u >= 0 && f >= 1023.95) { // which is printed as 1024.0
		f /= 1024
		u++
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGTPE"[u])
}
