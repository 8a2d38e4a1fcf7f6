package zst

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestFramesTellTheirSize checks that every frame declares its content size. numcodecs before 0.16,
// which zarr-python 2 uses, requires it.
func TestFramesTellTheirSize(t *testing.T) {
	for _, o := range []Options{{}, {Effort: Default}, {Effort: Default, Checksum: true}, {Effort: Better}, {Effort: Best}, {Effort: Best, Checksum: true}} {
		o.Window = 1 << 20
		e := NewEncoder(o)
		for _, n := range []int{0, 1, 2, 255, 256, 257, zstd.MinWindowSize, zstd.MinWindowSize + 1, 1<<16 + 255, 1<<16 + 256, 1 << 20, 1<<20 + 1} {
			src := bytes.Repeat([]byte{7}, n)
			frame := encode(t, e, nil, src)
			var h zstd.Header
			if err := h.Decode(frame); err != nil || !h.HasFCS || h.FrameContentSize != uint64(n) || h.HasCheckSum != o.Checksum || h.SingleSegment != (n <= 1<<20) {
				t.Errorf("%+v, %d bytes: %v, header %+v", o, n, err, h)
			}
			if got, err := Decode(nil, frame, n); err != nil || !bytes.Equal(got, src) {
				t.Errorf("%+v, %d bytes: %v, or other bytes", o, n, err)
			}
		}
	}
}

// TestFramesAreRepeatable checks that a frame depends on its content and the options only, and not
// on what the encoder encoded before.
func TestFramesAreRepeatable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	srcs := make([][]byte, 6)
	for i := range srcs {
		for len(srcs[i]) < 1<<(8+2*i) {
			srcs[i] = fmt.Appendf(srcs[i], "%d %x;", r.IntN(1000), i)
		}
	}
	for effort := range numEfforts {
		e := NewEncoder(Options{Effort: effort, Window: 1 << 20})
		first := make([][]byte, len(srcs))
		for i, src := range srcs {
			z, err := zstd.NewWriter(nil, e.opts...)
			if err != nil {
				t.Fatal(err)
			}
			e.idle.giveBack(z, 1) // a new encoder for each source
			first[i] = encode(t, e, nil, src)
			e.idle.take()
		}
		for range 40 {
			if i := r.IntN(len(srcs)); !bytes.Equal(encode(t, e, nil, srcs[i]), first[i]) {
				t.Errorf("effort %d: the frame of %d bytes differs", effort, len(srcs[i]))
			}
		}
	}
}

func encode(t *testing.T, e *Encoder, dst, src []byte) []byte {
	t.Helper()
	out, err := e.Encode(dst, src)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLevels checks that every level compresses text to half its size and can be decoded. Levels
// out of range are clamped, and 0 means 3.
func TestLevels(t *testing.T) {
	var src []byte
	for i := 0; len(src) < 1<<16; i++ {
		src = fmt.Appendf(src, "%d is %x; ", i, i*i)
	}
	encoded := map[int][]byte{}
	for level := -10; level <= 22; level++ {
		frame := encode(t, NewEncoder(Options{Effort: EffortOf(level)}), []byte("before"), src)
		if !bytes.HasPrefix(frame, []byte("before")) {
			t.Fatalf("level %d: not appended", level)
		}
		frame = frame[len("before"):]
		encoded[level] = frame
		if got, err := Decode(nil, frame, len(src)); err != nil || !bytes.Equal(got, src) {
			t.Errorf("level %d: %d bytes, %v", level, len(got), err)
		}
		if len(frame) > len(src)/2 {
			t.Errorf("level %d: %d of %d bytes", level, len(frame), len(src))
		}
	}
	if a, b := len(encoded[4]), len(encoded[5]); a <= b {
		t.Errorf("level 4 makes %d bytes, 5 makes %d", a, b)
	}
	for a, b := range map[int]int{0: 3, 23: 22, 1 << 30: 22, -1 << 20: -1 << 17} {
		want := encoded[b]
		if want == nil {
			want = encode(t, NewEncoder(Options{Effort: EffortOf(b)}), nil, src)
		}
		if !bytes.Equal(encode(t, NewEncoder(Options{Effort: EffortOf(a)}), nil, src), want) {
			t.Errorf("levels %d and %d differ", a, b)
		}
	}
}

func TestWindow(t *testing.T) {
	for n, want := range map[int]int{-1: 8 << 20, 0: 8 << 20, 1: 1 << 10, 1024: 1 << 10, 1025: 2 << 10, 1 << 20: 1 << 20, 1<<20 + 1: 2 << 20, 1 << 30: 8 << 20} {
		if got := window(n); got != want {
			t.Errorf("window(%d) is %d, not %d", n, got, want)
		}
	}
}
