package picture

import (
	"math"
	"sort"
	"strconv"
	"unicode/utf8"
)

// ticks returns the ticks of n rows or columns of size pixels each, with at least about spacing
// pixels between them. If texts is true, the labels are side by side, so the distance also depends
// on their lengths.
func (a Axis) ticks(n, size, spacing int, texts bool) []tick {
	var out []tick
	if len(a.Labels) == n {
		width := spacing
		if texts { // labels side by side
			for _, l := range a.Labels {
				width = max(width, (min(utf8.RuneCountInString(l), maxLabel)+2)*advance)
			}
		}
		every := max((width+size-1)/size, (n+maxTicks-1)/maxTicks)
		for i := 0; i < n; i += every {
			out = append(out, tick{i*size + size/2, a.Labels[i]})
		}
		return out
	}
	if !a.sorted(n) {
		a = Axis{Coords: positions(n)}
	}
	c := a.Coords
	if n == 1 {
		return []tick{{size / 2, a.label(c[0], math.Abs(c[0]))}}
	}
	// The edges of the map are half a pixel beyond the first and the last coordinate.
	first, last := c[0]-(c[1]-c[0])/2, c[n-1]+(c[n-1]-c[n-2])/2
	up := c[1] > c[0]
	low, high := min(first, last), max(first, last)
	if !finite(high - low) {
		return nil
	}
	by := step(high-low, max(n*size/spacing, 1), a.latitude() || a.longitude())
	at := func(i int) float64 { return c[i] } // increasing
	if !up {
		at = func(i int) float64 { return c[n-1-i] }
	}
	rounds(low, high, by, func(v float64) {
		i := min(max(sort.Search(n, func(i int) bool { return at(i) >= v }), 1), n-1)
		x := float64(i) - (at(i)-v)/(at(i)-at(i-1)) + 0.5
		if !up {
			x = float64(n) - x
		}
		out = append(out, tick{min(max(int(math.Round(x*float64(size))), 0), n*size-1), a.label(v, by)})
	})
	return out
}

// label formats the coordinate v as the label of a tick.
func (a Axis) label(v, step float64) string {
	switch {
	case a.latitude():
		return degrees(v, step, "N", "S")
	case a.longitude():
		v = math.Remainder(v, 360)
		if math.Abs(math.Abs(v)-180) < step*1e-6 {
			return "180°"
		}
		return degrees(v, step, "E", "W")
	}
	return number(v, step)
}

// rounds calls use for each multiple of step between low and high.
func rounds(low, high, step float64, use func(v float64)) {
	first := math.Ceil(low/step - 1e-9)
	for i := range maxTicks {
		v := (first + float64(i)) * step
		if !(v <= high+step*1e-9) || v == v+step {
			return
		}
		use(v + 0) // without the sign of -0
	}
}

// step returns the distance between ticks: a round number that divides span into at most n parts.
// In degrees, steps from 10 to 90 are divisors of 180.
func step(span float64, n int, degrees bool) float64 {
	if n < 1 || !(span > 0) {
		return span
	}
	least := span / float64(n)
	if degrees {
		for _, d := range []float64{10, 15, 20, 30, 45, 60, 90} {
			if least > 5 && least <= d {
				return d
			}
		}
	}
	e := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 5} {
		if least <= m*e*(1+1e-9) {
			return m * e
		}
	}
	return 10 * e
}

// degrees formats a latitude or longitude, with the suffix positive or negative.
func degrees(v, step float64, positive, negative string) string {
	switch {
	case math.Abs(v) < step*1e-6:
		return "0°"
	case v < 0:
		return number(-v, step) + "°" + negative
	}
	return number(v, step) + "°" + positive
}

// number formats v, which is a multiple of step.
func number(v, step float64) string {
	size := max(math.Abs(v), step)
	if v != 0 && (size >= 1e6 || size < 1e-3) {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	decimals := 0
	if step > 0 && step < 1 {
		decimals = min(int(math.Ceil(-math.Log10(step)-1e-9)), 12)
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if s[0] == '-' && v > -step/2 {
		s = s[1:]
	}
	return s
}

// tick is a mark with a label. at is its position along the axis in pixels.
type tick struct {
	at    int
	label string
}

// maxTicks is the maximum number of ticks on an axis. It bounds the work for hostile coordinates.
const maxTicks = 100
