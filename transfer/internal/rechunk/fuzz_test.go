package rechunk

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// FuzzSolve solves problems with any numbers. The result must be a solution that fits in memory, or
// fault.Limit or fault.Selection, without a panic or an overflow.
func FuzzSolve(f *testing.F) {
	seed := func(item, memory uint64, numbers ...uint64) {
		b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, item), memory)
		for _, n := range numbers {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
		f.Add(b)
	}
	const most = 1<<63 - 1
	seed(4, 1<<30, 350640, 1, 350640, 721, 721, 10, 1440, 1440, 10)
	seed(1, most, most, 1, most)
	seed(1, most, most, 3, 2, 1, most, most)
	seed(1, most, 1<<62, 1, 1<<31)
	seed(most, most, most, most, most)
	seed(8, 4096, 1<<20, 7, 5, 1<<20, 11, 13, 1<<20, 1, 3)
	seed(1, 1<<20, 0, most, 1)
	seed(1<<40, most, 1000, 1<<40, 1<<40) // a chunk larger than any memory in a small array
	f.Fuzz(func(t *testing.T, b []byte) {
		next := func() int {
			var n [8]byte
			b = b[copy(n[:], b):]
			return int(binary.LittleEndian.Uint64(n[:]))
		}
		p := Problem{ItemSize: next(), Memory: int64(next())}
		for len(b) > 0 && len(p.Shape) < 6 {
			p.Shape = append(p.Shape, next())
			p.From = append(p.From, next())
			p.To = append(p.To, next())
		}
		p.Parts = p.Memory%2 == 1
		best, one, err := Solve(p)
		if err != nil {
			if !errors.Is(err, fault.Limit) && !errors.Is(err, fault.Selection) {
				t.Fatal(err)
			}
			return
		}
		wantStages(t, p, best)
		wantStages(t, p, one)
		if best.Requests < 0 || best.Bytes < 0 || one.Requests < best.Requests && one.Bytes < best.Bytes {
			t.Errorf("%v\none stage: %v", best, one)
		}
	})
}
