package msgpack_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec/internal/msgpack"
)

// TestDecodeCost checks that decoding allocates nothing per value, and that nested maps that start
// like the notation of bytes do not take quadratic time.
func TestDecodeCost(t *testing.T) {
	nested := bytes.Repeat([]byte("\x82\xa3b64\xa1x\xa1a"), 500)
	nested = append(append(nested, 0xdb, 0, 1, 0, 0), bytes.Repeat([]byte{'y'}, 1<<16)...)
	for name, src := range map[string][]byte{
		"numbers": append([]byte{0xdc, 0xff, 0xff}, bytes.Repeat([]byte{0xcc, 1}, 0xffff)...),
		"nested":  nested,
	} {
		room := make([]byte, 0, 1<<20)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := msgpack.Decode(room, src, false)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; err != nil || n > 1<<20 {
			t.Errorf("%s: %d bytes were allocated, %v", name, n, err)
		}
	}
}
