package limit

import "math"

// line is what a straight line is fitted to: seconds that requests took, by their bytes. It keeps
// sums only.
type line struct{ n, x, y, xx, xy float64 }

func (l *line) add(x, y, weight float64) {
	l.n += weight
	l.x += weight * x
	l.y += weight * y
	l.xx += weight * x * x
	l.xy += weight * x * y
}

// fade lets what is there weigh less.
func (l *line) fade(by float64) {
	l.n, l.x, l.y, l.xx, l.xy = by*l.n, by*l.x, by*l.y, by*l.xx, by*l.xy
}

// fit gives seconds for no bytes, and seconds for each byte: by least squares, and neither below
// zero. Where all requests were about of one length the second is 0: what is for each byte cannot
// be separated from the rest.
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

// predict is how long all requests of m would have taken by l.
func (l *line) predict(m line) float64 {
	base, slope := l.fit()
	return base*m.n + slope*m.x
}

// The numbers of what is measured.
const (
	fading  = 1 - 1.0/128 // for each request: the last 128 or so count
	fewest  = 8           // requests before there is a measure
	outlier = 4           // times what was expected: more counts as that much, so that one stalled request is no trend
)

// measure is what the last requests took.
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
