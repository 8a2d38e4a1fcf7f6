package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// childEnv makes the test binary a writer; its value is an order.
const childEnv = "ZARGO_CRASH_CHILD"

// order tells a child where to write and from which generation on.
type order struct {
	Provider string // its name, or empty for a folder
	Place    string // the bucket's URL or the folder
	First    int64
}

func TestMain(m *testing.M) {
	raw := os.Getenv(childEnv)
	if raw == "" {
		os.Exit(m.Run())
	}
	var o order
	err := json.Unmarshal([]byte(raw), &o)
	if err == nil {
		err = o.run()
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

// run writes until the process is killed. Each line on standard output names a writer and the generation that it just
// finished; the first line is "ready 0".
func (o order) run() error {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
		os.Exit(1)
	}()
	ctx := context.Background()
	st, err := o.open(ctx)
	if err != nil {
		return err
	}
	var steps []func(ctx context.Context, g int64) error
	for _, w := range writers() {
		step, err := w.open(ctx, st)
		if err != nil {
			return err
		}
		steps = append(steps, step)
	}
	fmt.Println("ready 0")
	return concurrency.EachN(ctx, len(steps), len(steps), func(ctx context.Context, i int) error {
		for g := o.First; ; g++ {
			if err := steps[i](ctx, g); err != nil {
				return err
			}
			fmt.Printf("%s %d\n", writers()[i].name, g) // one write, shorter than a pipe's buffer: never torn
		}
	})
}

// writer writes generation after generation to its part of one array.
type writer struct {
	name  string
	array string
	rows  [2]int // the rows of the array that it owns; none for the writer of attributes
}

const (
	wholePath, partsPath = "whole", "deep/parts"
	side                 = 500 // rows and columns of the array of whole chunks, ragged by its chunks
	chunk                = 128 // 128 KiB each, so that a put takes a while
	high, wide, split    = 128, 1000, 40
)

func writers() []writer {
	return []writer{
		{"whole", wholePath, [2]int{0, side}},
		{"top", partsPath, [2]int{0, split}},
		{"bottom", partsPath, [2]int{split, high}},
		{"attrs", wholePath, [2]int{}},
	}
}

// open returns what writes one generation. Every writer opens its array itself: what keeps them from one another's values
// is the store, not a lock in the process.
func (w writer) open(ctx context.Context, st store.Store) (func(ctx context.Context, g int64) error, error) {
	a, err := zarr.OpenArray(ctx, st, w.array)
	if err != nil {
		return nil, err
	}
	if w.rows == [2]int{} {
		return func(ctx context.Context, g int64) error {
			a, err = a.SetAttrs(ctx, map[string]any{"generation": g})
			return err
		}, nil
	}
	return func(ctx context.Context, g int64) error {
		src := slices.Repeat([]int64{g}, (w.rows[1]-w.rows[0])*a.Shape()[1])
		return zarr.Write(ctx, a, src, zarr.Range(w.rows[0], w.rows[1]))
	}, nil
}
