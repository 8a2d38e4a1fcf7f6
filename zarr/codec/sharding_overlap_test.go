package codec_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// TestShardOverlaps checks that inner chunks that overlap each other or the index are reported if
// the table has a report function, and that decoding fails if the function returns an error.
// Layouts that writers may produce are not reported.
func TestShardOverlaps(t *testing.T) {
	const no = math.MaxUint64
	in := codec.Repr{Shape: []int{4}, Type: dtype.Uint16, Fill: []byte{9, 0}}
	tests := []struct {
		name    string
		atStart bool
		pairs   [4][2]uint64 // plus 64 if the index is at the start
		overlap bool
	}{
		{"in order", false, [4][2]uint64{{0, 2}, {2, 2}, {4, 2}, {6, 2}}, false},
		{"in order, the index first", true, [4][2]uint64{{0, 2}, {2, 2}, {4, 2}, {6, 2}}, false},
		{"backwards, with gaps, and missing", false, [4][2]uint64{{6, 2}, {no, no}, {3, 2}, {0, 2}}, false},
		{"equal ones once", false, [4][2]uint64{{2, 2}, {0, 2}, {2, 2}, {2, 2}}, false},
		{"by a byte", false, [4][2]uint64{{0, 2}, {1, 2}, {4, 2}, {6, 2}}, true},
		{"into the index", false, [4][2]uint64{{7, 2}, {2, 2}, {4, 2}, {no, no}}, true},
		{"in the index", false, [4][2]uint64{{0, 2}, {20, 2}, {4, 2}, {no, no}}, true},
		{"into the index before", true, [4][2]uint64{{0, 2}, {no, no}, {no - 62, 2}, {6, 2}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			index := []byte{}
			for _, p := range tt.pairs {
				if tt.atStart && p[1] != no {
					p[0] += 64
				}
				index = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(index, p[0]), p[1])
			}
			shard := slices.Concat([]byte{1, 0, 2, 0, 3, 0, 4, 0}, index)
			if tt.atStart {
				shard = slices.Concat(index, shard[:8])
			}
			o := codec.ShardingOptions{Chunk: []int{1}, Codecs: plainIndex, Index: plainIndex, AtStart: tt.atStart}
			decode := func(table *codec.Table) error {
				c, err := table.Chain([]codec.Spec{codec.Sharding(o)}, in)
				if err != nil {
					t.Fatal(err)
				}
				return c.Decode(codec.Block{Bytes: make([]byte, 8)}, shard, nil)
			}
			if err := decode(codec.Builtin()); err != nil {
				t.Errorf("nobody asks: %v", err)
			}
			var told []rule.Rule
			err := decode(codec.Builtin().WithFindings(func(f rule.Finding) error { told = append(told, f.Rule); return nil }))
			if err != nil || tt.overlap != slices.Equal(told, []rule.Rule{rule.ShardOverlap}) || !tt.overlap && told != nil {
				t.Errorf("told %q, %v", told, err)
			}
			err = decode(codec.Builtin().WithFindings(func(f rule.Finding) error { return &rule.Error{Rule: f.Rule, Text: f.Text} }))
			if (err != nil) != tt.overlap || tt.overlap && (rule.Of(err) != rule.ShardOverlap || !errors.Is(err, fault.Corrupt)) {
				t.Errorf("strict: %v", err)
			}
		})
	}
}
