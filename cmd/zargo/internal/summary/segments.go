package summary

import (
	"context"
	"encoding/binary"
	"math"
	"runtime"
	"sync"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// segments divides consecutive elements into segments. It computes the results of segments
// concurrently and merges them in order.
type segments[R any] struct {
	size  int    // bytes of an element
	rest  []byte // elements of an incomplete segment
	each  func(elems []byte) (R, error)
	merge func(R)
}

// segment is the number of elements in a segment. The stored and decoded elements of a segment need
// at most 1 MiB, which fits in the cache of a CPU.
const segment = 1 << 16

// add appends elements to those of previous calls.
func (s *segments[R]) add(ctx context.Context, elems []byte) error {
	length := s.size * segment
	if len(s.rest) > 0 {
		n := min(length-len(s.rest), len(elems))
		s.rest, elems = append(s.rest, elems[:n]...), elems[n:]
		if len(s.rest) < length {
			return nil
		}
		if err := s.end(); err != nil {
			return err
		}
	}
	all := make([]R, len(elems)/length)
	err := concurrency.EachN(ctx, runtime.GOMAXPROCS(0), len(all), func(_ context.Context, i int) (err error) {
		all[i], err = s.each(elems[i*length : (i+1)*length])
		return err
	})
	if err != nil {
		return err
	}
	for _, r := range all {
		s.merge(r)
	}
	s.rest = append(s.rest, elems[len(all)*length:]...)
	return nil
}

// end computes and merges the result of s.rest.
func (s *segments[R]) end() error {
	if len(s.rest) == 0 {
		return nil
	}
	r, err := s.each(s.rest)
	if err != nil {
		return err
	}
	s.merge(r)
	s.rest = s.rest[:0]
	return nil
}

// values contains the stored and the decoded elements of a segment.
type values[S cf.Number] struct {
	stored  []S
	decoded []float64
}

// decoder decodes segments. It reuses buffers.
type decoder[S cf.Number] struct {
	size   int
	coding *cf.Coding
	half   bool // the elements are float16, and S is float32
	free   sync.Pool
}

// decode decodes a segment and calls use. The slices in values are valid during the call.
func (d *decoder[S]) decode(elems []byte, use func(values[S])) error {
	v, ok := d.free.Get().(*values[S])
	if !ok {
		v = &values[S]{make([]S, segment), make([]float64, segment)}
	}
	defer d.free.Put(v)
	n := len(elems) / d.size
	of := values[S]{v.stored[:n], v.decoded[:n]}
	if d.half {
		for i := range of.stored {
			of.stored[i] = S(dtype.F16(binary.LittleEndian.Uint16(elems[2*i:])).Float32())
		}
	} else if _, err := binary.Decode(elems, binary.LittleEndian, of.stored); err != nil {
		return err
	}
	if d.coding != nil {
		if err := cf.Decode(d.coding, of.decoded, of.stored); err != nil {
			return err
		}
	} else {
		for i, x := range of.stored {
			of.decoded[i] = float64(x)
		}
	}
	use(of)
	return nil
}

// finite reports whether a number is neither NaN nor infinite.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func notNumbers(t dtype.Type) error {
	return fault.Newf(fault.Type, "statistics require numbers, the data type is %v", t)
}
