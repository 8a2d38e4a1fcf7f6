package main

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestReadsUnderFaults reads an array of 200 chunks, each with a checksum, from a server with all
// kinds of faults. Values must be correct, and at most six requests may be retried per five that
// fail. If bytes are changed in transit, the read must return an error.
func TestReadsUnderFaults(t *testing.T) {
	const side = 200
	server, s := start(t)
	open := func(t *testing.T) *zarr.Array {
		st, err := s3.Open(t.Context(), "s3://b?region=us-east-1&endpoint="+url.QueryEscape(server), s3.Anonymous(), s3.PathStyle(),
			s3.StallTimeout(2*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		a, err := zarr.OpenArray(t.Context(), st, "a", zarr.Format(3))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	want := make([]int32, side*side)
	for i := range want {
		want[i] = int32(i * i)
	}
	write(t, server, side, want)

	read := func(t *testing.T, q string) (requests, faults int64, err error) {
		s.live.set(defaultConfig())
		a := open(t)
		s.stat.reset()
		c := defaultConfig()
		if err := c.apply(query(t, q)); err != nil {
			t.Fatal(err)
		}
		s.live.set(c)
		got, err := zarr.Read[int32](t.Context(), a)
		if err == nil && !slices.Equal(got, want) {
			t.Error("other values")
		}
		s.stat.mu.Lock()
		defer s.stat.mu.Unlock()
		for _, n := range s.stat.faults {
			faults += n
		}
		return s.stat.requests, faults, err
	}
	for _, q := range []string{"", "fail-first=2", "p503=0.05", "p500=0.05", "preset=0.02", "ptruncate=0.02", "phang=0.03", "fail-first=2&p503=0.05&preset=0.02&ptruncate=0.02&phang=0.03"} {
		t.Run(q, func(t *testing.T) {
			var extra, seen int64
			for seed := range 2 {
				requests, faults, err := read(t, fmt.Sprintf("%s&seed=%d", q, seed+1))
				if err != nil {
					t.Fatal(err)
				}
				extra += requests - 200
				seen += faults
			}
			if extra < 0 || float64(extra) > 1.2*float64(seen) || (seen > 0) != (q != "") {
				t.Errorf("%d requests more for %d faults", extra, seen)
			}
		})
	}
	t.Run("pcorrupt=0.05", func(t *testing.T) {
		for seed := range 5 {
			_, faults, err := read(t, fmt.Sprintf("pcorrupt=0.05&seed=%d", seed+1))
			if faults == 0 || !errors.Is(err, zarr.ErrCorrupt) {
				t.Errorf("seed %d: %d bytes changed: %v", seed+1, faults, err)
			}
		}
	})
}

// write creates the array.
func write(t *testing.T, server string, side int, values []int32) {
	st, err := s3.Open(t.Context(), "s3://b?region=us-east-1&endpoint="+url.QueryEscape(server), s3.Anonymous(), s3.PathStyle())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	a, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Shape: []int{side, side}, Chunks: []int{10, 20}, DType: dtype.Int32, Codecs: []codec.Spec{codec.CRC32C()}})
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(t.Context(), a, values); err != nil {
		t.Fatal(err)
	}
}

func query(t *testing.T, s string) url.Values {
	v, err := url.ParseQuery(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
