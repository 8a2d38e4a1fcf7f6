package large

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/large"
)

// TestShard writes a shard in parts and reads it back in ranges, through an array.
func TestShard(t *testing.T) {
	rows, o := 3, large.Options{SplitAbove: piece, PartAbove: piece, Piece: piece}
	if n := wanted(); n > 0 {
		rows, o = n, large.Options{}
		t.Logf("a shard of %d MiB at the usual numbers", rows*row>>20)
	} else {
		t.Logf("a shard of %d MiB in parts of %d MiB; ZARGO_LARGE_GIB=6 makes it 6 GiB at the usual numbers", rows*row>>20, piece>>20)
	}
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) {
			below, err := p.Open(t.Context(), p.URL(t), 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = below.Close() }()
			shard(t, large.New(below, o), rows)
		})
	}
}

// row is the size of an inner chunk.
const row = 8 << 20

// wanted returns the number of rows for the size in GiB that the environment variable sets, or 0.
func wanted() int {
	gib, _ := strconv.Atoi(os.Getenv("ZARGO_LARGE_GIB"))
	return max(0, gib) << 30 / row
}

func shard(t *testing.T, st store.Store, rows int) {
	ctx := t.Context()
	a, err := zarr.Create(ctx, st, "a", zarr.Spec{
		Shape: []int{rows, row}, Shards: []int{rows, row}, Chunks: []int{1, row}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.CRC32C()},
	})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]byte, rows*row)
	_, _ = rand.NewChaCha8([32]byte{17}).Read(values)
	begin := time.Now()
	if err := zarr.Write(ctx, a, values); err != nil {
		t.Fatal(err)
	}
	wrote := time.Since(begin)
	clear(values)
	begin = time.Now()
	if err := zarr.ReadInto(ctx, a, values); err != nil {
		t.Fatal(err)
	}
	read := time.Since(begin)
	r, want := rand.NewChaCha8([32]byte{17}), make([]byte, row)
	for i := range rows {
		_, _ = r.Read(want)
		if !bytes.Equal(values[i*row:(i+1)*row], want) {
			t.Fatalf("row %d came back otherwise", i)
		}
	}
	t.Logf("%d MiB written in %v, read in %v", rows*row>>20, wrote.Round(time.Millisecond), read.Round(time.Millisecond))
}
