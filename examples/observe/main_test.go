package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// busy fails its first request for a chunk.
type busy struct {
	store.Store
	once sync.Once
}

func (b *busy) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
	if strings.HasPrefix(key, "c/") {
		b.once.Do(func() { err = &fault.KeyError{Op: "get", Key: key, Kind: fault.Throttled} })
		if err != nil {
			return v, err
		}
	}
	return b.Store.Get(ctx, key, o, buf)
}

func TestLog(t *testing.T) {
	ctx, st := t.Context(), mem.New()
	a, err := zarr.Create(ctx, st, "", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32})
	if err == nil {
		err = zarr.Write(ctx, a, []int32{1, 2}, zarr.Range(0, 2))
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := retry.New(&busy{Store: st}, retry.Backoff(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	var out, lines bytes.Buffer
	if err := read(ctx, again, &out, slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"level=DEBUG msg=get key=zarr.json", "level=WARN msg=retry op=get key=c/", "level=DEBUG msg=get key=c/0", "absent=true"} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("no %q in\n%s", want, &lines)
		}
	}
	if strings.Contains(lines.String(), "level=ERROR") || !strings.HasPrefix(out.String(), "2 chunks (1 missing)") {
		t.Errorf("%s%s", &out, &lines)
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"a", "b"}, {"nothing://here"}} {
		if run(t.Context(), args, io.Discard, slog.New(slog.DiscardHandler)) == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
