package engine_test

import (
	"slices"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestPartTakesOneChunk checks that a write of part of a chunk whose stored bytes are its elements
// takes the memory of one chunk, whether one is stored or not. The part is written over the stored
// bytes, or over the fill value in the buffer for them.
func TestPartTakesOneChunk(t *testing.T) {
	const chunk = 4096
	a := arrayOf(t, mem.New(), chunk, chunk, codec.Bytes(dtype.NoOrder))
	all := make([]byte, chunk)
	for i, name := range []string{"absent", "stored"} {
		a.Options.Limits = &concurrency.Limits{CPU: concurrency.NewCPU(1), Bytes: concurrency.NewBudget(1 << 20)}
		succeed(t, a.Write(t.Context(), memory([]byte{1, 2, 3}), grid.Region{{Start: 100 * i, Step: 1, Count: 3}}))
		if _, peak := a.Options.Limits.Bytes.Used(); peak != concurrency.Need(chunk) {
			t.Errorf("%s: %d bytes at most, want %d", name, peak, concurrency.Need(chunk))
		}
		free(t, a)
		copy(all[100*i:], []byte{1, 2, 3})
		got := make([]byte, chunk)
		if err := a.Read(t.Context(), memory(got), grid.Whole(a.Layout.Shape)); err != nil || !slices.Equal(got, all) {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
