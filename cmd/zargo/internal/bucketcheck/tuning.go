package bucketcheck

import (
	"fmt"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
)

// enough is the fraction of the maximum throughput that suffices. More throughput needs more
// requests in flight, which take memory, and other clients of the bucket can reduce the gain to
// nothing.
const enough = 0.9

// lost is the minimum ratio of the transfer time of a part to the latency. With a ratio of 4, the
// latency is at most a fifth of the total time of a part.
const lost = 4

// advice derives settings from the measured times and lists them with the current settings. It
// omits settings without a measured time.
func advice(s *Speed, now store.Tuning) []Advice {
	var all []Advice
	if n, why, ok := flight(s.Reads); ok {
		all = append(all, Advice{"requests", int64(n), "in flight", int64(now.Requests), why})
	}
	if s.Get == nil || s.Bandwidth == nil {
		return all
	}
	first, rate := s.Get.first(), s.Bandwidth.PerSecond
	gap := int64(first.Seconds() * rate)
	why := fmt.Sprintf("%s to the first byte × %s a second = %s: reading a gap of that length takes as long as another request", duration(first), size(rate), size(float64(gap)))
	all = append(all, Advice{"range_gap", down(gap), "bytes", now.RangeGap, why + "; rounded down to a power of two"})
	part := max(up(lost*gap), mib)
	all = append(all, Advice{"part", part, "bytes", 0, fmt.Sprintf("%d × that, a whole number of MiB: the wait for the first byte is then a fifth of a part's time", lost)})
	all = append(all, Advice{"split_above", 2 * part, "bytes", now.SplitAbove, "two parts: reading shorter values as concurrent ranges is not faster"})
	return all
}

// flight returns the smallest number of requests in flight that has enough throughput, and an
// explanation with all levels. It skips throttled levels.
func flight(levels []Level) (n int, why string, ok bool) {
	var best float64
	var texts []string
	for _, l := range levels {
		text := fmt.Sprintf("%d: %.0f", l.InFlight, l.PerSecond)
		if throttled(l) {
			text += " with repeats"
		} else {
			best = max(best, l.PerSecond)
		}
		texts = append(texts, text)
	}
	for _, l := range levels {
		if !throttled(l) && l.PerSecond >= enough*best && best > 0 {
			return l.InFlight, fmt.Sprintf("requests a second by requests in flight: %s; %d is the fewest with %.0f %% of the most", strings.Join(texts, ", "), l.InFlight, 100*enough), true
		}
	}
	return 0, "", false
}

// throttled reports whether more than one request in 50 was retried.
func throttled(l Level) bool { return l.Repeats*50 > int64(l.Requests) }

// down rounds n down to a power of two. The result is at least 4 KiB.
func down(n int64) int64 {
	p := int64(4 * kib)
	for p <= n/2 {
		p *= 2
	}
	return p
}

// up rounds n up to a whole number of MiB.
func up(n int64) int64 { return (n + mib - 1) / mib * mib }

func duration(d time.Duration) string {
	if d >= time.Millisecond {
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.0f µs", d.Seconds()*1e6)
}

// size formats a number of bytes in decimal units, such as kB.
func size(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", n/1e3)
	}
	return fmt.Sprintf("%.0f B", n)
}
