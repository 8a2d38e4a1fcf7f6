package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

// TestTally compares the requests counted by classes with those of each object, for chunks and
// shards, reads and writes.
func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 2))
	type like struct {
		op    store.Op
		bound int64
		exact bool
		role  Role
	}
	for range 3000 {
		n := [2]int{1 + r.IntN(90), 1 + r.IntN(90)}
		head := fmt.Sprintf("read gap=%d max=100 shape=%d,%d", r.IntN(40), n[0], n[1])
		switch r.IntN(3) {
		case 0:
			head += fmt.Sprintf(" chunks=%d,%d", 1+r.IntN(20), 1+r.IntN(20))
		case 1:
			head += " chunks=30+30+10+20,7"
		default:
			head += fmt.Sprintf(" chunks=%d,%d inner=2,3", 2+2*r.IntN(8), 3+3*r.IntN(6))
		}
		head += " sel="
		for i := range n {
			start, step := r.IntN(n[i]), 1+r.IntN(r.IntN(12)+1)
			count := 1 + r.IntN((n[i]-1-start)/step+1)
			if r.IntN(2) == 0 {
				start, step = start+(count-1)*step, -step
			}
			if i > 0 {
				head += ","
			}
			head += fmt.Sprintf("%d:%d:%d", start, step, count)
		}
		p := parse(t, head, math.MaxInt64)
		if k := r.IntN(3); k > 0 {
			p.Write = &WriteOptions{Merge: k == 2}
		}
		want, got := map[like]int64{}, map[like]int64{}
		for o := range p.Objects() {
			for _, r := range p.requests(o) {
				want[like{r.Op, r.Bound, r.Exact, r.Role}]++
			}
		}
		for r, n := range p.Tally() {
			got[like{r.Op, r.Bound, r.Exact, r.Role}] += n
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s, write %+v:\n%v, want\n%v", head, p.Write, got, want)
		}
	}
}

// TestAmountOfManyObjects checks that Amount does not create the objects.
func TestAmountOfManyObjects(t *testing.T) {
	for _, write := range []*WriteOptions{nil, {}, {Merge: true}} {
		for _, head := range []string{
			"read shape=4000000007,9000000000 chunks=1,10 sel=1:1:4000000005,3:1:8999999990",
			"read shape=4000000007,9000000000 chunks=10,20 inner=5,2 sel=1:1:4000000005,3:1:8999999990",
			"read shape=9000000000 chunks=1 sel=8999999999:-1:9000000000",
		} {
			p := parse(t, head, math.MaxInt64)
			p.Write = write
			keys := 0
			p.Key = func(c []int) string { keys++; return key(c) }
			if a := p.Amount(); a.Requests.Most < 4e9 || keys > 9 {
				t.Errorf("%s: %+v, %d objects were made", head, a, keys)
			}
			if n := p.Len(); float64(n) < 4e9 {
				t.Errorf("%s: %d objects", head, n)
			}
		}
	}
}
