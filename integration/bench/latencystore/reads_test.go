package main

import (
	"errors"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/faultproxy"
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

	read := func(t *testing.T, c faultproxy.Config) (requests, faults int64, err error) {
		configure := func(c faultproxy.Config) {
			if err := s.Configure(c); err != nil {
				t.Fatal(err)
			}
		}
		configure(faultproxy.Config{})
		a := open(t)
		s.Reset()
		configure(c)
		got, err := zarr.Read[int32](t.Context(), a)
		if err == nil && !slices.Equal(got, want) {
			t.Error("other values")
		}
		for _, n := range s.Stats().Faults {
			faults += n
		}
		return s.Stats().Requests, faults, err
	}
	for name, c := range map[string]faultproxy.Config{
		"none":       {},
		"first two":  {FailFirst: 2},
		"slow down":  {Rates: faultproxy.Rates{SlowDown: 0.05}},
		"error":      {Rates: faultproxy.Rates{InternalError: 0.05}},
		"reset":      {Rates: faultproxy.Rates{Reset: 0.02}},
		"truncate":   {Rates: faultproxy.Rates{Truncate: 0.02}},
		"hang":       {Rates: faultproxy.Rates{Hang: 0.03}},
		"everything": {FailFirst: 2, Rates: faultproxy.Rates{SlowDown: 0.05, Reset: 0.02, Truncate: 0.02, Hang: 0.03}},
	} {
		t.Run(name, func(t *testing.T) {
			var extra, seen int64
			for c.Seed = 1; c.Seed <= 2; c.Seed++ {
				requests, faults, err := read(t, c)
				if err != nil {
					t.Fatal(err)
				}
				extra += requests - 200
				seen += faults
			}
			if extra < 0 || float64(extra) > 1.2*float64(seen) || (seen > 0) != (name != "none") {
				t.Errorf("%d requests more for %d faults", extra, seen)
			}
		})
	}
	t.Run("corrupt", func(t *testing.T) {
		for seed := range uint64(5) {
			_, faults, err := read(t, faultproxy.Config{Seed: seed + 1, Rates: faultproxy.Rates{Corrupt: 0.05}})
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
