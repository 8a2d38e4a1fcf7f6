package plan

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
)

// piecesAt returns pieces of length n with gaps between them.
func piecesAt(n int64, gaps ...int64) []Piece {
	p := []Piece{{Len: n}}
	for _, g := range gaps {
		p = append(p, Piece{Off: p[len(p)-1].Off + n + g, Len: n})
	}
	return p
}

// TestCostOf checks the longest gap that is worth reading. The settings assume a cloud. Until the
// bandwidth is measured, a short latency reduces the gap, and a long one changes nothing.
func TestCostOf(t *testing.T) {
	cloud := store.Tuning{Requests: 128, RangeGap: 1 << 20}
	for _, tt := range []struct {
		name string
		of   store.Tuning
		m    store.Measured
		want int64
	}{
		{"nothing measured", cloud, store.Measured{}, 1 << 20},
		{"first read from a cloud", cloud, store.Measured{Latency: 30 * time.Millisecond}, 1 << 20},
		{"first read from a near service", cloud, store.Measured{Latency: time.Millisecond}, 80_000},
		{"first read in no time", cloud, store.Measured{Latency: 1}, cheap},
		{"bandwidth", cloud, store.Measured{Latency: 30 * time.Millisecond, Bandwidth: 60e6}, 1_800_000},
		{"bandwidth of a near service", cloud, store.Measured{Latency: time.Millisecond, Bandwidth: 500e6}, 500_000},
		{"no network", store.Local(), store.Measured{Latency: time.Second}, store.Local().RangeGap},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if c := CostOf(tt.of, tt.m, 8); c.Gap != tt.want {
				t.Errorf("%d, want %d", c.Gap, tt.want)
			}
		})
	}
}

// TestGap checks the number and the length of the reads that merge pieces of 100 bytes.
func TestGap(t *testing.T) {
	times := func(n int, gap int64) []int64 {
		g := make([]int64, n)
		for i := range g {
			g[i] = gap
		}
		return g
	}
	for _, tt := range []struct {
		name  string
		cost  Cost
		gaps  []int64
		reads int
		bytes int64
	}{
		{"only cheap gaps", Cost{Gap: 1000, Cheap: 10}, []int64{10, 11, 9, 500}, 3, 519},
		{"as many reads as streams", Cost{Gap: 1000, Cheap: 10, Streams: 4}, []int64{50, 60, 70}, 4, 400},
		{"one round in place of two", Cost{Gap: 1000, Cheap: 10, Streams: 4}, []int64{70, 60, 50, 80, 90, 20}, 4, 830},
		{"equal gaps are one", Cost{Gap: 1000, Cheap: 10, Streams: 4}, times(5, 50), 1, 850},
		{"a round costs less than the bytes", Cost{Gap: 60, Cheap: 10, Streams: 4}, []int64{190, 200, 210, 220, 230}, 6, 600},
		{"no gap is longer than Gap", Cost{Gap: 100, Cheap: 10, Streams: 1}, []int64{20, 101, 20, 102}, 3, 540},
		{"not more than three times what is wanted", Cost{Gap: 1e6, Cheap: 10, Streams: 1}, []int64{300, 301, 302, 303}, 2, 1403},
		{"cheap gaps may waste", Cost{Gap: 1e6, Cheap: 1e5, Streams: 1}, []int64{5000, 5000}, 1, 10300},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.cost.Max = 1 << 40
			r := merge(Request{}, piecesAt(100, tt.gaps...), &tt.cost)
			if r.Len() != tt.reads || r.Bytes() != tt.bytes {
				t.Errorf("%d reads of %d bytes, want %d of %d", r.Len(), r.Bytes(), tt.reads, tt.bytes)
			}
		})
	}
}

// TestGapIsTheBest checks that no other permitted gap makes the reads end earlier.
func TestGapIsTheBest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	merged := 0
	for range 2000 {
		n := 1 + rnd.IntN(40)
		cost := Cost{Gap: rnd.Int64N(3000), Cheap: rnd.Int64N(50), Max: 1 << 40, Streams: 1 + rnd.IntN(8)}
		gaps := make([]int64, n)
		for i := range gaps {
			gaps[i] = rnd.Int64N(1 + rnd.Int64N(2000))
		}
		pieces := piecesAt(1+rnd.Int64N(500), gaps...)
		wanted := int64(len(pieces)) * pieces[0].Len
		got := merge(Request{}, pieces, &cost)
		if got.gap > max(cost.Cheap, cost.Gap) {
			t.Fatalf("a gap of %d is read through, Gap is %d", got.gap, cost.Gap)
		}
		for gap := cost.Cheap; gap <= cost.Gap; gap++ {
			only := Cost{Cheap: gap, Max: 1 << 40}
			r := merge(Request{}, pieces, &only)
			if gap > cost.Cheap && r.Bytes() > waste*wanted {
				break
			}
			if cost.time(r.Len(), r.Bytes()) < cost.time(got.Len(), got.Bytes()) {
				t.Fatalf("%+v: gaps up to %d are read through, %d reads of %d bytes; up to %d would be %d of %d\n%v",
					cost, got.gap, got.Len(), got.Bytes(), gap, r.Len(), r.Bytes(), gaps)
			}
		}
		if got.gap > cost.Cheap {
			merged++
		}
	}
	if merged < 200 {
		t.Errorf("gaps that are not cheap were read through in %d cases only", merged)
	}
}
