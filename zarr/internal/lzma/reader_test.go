package lzma_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/internal/lzma"
)

// member returns a member of a zip archive with the given dictionary size.
func member(t testing.TB, value []byte, dict int) []byte {
	t.Helper()
	coder := lzma.Coder{Properties: lzma.Properties{LC: 3, PB: 2}, DictSize: dict, Nice: 64, Depth: 16}
	enc, err := lzma.NewEncoder(lzma.Config{Format: lzma.Raw, Filters: []lzma.Filter{{ID: lzma.LZMA1, Coder: coder}}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := enc.Encode([]byte{9, 4, 5, 0, 93, byte(dict), byte(dict >> 8), byte(dict >> 16), byte(dict >> 24)}, value)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestReader(t *testing.T) {
	for name, want := range contents() {
		want = bytes.Repeat(want, 3)
		for _, dict := range []int{4096, 100_000, 8 << 20} {
			b := member(t, want, dict)
			r, err := lzma.NewReader(b, int64(len(want)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, dictionary of %d: %d of %d bytes, %v", name, dict, len(got), len(want), err)
			}
			for _, size := range []int{len(want) - 1, len(want) + 1} {
				if r, err = lzma.NewReader(b, int64(size)); err == nil {
					_, err = io.ReadAll(r)
				}
				if size >= 0 && !errors.Is(err, fault.Corrupt) {
					t.Errorf("%s with size %d: %v", name, size, err)
				}
			}
			// Matches that were made for a larger dictionary.
			if len(b) > 100 {
				b[5], b[6], b[7], b[8] = 0, 0x10, 0, 0
				if r, err = lzma.NewReader(b, int64(len(want))); err == nil {
					_, _ = io.ReadAll(r)
				}
			}
		}
	}
	if _, err := lzma.NewReader([]byte{9, 4, 5, 0, 93, 0, 0, 0, 128, 0, 0, 0, 0, 0}, 1<<40); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	for _, b := range []string{"", "\x09\x04\x06\x00\x5d\x00\x00\x00\x01\x00\x00\x00\x00\x00", "\x09\x04\x05\x00\xff\x00\x00\x00\x01\x00\x00\x00\x00\x00"} {
		if _, err := lzma.NewReader([]byte(b), 10); !errors.Is(err, fault.Corrupt) {
			t.Errorf("%q: %v", b, err)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, want := range contents() {
		f.Add(member(f, want[:min(len(want), 10_000)], 4096), uint32(min(len(want), 10_000)))
	}
	f.Fuzz(func(t *testing.T, b []byte, size uint32) {
		r, err := lzma.NewReader(b, int64(size%(1<<20)))
		if err != nil {
			return
		}
		n, err := io.Copy(io.Discard, r)
		if err == nil && n != int64(size%(1<<20)) {
			t.Errorf("%d bytes of %d", n, size)
		}
	})
}
