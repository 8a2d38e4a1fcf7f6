package compute

import (
	"context"
	"sync"

	"github.com/zargo-io/zargo/cf"
)

// table counts how often each integer of a type occurs. The index of an integer is its uint16.
// Neighbors are often equal, and an addition to a count waits for the previous one. Two halves that
// count in turn avoid most of these waits.
type table[S small] struct {
	even, odd [1 << 16]uint32
	total     [1 << 16]int64 // of elements that the halves no longer count
	left      int            // elements until a count of 32 bits may overflow
}

// small is a Go type of integers of one or two bytes.
type small interface {
	~int8 | ~int16 | ~uint8 | ~uint16
}

func newTable[S small]() *table[S] { return &table[S]{left: leastLeft} }

// leastLeft is the number of elements that a count of 32 bits can count at least.
const leastLeft = 1<<31 - 1

func (t *table[S]) add(_ []int, values []S) {
	for len(values) > 0 {
		part := values[:min(len(values), t.left)]
		t.count(part)
		values = values[len(part):]
		if t.left -= len(part); t.left == 0 {
			t.flush()
		}
	}
}

func (t *table[S]) count(values []S) {
	for len(values) >= 4 {
		v := values[:4:4]
		t.even[uint16(v[0])]++
		t.odd[uint16(v[1])]++
		t.even[uint16(v[2])]++
		t.odd[uint16(v[3])]++
		values = values[4:]
	}
	for _, v := range values {
		t.even[uint16(v)]++
	}
}

func (t *table[S]) repeat(_ []int, value S, n int) { t.total[uint16(value)] += int64(n) }

// flush moves the counts of the halves to t.total.
func (t *table[S]) flush() {
	for i := range t.total {
		t.total[i] += int64(t.even[i]) + int64(t.odd[i])
	}
	clear(t.even[:])
	clear(t.odd[:])
	t.left = leastLeft
}

// counts returns each integer that occurs, in the order of its bits, and how often it does.
func (t *table[S]) counts() (values []S, n []int64) {
	t.flush()
	for i, c := range t.total {
		if c > 0 {
			values, n = append(values, S(i)), append(n, c) //nolint:gosec // the inverse of uint16
		}
	}
	return values, n
}

// countIn counts the elements of a source.
func countIn[A any, S small](ctx context.Context, s Source, to func([]A) []S) (*table[S], error) {
	c := counter[S]{sum: newTable[S]()}
	return c.sum, visit(ctx, s, to, c.fresh, c.merge)
}

// counter counts the elements of all tiles, and reuses the tables of tiles.
type counter[S small] struct {
	sum  *table[S]
	mu   sync.Mutex
	idle []*table[S]
}

func (c *counter[S]) fresh() *table[S] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle) - 1; n >= 0 {
		t := c.idle[n]
		c.idle = c.idle[:n]
		return t
	}
	return newTable[S]()
}

func (c *counter[S]) merge(of []*table[S]) {
	for _, t := range of {
		t.flush()
		for i, n := range t.total {
			c.sum.total[i] += n
		}
		clear(t.total[:])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, of...)
}

// decodedAll decodes values by a coding, which may be nil.
func decodedAll[S cf.Number](c *cf.Coding, values []S) ([]float64, error) {
	dst := make([]float64, len(values))
	if c != nil {
		return dst, cf.Decode(c, dst, values)
	}
	for i, v := range values {
		dst[i] = float64(v)
	}
	return dst, nil
}
