package render

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// HowFar describes the progress of a command. It is printed as one line.
type HowFar struct {
	Unit   string // "tasks", "chunks"; "" for bytes
	Done   int64
	Total  int64 // 0 while unknown
	Before int64 // part of Done that was complete when the work started
	AtMost bool  // Total is an upper bound
	Moved  int64 // bytes moved, if Unit is not bytes
	Verb   string
	Errors int64 // number of errors found
	Tries  int64 // number of retries
	Took   time.Duration
}

// parts returns the parts of the progress line, the most important part first.
func (h HowFar) parts() []string {
	p := []string{h.count()}
	moved := h.Moved
	if h.Unit == "" {
		moved = h.Done - h.Before
	} else if moved > 0 {
		p = append(p, shortSize(moved)+" "+h.Verb)
	}
	switch seconds := h.Took.Seconds(); {
	case seconds <= 0:
	case moved > 0:
		p = append(p, fmt.Sprintf("%.1f MiB/s", float64(moved)/seconds/(1<<20)))
	case h.Done > h.Before:
		p = append(p, fmt.Sprintf("%.0f/s", float64(h.Done-h.Before)/seconds))
	}
	if left, ok := h.left(); ok {
		bound := ""
		if h.AtMost {
			bound = "at most "
		}
		p = append(p, fmt.Sprintf("%s%v left", bound, left))
	}
	if h.Errors > 0 {
		p = append(p, Plural(int(h.Errors), "error"))
	}
	if h.Tries == 1 {
		p = append(p, "1 retry")
	} else if h.Tries > 1 {
		p = append(p, fmt.Sprintf("%d retries", h.Tries))
	}
	return p
}

// count formats the number of completed units and the total.
func (h HowFar) count() string {
	bound := ""
	if h.AtMost {
		bound = "at most "
	}
	switch {
	case h.Unit == "" && h.Total > 0:
		return fmt.Sprintf("%s of %s%s %s", shortSize(h.Done), bound, shortSize(h.Total), h.Verb)
	case h.Unit == "":
		return shortSize(h.Done) + " " + h.Verb
	case h.Total > 0:
		return fmt.Sprintf("%d of %s%d %s", h.Done, bound, h.Total, h.Unit)
	}
	return fmt.Sprintf("%d %s", h.Done, h.Unit)
}

// left estimates the remaining time from the rate so far. It returns false if no estimate is
// possible.
func (h HowFar) left() (time.Duration, bool) {
	ran, rest := h.Done-h.Before, h.Total-h.Done
	if ran <= 0 || rest <= 0 || h.Took <= 0 {
		return 0, false
	}
	left := float64(h.Took) / float64(ran) * float64(rest)
	if left > math.MaxInt64/2 {
		return 0, false // more than a century
	}
	rounded := time.Duration(left).Round(time.Second)
	return rounded, rounded > 0
}

// String returns the whole progress line.
func (h HowFar) String() string { return strings.Join(h.parts(), ", ") }

// Within returns the first parts of the progress line, as many as fit in the columns of a terminal.
// The result is ASCII.
func (h HowFar) Within(columns int) string {
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

// shortSize formats a number of bytes in the unit that makes the text short.
func shortSize(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, u := float64(n), -1
	for u < 5 && (f >= 1024 || u >= 0 && f >= 1023.95) { // 1023.95 would be printed as 1024.0
		f /= 1024
		u++
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGTPE"[u])
}
