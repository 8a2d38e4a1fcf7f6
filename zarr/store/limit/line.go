package limit

import "math"

// line is a linear fit of the durations of requests, in seconds, to their numbers of bytes. It
// keeps only the sums over all points.
type line struct{ n, x, y, xx, xy float64 }

func (l *line) add(x, y, weight float64) {
	l.n += weight
	l.x += weight * x
	l.y += weight * y
	l.xx += weight * x * x
	l.xy += weight * x * y
}

// fade reduces the weight of the points that were added so far.
func (l *line) fade(by float64) {
	l.n, l.x, l.y, l.xx, l.xy = by*l.n, by*l.x, by*l.y, by*l.xx, by*l.xy
}

// fit returns the duration of a request without bytes and the duration per byte, in seconds, by
// least squares. Both are at least 0. If all requests have about the same length, the two cannot be
// separated, and the duration per byte is 0.
func (l *line) fit() (base, slope float64) {
	if l.n == 0 {
		return 0, 0
	}
	mean := l.x / l.n
	spread := l.xx/l.n - mean*mean
	if spread <= 1e-4*mean*mean {
		return l.y / l.n, 0
	}
	slope = max(0, (l.xy/l.n-mean*l.y/l.n)/spread)
	base = l.y/l.n - slope*mean
	if base < 0 && mean > 0 {
		return 0, l.y / l.x
	}
	return base, slope
}

// predict returns the total seconds of the requests in m according to the fit of l.
func (l *line) predict(m line) float64 {
	base, slope := l.fit()
	return base*m.n + slope*m.x
}

// Constants of measure.
const (
	fading  = 1 - 1.0/128 // weight of a point per later request; about the last 128 requests count
	fewest  = 8           // minimum number of requests to separate the time per byte
	outlier = 4           // maximum multiple of the expected time, so that a stall is not a trend
)

// measure holds the fit of the recent requests.
type measure struct {
	line line
	seen int
}

func (m *measure) add(bytes, seconds float64) {
	if m.seen++; m.seen > fewest {
		base, slope := m.line.fit()
		seconds = math.Min(seconds, outlier*(base+slope*bytes))
	}
	m.line.fade(fading)
	m.line.add(bytes, seconds, 1)
}

// fit is the fit of the line. Before there have been enough requests, it is their average duration.
func (m *measure) fit() (base, slope float64) {
	if m.seen < fewest {
		return m.line.y / max(m.line.n, 1), 0
	}
	return m.line.fit()
}
