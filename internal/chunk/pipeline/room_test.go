package pipeline

import (
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestRoomIsEnough checks that no box of a chunk takes more memory than DecodeRoom and EncodeRoom
// return, and that whole chunks in rows of a region take none if a codec writes the rows.
func TestRoomIsEnough(t *testing.T) {
	little := codec.Bytes(dtype.Little)
	blosc := codec.Blosc(codec.BloscOptions{Cname: "lz4", Shuffle: "shuffle"})
	for _, tt := range []struct {
		name  string
		specs func(turned []int) []codec.Spec
		rows  bool // whole chunks take no memory in rows of 64 bytes or more
	}{
		{"raw", func([]int) []codec.Spec { return []codec.Spec{little} }, true},
		{"blosc", func([]int) []codec.Spec { return []codec.Spec{little, blosc} }, true},
		{"zstd", func([]int) []codec.Spec { return []codec.Spec{little, codec.Zstd(1)} }, false},
		{"order F, raw", func(turned []int) []codec.Spec { return []codec.Spec{codec.Transpose(turned...), little} }, true},
		{"order F, blosc", func(turned []int) []codec.Spec { return []codec.Spec{codec.Transpose(turned...), little, blosc} }, false},
		{"delta, blosc", func([]int) []codec.Spec {
			return []codec.Spec{codec.Delta(dtype.Float32, dtype.Float32), little, blosc}
		}, false},
	} {
		for _, shape := range [][]int{{8, 16}, {16, 8}, {64, 1}, {1, 64}, {4, 8, 16}, {4, 1, 16}, {4, 16, 1}, {128}} {
			t.Run(fmt.Sprint(tt.name, shape), func(t *testing.T) {
				turned := make([]int, len(shape))
				for i := range turned {
					turned[i] = len(shape) - 1 - i
				}
				axes := grid.Even(shape)
				p, err := New(codec.Builtin(), tt.specs(turned), codec.Repr{Type: dtype.Float32, Fill: make([]byte, 4)}, axes, Options{ChunkLimit: 1 << 20})
				if err != nil {
					t.Fatal(err)
				}
				c, err := p.For(shape)
				if err != nil {
					t.Fatal(err)
				}
				whole := make([]byte, c.Bytes)
				for i := range whole {
					whole[i] = byte(i * 7 >> 3)
				}
				stored, err := c.Chain.Encode(nil, codec.Block{Bytes: whole}, nil)
				if err != nil {
					t.Fatal(err)
				}
				for what, s := range selections(shape) {
					dst := Memory{Shape: s.Shape()}
					n, _ := s.Len()
					dst.Bytes = make([]byte, n*4)
					for b := range s.Chunks(axes) {
						if b.Coord[0] > 1 {
							break
						}
						lent := int64(0)
						var scratch Scratch
						scratch.Lend(func(n int) []byte {
							lent += int64(n)
							return make([]byte, 0, n)
						})
						if err := c.Decode(dst, b, stored, &scratch); err != nil {
							t.Fatal(err)
						}
						if room := c.DecodeRoom(dst, b); lent > room {
							t.Errorf("%s: decoding box %v took %d bytes, room is for %d", what, b.Coord, lent, room)
						} else if rows := shape[len(shape)-1]*4 >= 64; what == "all" && tt.rows && rows && room != 0 {
							t.Errorf("%s: room is for %d bytes to decode all of chunk %v, want none", what, room, b.Coord)
						}
						scratch.Free()
						lent = 0
						if _, _, err := c.Encode(nil, stored, dst, b, &scratch); err != nil {
							t.Fatal(err)
						}
						if room := c.EncodeRoom(dst, b); lent > room {
							t.Errorf("%s: encoding box %v took %d bytes, room is for %d", what, b.Coord, lent, room)
						}
						scratch.Free()
					}
				}
			})
		}
	}
}

// selections returns selections of an array of three chunks along each axis.
func selections(chunk []int) map[string]grid.Region {
	all := map[string]grid.Region{"all": nil, "part": nil, "steps": nil, "backwards": nil, "one": nil, "few": nil}
	for i, n := range chunk {
		last := i == len(chunk)-1
		add := func(name string, s grid.Slice) { all[name] = append(all[name], s) }
		add("all", grid.Slice{Step: 1, Count: 3 * n})
		add("part", grid.Slice{Start: n / 2, Step: 1, Count: 2 * n})
		add("steps", grid.Slice{Step: 2, Count: (3*n + 1) / 2})
		add("backwards", grid.Slice{Start: 3*n - 1, Step: -1, Count: 3 * n})
		add("one", grid.Slice{Start: n - 1, Step: 1, Count: 1})
		if few := (grid.Slice{Step: 1, Count: 3 * n}); last {
			add("few", few)
		} else {
			add("few", grid.Slice{Start: n - 1, Step: 1, Count: 2})
		}
	}
	return all
}
