package large

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/large"
)

// shardBytes is a stored, uncompressed shard with one row per inner chunk and its index at the end.
// It is written according to the text of the specification ("sharding_indexed", binary shard
// format), not by this module's encoder. It is never completely in memory.
type shardBytes struct {
	rows  int
	index []byte
}

func newShardBytes(rows int) shardBytes {
	var index []byte
	for i := range rows {
		index = binary.LittleEndian.AppendUint64(index, uint64(i)*row)
		index = binary.LittleEndian.AppendUint64(index, row)
	}
	sum := crc32.Checksum(index, crc32.MakeTable(crc32.Castagnoli))
	return shardBytes{rows, binary.LittleEndian.AppendUint32(index, sum)}
}

func (s shardBytes) size() int64 { return int64(s.rows)*row + int64(len(s.index)) }

// rowOf returns the contents of row i.
func rowOf(i int) []byte {
	b := make([]byte, row)
	seed := [32]byte{19}
	binary.LittleEndian.PutUint64(seed[8:], uint64(i))
	_, _ = rand.NewChaCha8(seed).Read(b)
	return b
}

func (s shardBytes) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) {
		at := off + int64(n)
		switch i := int(at / row); {
		case at >= s.size():
			return n, io.EOF
		case i < s.rows:
			n += copy(b[n:], rowOf(i)[at%row:])
		default:
			n += copy(b[n:], s.index[at-int64(s.rows)*row:])
		}
	}
	return n, nil
}

// TestStreamedShard puts a shard in parts without holding it in memory, and reads it as an array,
// some rows at a time.
func TestStreamedShard(t *testing.T) {
	rows, o := 5, large.UploadOptions{Piece: piece}
	if n := wanted(); n > 0 {
		rows, o = n, large.UploadOptions{}
	}
	t.Run("dir", func(t *testing.T) { streamedShard(t, dir.New(t.TempDir()), rows, o) })
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) {
			st, err := p.Open(t.Context(), p.URL(t), 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = st.Close() }()
			streamedShard(t, st, rows, o)
		})
	}
}

func streamedShard(t *testing.T, st store.Store, rows int, o large.UploadOptions) {
	ctx, s := t.Context(), newShardBytes(rows)
	a, err := zarr.Create(ctx, st, "a", zarr.Spec{
		Shape: []int{rows, row}, Shards: []int{rows, row}, Chunks: []int{1, row}, DType: dtype.Uint8, Codecs: []codec.Spec{},
	})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if _, err := large.Upload(ctx, st, "a/c/0/0", s, s.size(), o); err != nil {
		t.Fatal(err)
	}
	put := time.Since(begin)
	begin = time.Now()
	const slab = 32
	values := make([]byte, min(slab, rows)*row)
	for from := 0; from < rows; from += slab {
		n := min(slab, rows-from)
		if err := zarr.ReadInto(ctx, a, values[:n*row], zarr.Range(from, from+n)); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if !bytes.Equal(values[i*row:(i+1)*row], rowOf(from+i)) {
				t.Fatalf("row %d came back otherwise", from+i)
			}
		}
	}
	t.Logf("%d MiB put in %v, read in %v", s.size()>>20, put.Round(time.Millisecond), time.Since(begin).Round(time.Millisecond))
}
