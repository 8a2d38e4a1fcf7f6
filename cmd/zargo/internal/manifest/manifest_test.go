package manifest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/manifest"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func put(t *testing.T, st store.Store, key string, value []byte) {
	t.Helper()
	if _, err := st.Put(t.Context(), key, value, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestWriteAndCheck checks the sums of empty, small and large values, and that each kind of
// difference is found.
func TestWriteAndCheck(t *testing.T) {
	st := mem.New()
	values := map[string][]byte{"a/0": {}, "a/1": []byte("x"), "b": bytes.Repeat([]byte("0123456789abcdef"), 5<<16), "c": make([]byte, 8<<20), "d": make([]byte, 17<<20)}
	values["d"][16<<20] = 1
	want := ""
	for _, key := range []string{"a/0", "a/1", "b", "c", "d"} {
		put(t, st, key, values[key])
		want += fmt.Sprintf("%x  %s\n", sha256.Sum256(values[key]), key)
	}
	var b bytes.Buffer
	if err := manifest.Write(t.Context(), st, &b, manifest.Options{}); err != nil || b.String() != want {
		t.Fatal(err, b.String(), want)
	}
	r, err := manifest.Check(t.Context(), st, bytes.NewReader(b.Bytes()), manifest.Options{})
	if err != nil || !r.OK() || r.Same != 5 {
		t.Fatal(r, err)
	}
	values["d"][17<<20-1] = 1
	put(t, st, "d", values["d"])
	put(t, st, "e", nil)
	succeed(t, st.Delete(t.Context(), "a/0", store.DeleteOptions{}))
	r, err = manifest.Check(t.Context(), st, &b, manifest.Options{})
	if err != nil || r.Same != 3 || !slices.Equal(r.Missing, []string{"a/0"}) || !slices.Equal(r.Changed, []string{"d"}) || !slices.Equal(r.Extra, []string{"e"}) {
		t.Error(r, err)
	}
}

// TestBadManifests checks that invalid lines of a manifest are errors.
func TestBadManifests(t *testing.T) {
	digits := strings.Repeat("0", 64)
	for _, text := range []string{"\n", "x  y\n", digits + " y\n", digits + "  \n", digits[1:] + "  y\n", digits + "  y\n1" + digits[1:] + "  y\n", strings.Repeat("x", 1<<16)} {
		if _, err := manifest.Check(t.Context(), mem.New(), strings.NewReader(text), manifest.Options{}); !errors.Is(err, fault.Metadata) {
			t.Errorf("%.80q: %v", text, err)
		}
	}
}

func ExampleWrite() {
	ctx, st := context.Background(), mem.New()
	if _, err := st.Put(ctx, "t2m/c/0", []byte("a chunk"), store.PutOptions{}); err != nil {
		log.Fatal(err)
	}
	if err := manifest.Write(ctx, st, os.Stdout, manifest.Options{}); err != nil {
		log.Fatal(err)
	}
	// Output: abbe7862de7660b333d1862141746d1d6d0e23c8cf49227bbd0d16add97bc71e  t2m/c/0
}

func ExampleOptions() {
	ctx, st := context.Background(), mem.New()
	if _, err := st.Put(ctx, "t2m/c/0", []byte("a chunk"), store.PutOptions{}); err != nil {
		log.Fatal(err)
	}
	err := manifest.Write(ctx, st, io.Discard, manifest.Options{Progress: func(done, total int64) { fmt.Println(done, "of", total) }})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 of 7
	// 7 of 7
}

// TestBudget checks that values are read within the memory budget, regardless of their number.
func TestBudget(t *testing.T) {
	st := mem.New()
	for i := range 50 {
		if _, err := st.Put(t.Context(), fmt.Sprint("k", i), make([]byte, 1<<20), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	l := &concurrency.Limits{CPU: concurrency.NewCPU(1), Bytes: concurrency.NewBudget(4 << 20)}
	succeed(t, manifest.Write(t.Context(), st, io.Discard, manifest.Options{Limits: l}))
	if now, peak := l.Bytes.Used(); now != 0 || peak < 1<<20 || peak > 4<<20 {
		t.Errorf("%d bytes are held, %d were", now, peak)
	}
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
