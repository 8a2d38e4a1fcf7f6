package pipeline

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestItemsOfParts checks that a call retains only the selected elements of a chunk that it partly
// reads, and only the written elements of a chunk that it partly writes.
func TestItemsOfParts(t *testing.T) {
	const n, long = 100, 10_000
	p, err := New(codec.Builtin(), []codec.Spec{{Name: "vlen-utf8"}, codec.Zstd(1)}, codec.Repr{Type: dtype.String, Fill: []byte{}}, grid.Even([]int{n}), Options{ChunkLimit: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	text := func(i int) string { return fmt.Sprintf("%d%s", i, strings.Repeat("x", long)) }
	all := grid.Box{Parts: []grid.Part{{Step: 1, N: n}}}
	call := func() (*Items, *Chunk) {
		items, err := p.Items(1 << 30)
		if err != nil {
			t.Fatal(err)
		}
		return items, items.Numbers.Largest()
	}
	memory := func(items *Items, values ...string) Memory {
		m := Memory{Block: codec.Block{Bytes: make([]byte, 0, 8*len(values))}, Shape: []int{len(values)}}
		packer := items.Packer(0)
		for _, v := range values {
			number, err := packer.Add([]byte(v))
			if err != nil {
				t.Fatal(err)
			}
			m.Bytes = binary.LittleEndian.AppendUint64(m.Bytes, number)
		}
		packer.Done()
		return m
	}
	var s Scratch
	var values []string
	for i := range n {
		values = append(values, text(i))
	}
	items, c := call()
	stored, _, err := c.Encode(nil, nil, memory(items, values...), all, &s)
	if err != nil {
		t.Fatal(err)
	}

	for name, tt := range map[string]struct {
		box  grid.Box
		want []int
	}{
		"one":    {grid.Box{Parts: []grid.Part{{Off: 41, Step: 1, N: 1}}}, []int{41}},
		"steps":  {grid.Box{Parts: []grid.Part{{Off: 90, Step: -40, N: 3}}}, []int{90, 50, 10}},
		"points": {grid.Box{Parts: []grid.Part{{Step: 1, N: 2}}, Pairs: []grid.Pair{{Off: 7, To: 1}, {Off: 8, To: 0}}}, []int{8, 7}},
	} {
		items, c := call()
		dst := Memory{Block: codec.Block{Bytes: make([]byte, 8*len(tt.want))}, Shape: []int{len(tt.want)}}
		if err := c.Decode(dst, tt.box, stored, &s); err != nil {
			t.Fatal(name, err)
		}
		for i := range len(dst.Bytes) / 8 {
			if got := string(items.At(binary.LittleEndian.Uint64(dst.Bytes[8*i:]))); got != text(tt.want[i]) {
				t.Errorf("%s: element %d is %.10q, want %.10q", name, i, got, text(tt.want[i]))
			}
		}
		if most := int64(4 * len(tt.want) * long); items.Kept() > most {
			t.Errorf("%s: %d bytes are kept, want %d at most", name, items.Kept(), most)
		}
	}

	items, c = call()
	changed, _, err := c.Encode(nil, stored, memory(items, "new"), grid.Box{Parts: []grid.Part{{Off: 41, Step: 1, N: 1}}}, &s)
	if err != nil {
		t.Fatal(err)
	}
	if items.Kept() > 1000 {
		t.Errorf("%d bytes are kept of a write of three", items.Kept())
	}
	items, c = call()
	dst := Memory{Block: codec.Block{Bytes: make([]byte, 8*n)}, Shape: []int{n}}
	if err := c.Decode(dst, all, changed, &s); err != nil {
		t.Fatal(err)
	}
	values[41] = "new"
	for i := range len(dst.Bytes) / 8 {
		if got := string(items.At(binary.LittleEndian.Uint64(dst.Bytes[8*i:]))); got != values[i] {
			t.Errorf("after the write: element %d is %.10q, want %.10q", i, got, values[i])
		}
	}
}
