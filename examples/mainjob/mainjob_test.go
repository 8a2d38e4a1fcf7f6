package mainjob

import (
	"bytes"
	"context"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func TestRunCountsRequests(t *testing.T) {
	var out bytes.Buffer
	job := Job{Path: "demo/values", MiB: 1, Delay: time.Microsecond, Out: &out}
	st := mem.New()
	if err := job.Run(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	// 1 MiB is rounded up to 8. The numbers are chunks, requests, and the peak if it is known.
	for _, want := range []string{
		`8 chunks of 512 × 512`,
		`write, one chunk at a time +\S+ +\d+ +8 +8 +1 `,
		`write, many at once +\S+ +\d+ +8 +8 +\d+ `,
		`read, one chunk at a time +\S+ +\d+ +8 +8 +1 `,
		`read, many at once +\S+ +\d+ +8 +8 +\d+ `,
		`with 1µs added[^\n]*\nread, one chunk at a time +\S+ +\d+ +8 +8 +1 `,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	a, err := zarr.OpenArray(t.Context(), st, "demo/values")
	if err != nil {
		t.Fatal(err)
	}
	v, err := zarr.Read[float32](t.Context(), a, zarr.At(300), zarr.At(4001))
	if err != nil || v[0] != value(2, 300, 4001) {
		t.Errorf("the array left behind holds %v (%v), not %v", v, err, value(2, 300, 4001))
	}
}

// swapped is a store that returns the value of one key for reads of another.
type swapped struct {
	store.Store
	from, to string
}

func (s swapped) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if strings.HasSuffix(key, s.from) {
		key = strings.TrimSuffix(key, s.from) + s.to
	}
	return s.Store.Get(ctx, key, o, buf)
}

func TestRunFindsWrongChunks(t *testing.T) {
	tests := []struct {
		name, from, to string
		mib            int
	}{
		{"the neighbour to the right", "c/0/0", "c/0/1", 8},
		{"the neighbour below", "c/0/7", "c/1/7", 16},
		{"an absent one, which reads as the fill value", "c/0/3", "c/9/9", 8},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := Job{MiB: test.mib, Out: &bytes.Buffer{}}.Run(t.Context(), swapped{mem.New(), test.from, test.to})
			if err == nil || !strings.Contains(err.Error(), "wrong value at [") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRunOverwritesNothing(t *testing.T) {
	st := mem.New()
	if _, err := zarr.CreateGroup(t.Context(), st, "x", zarr.Spec{}); err != nil {
		t.Fatal(err)
	}
	if err := (Job{Path: "x", MiB: 8, Out: &bytes.Buffer{}}).Run(t.Context(), st); !errors.Is(err, zarr.ErrExists) {
		t.Errorf("got %v", err)
	}
}

func TestValuesAreExact(t *testing.T) {
	for _, row := range []int{0, 1, 511, 512, 1 << 20} {
		for _, col := range []int{0, 3, cols - 1} {
			v := float64(value(2, row, col)) * 8
			if v != math.Trunc(v) || v >= 1<<24 {
				t.Errorf("value at [%d, %d] is %v eighths", row, col, v)
			}
			if value(1, row, col) == value(2, row, col) {
				t.Errorf("both seeds give %v at [%d, %d]", v, row, col)
			}
		}
	}
}
