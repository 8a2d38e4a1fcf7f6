package large

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/large"
)

// childEnv is the environment variable that makes the test binary an uploader. Its value is an
// order.
const childEnv = "ZARGO_LARGE_CHILD"

// order has the destination of a child's upload and the offset at which it stops.
type order struct {
	Provider string // provider's name, or empty for a directory
	Place    string // the bucket's URL or the directory
	Stop     int64  // offset of the first byte that the source never returns
	Rows     int    // if not 0, fill a shard with this number of rows instead
}

func TestMain(m *testing.M) {
	raw := os.Getenv(childEnv)
	if raw == "" {
		os.Exit(m.Run())
	}
	var o order
	err := json.Unmarshal([]byte(raw), &o)
	if err == nil && o.Rows > 0 {
		if err = o.fill(context.Background()); err == nil {
			os.Exit(0)
		}
	} else if err == nil {
		err = o.run(context.Background())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func (o order) open(ctx context.Context) (store.Store, error) {
	for _, p := range bucket.All() {
		if p.Name == o.Provider {
			return p.Open(ctx, o.Place, 0)
		}
	}
	return dir.New(o.Place), nil
}

const (
	key   = "a/c/0"
	piece = 5 << 20 // the minimum of S3
	count = 10
	// total is not a multiple of the part length.
	total = count*piece - 1234
)

// run uploads until its source stops, and then waits to be killed. The first line of standard
// output is the token, and the second reports that the source has stopped.
func (o order) run(ctx context.Context) error {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when the parent ends
		os.Exit(1)
	}()
	st, err := o.open(ctx)
	if err != nil {
		return err
	}
	_, err = large.Upload(ctx, st, key, stopping{bytes.NewReader(random(total)), o.Stop}, total, large.UploadOptions{
		Piece: piece, InFlight: 1, Began: func(token string) { fmt.Println(token) },
	})
	return fmt.Errorf("it ended: %v", err)
}

// stopping is a source that blocks at an offset.
type stopping struct {
	io.ReaderAt
	at int64
}

func (s stopping) ReadAt(b []byte, off int64) (int, error) {
	if off+int64(len(b)) > s.at {
		fmt.Println("stopped")
		select {}
	}
	return s.ReaderAt.ReadAt(b, off)
}

// random returns n bytes that are the same in every process.
func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{13}).Read(b)
	return b
}
