package crash

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/child"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestKill kills writers in a directory and in buckets. A round against a server takes three times
// as long as in a directory, mostly to start the child, and the servers for Google Cloud Storage
// and Azure are slower than the server for S3. Package shared does most of the kills in a
// directory.
func TestKill(t *testing.T) {
	t.Run("dir", func(t *testing.T) { kills(t, order{Place: t.TempDir()}, 20, 40*time.Millisecond) })
	rounds := map[string]int{"s3": 50, "gcs": 12, "azure": 12}
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) {
			kills(t, order{Provider: p.Name, Place: p.URL(t)}, rounds[p.Name], 200*time.Millisecond)
		})
	}
}

// kills kills the writers repeatedly, each time at a random moment within some time after their
// start. It increases that time if kills happen before anything was acknowledged, because the
// machine is busy, or before a shard was, which takes longest. If no kill happened in the middle of
// a write, there are up to ten times as many rounds.
func kills(t *testing.T, o order, rounds int, within time.Duration) {
	r := rand.New(rand.NewPCG(7, 7))
	k := newKeeper(t, o)
	for n := 0; n < rounds || (k.acks == 0 || k.shards == 0 || k.amid == 0) && n < 10*rounds; n++ {
		early := k.early
		acked := k.kill(time.Duration(r.Int64N(int64(within))))
		k.check(acked)
		if t.Failed() {
			return
		}
		if k.early > early || k.shards == 0 && within < 4*time.Second {
			within += within / 4
		}
	}
	t.Logf("%d generations acknowledged, %d of them of the shard, %d rounds ended amid one, %d kills before any", k.acks, k.shards, k.amid, k.early)
	if k.acks == 0 || k.shards == 0 || k.amid == 0 {
		t.Error("nothing was acknowledged, or no kill came in the middle of a write: the test shows nothing")
	}
}

// keeper has the contents of every chunk after the last round.
type keeper struct {
	t    *testing.T
	next order // task of the next child
	st   store.Store
	held map[string]int64 // generations by writer and chunk

	acks, shards, amid, early int
}

func newKeeper(t *testing.T, o order) *keeper {
	t.Helper()
	o.First = 1
	st, err := o.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	// The checksum detects an incomplete chunk. Without compression, writing a chunk takes longer.
	spec := zarr.Spec{Shape: []int{side, side}, Chunks: []int{chunk, chunk}, DType: dtype.Int64, Codecs: []codec.Spec{codec.CRC32C()}}
	if _, err := zarr.Create(t.Context(), st, wholePath, spec); err != nil {
		t.Fatal(err)
	}
	spec.Shape = []int{high, wide}
	if _, err := zarr.Create(t.Context(), st, partsPath, spec); err != nil {
		t.Fatal(err)
	}
	spec.Shape, spec.Shards = []int{long, long}, []int{long, long}
	if _, err := zarr.Create(t.Context(), st, shardPath, spec); err != nil {
		t.Fatal(err)
	}
	return &keeper{t: t, next: o, st: st, held: map[string]int64{}}
}

// kill runs a child for some time, kills it, and returns the last acknowledged generation of each
// writer.
func (k *keeper) kill(after time.Duration) map[string]int64 {
	k.t.Helper()
	c, acked := child.Start(k.t, k.next), map[string]int64{}
	err := c.Read(func(name string, g int64) {
		if name == "ready" {
			time.AfterFunc(after, c.Kill)
			return
		}
		acked[name] = g
		k.acks++
		if name == streamed {
			k.shards++
		}
	})
	if err != nil {
		k.t.Fatalf("a child ended by itself: %v", err)
	}
	if len(acked) == 0 {
		k.early++
	}
	return acked
}

// check reads all stored data.
func (k *keeper) check(acked map[string]int64) {
	k.t.Helper()
	amid := false
	top := k.next.First
	see := func(w writer, where string, g int64) {
		k.t.Helper()
		last, any := acked[w.name]
		key := w.name + " " + where
		switch was := k.held[key]; {
		case any && g != last && g != last+1:
			k.t.Errorf("%s: generation %d, after %d was acknowledged", key, g, last)
		case !any && (g < was || g > k.next.First): // a server may have finished a put of a killed writer after the last round
			k.t.Errorf("%s: generation %d, want still %d or at most %d", key, g, was, k.next.First)
		}
		amid = amid || any && g == last+1 || !any && g == k.next.First
		k.held[key] = g
		top = max(top, g+1)
	}
	for _, w := range writers() {
		a, err := zarr.OpenArray(k.t.Context(), k.st, w.array)
		if err != nil {
			k.t.Fatalf("after a kill: %v", err)
		}
		if w.rows == [2]int{} {
			g, _, err := zarr.Attr[int64](a, "generation")
			if err != nil {
				k.t.Errorf("after a kill: %v", err)
			}
			see(w, "", g)
			continue
		}
		all, err := zarr.Read[int64](k.t.Context(), a)
		if err != nil {
			k.t.Fatalf("after a kill: %v", err)
		}
		width := a.Shape()[1]
		for i := w.rows[0]; i < w.rows[1]; i++ {
			for j, g := range all[i*width : (i+1)*width] {
				at := a.ChunkKey(i/w.edge, j/w.edge)
				if i == max(w.rows[0], i-i%w.edge) && j%w.edge == 0 {
					see(w, at, g)
				} else if want := k.held[w.name+" "+at]; g != want {
					k.t.Fatalf("%s %s: element %d,%d is of generation %d, others of %d", w.name, at, i, j, g, want)
				}
			}
		}
	}
	if amid {
		k.amid++
	}
	k.next.First = top
	k.list()
}

// list checks that a listing contains only metadata and chunks. The S3 server may list a temporary
// file while it finishes a request of a killed client. It has ten seconds to remove that file.
func (k *keeper) list() {
	k.t.Helper()
	for range 100 {
		temporary := false
		for e, err := range k.st.List(k.t.Context(), "", store.ListOptions{}) {
			if err != nil {
				k.t.Fatal(err)
			}
			temporary = temporary || strings.Contains(e.Key, ".sgwtmp.")
		}
		if !temporary {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	for e, err := range k.st.List(k.t.Context(), "", store.ListOptions{}) {
		if err != nil {
			k.t.Fatal(err)
		}
		name := e.Key[strings.LastIndexByte(e.Key, '/')+1:]
		isChunk := strings.HasPrefix(e.Key, wholePath+"/c/") || strings.HasPrefix(e.Key, partsPath+"/c/") || strings.HasPrefix(e.Key, shardPath+"/c/")
		if name != "zarr.json" && !(isChunk && strings.Trim(name, "0123456789") == "") {
			k.t.Errorf("a listing shows %q", e.Key)
		}
	}
}
