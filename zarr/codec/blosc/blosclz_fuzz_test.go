package blosc

import (
	"bytes"
	"testing"
)

// FuzzBloscLZ holds the decoder to its bounds, and to one answer whatever was in the room for the output.
func FuzzBloscLZ(f *testing.F) {
	for _, src := range [][]byte{{2, 'a', 'b', 'c'}, {2, 'a', 'b', 'c', 1 << 5, 2, 0, 'd'}, {0, 'a', 7 << 5, 255, 1, 0, 0, 'b'}, {0, 'a', 1<<5 | 31, 255, 0, 5}} {
		f.Add(src, uint16(300))
	}
	f.Fuzz(func(t *testing.T, src []byte, size uint16) {
		room := bytes.Repeat([]byte{0xa5}, int(size)+64)
		n, err := bloscLZ(room[:size:size], src)
		if n < 0 || n > int(size) {
			t.Fatalf("%d bytes in room for %d", n, size)
		}
		if !bytes.Equal(room[size:], bytes.Repeat([]byte{0xa5}, 64)) {
			t.Fatal("wrote beyond the room")
		}
		again := make([]byte, size)
		m, err2 := bloscLZ(again, src)
		if n != m || (err == nil) != (err2 == nil) || err == nil && !bytes.Equal(room[:n], again[:m]) {
			t.Fatalf("%d bytes, %v, and then %d, %v", n, err, m, err2)
		}
	})
}
