package render

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func lineOf(columns int, values ...float64) *Line {
	l := NewLine(len(values), columns)
	for _, v := range values {
		l.Add(v)
	}
	return l
}

// TestLine checks the means of the columns of a line. -1 stands for a gap.
func TestLine(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		columns, within int
		values, want    []float64
	}{
		{10, 10, []float64{1, 2, 3}, []float64{1, 2, 3}},
		{2, 2, []float64{1, 2, 3, 7}, []float64{1.5, 5}},
		{2, 2, []float64{1, nan, inf, nan}, []float64{1, -1}},
		{4, 2, []float64{1, 2, 3, 7, 5, 5, 6, 8}, []float64{3.25, 6}},
		{4, 1, []float64{1, nan, nan, nan, 3, 5, nan, nan}, []float64{3}},
		{1, 1, []float64{1.5e308, 1.5e308}, []float64{1.5e308}},
		{1, 1, []float64{-1.7e308, 1.7e308}, []float64{0}},
		{0, 0, []float64{4}, []float64{4}},
	} {
		l := lineOf(tt.columns, tt.values...).within(max(tt.within, 1))
		var got []float64
		for k := range l.means {
			if v := l.mean(k); math.IsNaN(v) {
				got = append(got, -1)
			} else {
				got = append(got, v)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v in %d columns: %v, want %v", tt.values, tt.within, got, tt.want)
		}
	}
}

// FuzzPlot draws lines of any values in any size. Each line of the drawing must fit, unless the
// plot is narrower than its labels.
func FuzzPlot(f *testing.F) {
	f.Add(1.0, 2.0, math.NaN(), uint16(10), uint8(80), uint8(20))
	f.Add(-1.7e308, 1.7e308, math.Inf(1), uint16(300), uint8(40), uint8(5))
	f.Add(0.0, 5e-324, -5e-324, uint16(2), uint8(10), uint8(1))
	f.Add(1e15, 1e15+1, 1e15+2, uint16(1), uint8(200), uint8(200))
	f.Fuzz(func(t *testing.T, a, b, c float64, n uint16, width, height uint8) {
		l := NewLine(int(n)+1, int(width))
		for i := range int(n) + 1 {
			l.Add([]float64{a, b, c}[i%3])
		}
		var s strings.Builder
		p := Plot{Width: int(width), Height: int(height), Name: "v", Axis: "x", Label: strconv.Itoa}
		if err := p.Draw(&s, l); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(s.String(), "\n")
		for _, line := range lines[:len(lines)-2] { // without the caption
			if w := len([]rune(line)); width >= 60 && w > int(width) {
				t.Errorf("%d columns, want at most %d: %s", w, width, line)
			}
		}
	})
}
