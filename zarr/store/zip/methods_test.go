package zip

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestMethods reads values that Python's zipfile compressed by each of its methods, whole and in
// ranges.
func TestMethods(t *testing.T) {
	b, err := os.ReadFile("testdata/methods.zip")
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 100_000)
	for i := range want {
		want[i] = byte(i * i / 7 % 251)
	}
	st, err := openBytes(t, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"deflate", "bzip2", "lzma"} {
		for _, r := range []struct{ off, n int }{{0, 100_000}, {0, 1}, {99_999, 1}, {50_000, 7}, {1, 99_999}} {
			o := store.GetOptions{Range: store.Within(int64(r.off), int64(r.n))}
			v, err := st.Get(t.Context(), method, o, []byte("held"))
			if err != nil || !bytes.Equal(v.Bytes, append([]byte("held"), want[r.off:r.off+r.n]...)) {
				t.Errorf("%s at %d: %d bytes, %v", method, r.off, len(v.Bytes), err)
			}
		}
		if v, err := st.Get(t.Context(), method+"0", store.GetOptions{}, nil); err != nil || len(v.Bytes) != 0 {
			t.Errorf("empty value, %s: %q, %v", method, v.Bytes, err)
		}
		if _, err := st.Get(t.Context(), method, store.GetOptions{Max: 99_999}, nil); !errors.Is(err, fault.Limit) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// TestMethodsHostile changes each byte of the compressed values and their declared sizes: a Get
// returns the right bytes or an error, and takes memory for no more than it decompressed.
func TestMethodsHostile(t *testing.T) {
	b, err := os.ReadFile("testdata/methods.zip")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bzip2", "lzma"} {
		at := bytes.Index(b, []byte(name))
		for _, i := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 40, 1000} {
			bad := bytes.Clone(b)
			bad[at+len(name)+i] ^= 0x55
			st, err := openBytes(t, bad)
			if err != nil {
				t.Fatal(err)
			}
			v, err := st.Get(t.Context(), name, store.GetOptions{}, nil)
			if i := bytes.IndexByte(v.Bytes, 0); err == nil && (len(v.Bytes) != 100_000 || i < 0) || err != nil && !errors.Is(err, fault.Corrupt) {
				t.Errorf("%s, byte %d: %d bytes, %v", name, i, len(v.Bytes), err)
			}
		}
		bad := bytes.Clone(b)
		entry := bytes.LastIndex(bad, []byte("PK\x01\x02"))
		for e := bytes.Index(bad, []byte("PK\x01\x02")); e >= 0 && e <= entry; {
			if bytes.HasPrefix(bad[e+46:], []byte(name)) {
				le.PutUint32(bad[e+24:], 0xfffffff0) // the declared size
			}
			next := bytes.Index(bad[e+4:], []byte("PK\x01\x02"))
			if next < 0 {
				break
			}
			e += 4 + next
		}
		st, err := openBytes(t, bad)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = st.Get(t.Context(), name, store.GetOptions{}, nil)
		runtime.ReadMemStats(&after)
		if err == nil || after.TotalAlloc-before.TotalAlloc > 64<<20 {
			t.Errorf("%s: %d bytes allocated, %v", name, after.TotalAlloc-before.TotalAlloc, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err = st.Get(ctx, name, store.GetOptions{}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
