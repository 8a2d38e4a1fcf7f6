package codec_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// The functions below make valid streams as other writers do, and streams that only appear valid.

func gz(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Name = "chunk"
	must(t, write(w, b))
	return out.Bytes()
}

func zl(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	must(t, write(zlib.NewWriter(&out), b))
	return out.Bytes()
}

// zs returns one frame. Streamed frames do not declare a content size and have a window of 8 MiB.
func zs(t *testing.T, b []byte, opts ...zstd.EOption) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, append([]zstd.EOption{zstd.WithWindowSize(8 << 20), zstd.WithEncoderConcurrency(1)}, opts...)...)
	must(t, err)
	for part := range slices.Chunk(b, 777) {
		_, err := w.Write(part)
		must(t, err)
	}
	must(t, w.Close())
	return out.Bytes()
}

func write(w io.WriteCloser, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func skippable(n int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0x184d2a53)
	return append(binary.LittleEndian.AppendUint32(b, uint32(n)), make([]byte, n)...)
}

func TestStreams(t *testing.T) {
	src := smooth(32 * 32)
	half, more, less := len(src)/2, append(slices.Clone(src), 0), src[:len(src)-1]
	flip := func(b []byte, at int) []byte { b = slices.Clone(b); b[at] ^= 1; return b }
	gzs, zls, zss := gz(t, src), zl(t, src), zs(t, src)
	tests := []struct {
		name   string
		spec   codec.Spec
		stored []byte
		says   string // part of the expected error; "" if the stream is valid
	}{
		{"gzip", codec.Gzip(1), gzs, ""},
		{"gzip of two members", codec.Gzip(1), slices.Concat(gz(t, src[:half]), gz(t, src[half:])), ""},
		{"gzip with an empty member", codec.Gzip(1), slices.Concat(gz(t, nil), gzs, gz(t, nil)), ""},
		{"gzip and garbage", codec.Gzip(1), append(slices.Clone(gzs), "garbage"...), "gzip"},
		{"gzip and one byte", codec.Gzip(1), append(slices.Clone(gzs), 1), "gzip"},
		{"gzip twice", codec.Gzip(1), slices.Concat(gzs, gzs), "4096"},
		{"gzip bad checksum", codec.Gzip(1), flip(gzs, len(gzs)-8), "checksum"},
		{"gzip bad size", codec.Gzip(1), flip(gzs, len(gzs)-1), "gzip"},
		{"gzip too long", codec.Gzip(1), gz(t, more), "4096"},
		{"gzip too short", codec.Gzip(1), gz(t, less), "4095"},
		{"gzip of nothing", codec.Gzip(1), nil, "header"},
		{"zlib", codec.Zlib(1), zls, ""},
		{"zlib and garbage", codec.Zlib(1), append(slices.Clone(zls), "garbage"...), ""},
		{"zlib bad checksum", codec.Zlib(1), flip(zls, len(zls)-1), "checksum"},
		{"zlib too long", codec.Zlib(1), zl(t, more), "4096"},
		{"zlib too short", codec.Zlib(1), zl(t, less), "4095"},
		{"zlib as gzip", codec.Gzip(1), zls, "gzip"},
		{"zlib of nothing", codec.Zlib(1), nil, "header"},
		{"zstd", codec.Zstd(1), zss, ""},
		{"zstd of two frames", codec.Zstd(1), slices.Concat(zs(t, src[:half]), zs(t, src[half:])), ""},
		{"zstd with skippable frames", codec.Zstd(1), slices.Concat(skippable(10), zs(t, src[:half]), skippable(0), zs(t, src[half:]), skippable(3)), ""},
		{"zstd with checksum", codec.Zstd(1), zs(t, src, zstd.WithEncoderCRC(true)), ""},
		{"zstd bad checksum", codec.Zstd(1), flip(zs(t, src, zstd.WithEncoderCRC(true)), len(zs(t, src, zstd.WithEncoderCRC(true)))-1), "zstd"},
		{"zstd and garbage", codec.Zstd(1), append(slices.Clone(zss), "garbage"...), "zstd"},
		{"zstd too long", codec.Zstd(1), zs(t, more), "4096"},
		{"zstd too short", codec.Zstd(1), zs(t, less), "4095"},
		{"zstd of skippable frames", codec.Zstd(1), skippable(4096), "0 bytes"},
		{"zstd of nothing", codec.Zstd(1), nil, "input is empty"},
	}
	for _, tt := range tests {
		for _, specs := range [][]codec.Spec{{little, tt.spec}, {codec.Transpose(0, 1), little, tt.spec}} {
			dst := make([]byte, len(src))
			err := mustChain(t, chunk, specs...).Decode(codec.Block{Bytes: dst}, tt.stored, nil)
			switch {
			case tt.says == "" && (err != nil || !bytes.Equal(dst, src)):
				t.Errorf("%s: %v", tt.name, err)
			case tt.says != "" && (!errors.Is(err, fault.Corrupt) || !strings.Contains(err.Error(), tt.says)):
				t.Errorf("%s: %v, must say %q", tt.name, err, tt.says)
			}
		}
	}
}

// TestZstdFlags checks that frames have a checksum only if requested, and always a content size.
func TestZstdFlags(t *testing.T) {
	for _, sum := range []bool{false, true} {
		spec := codec.Zstd(3)
		if sum {
			spec = codec.Spec{Name: "zstd", Config: json.RawMessage(`{"level":3,"checksum":true}`)}
		}
		stored, err := mustChain(t, chunk, little, spec).Encode(nil, codec.Block{Bytes: smooth(32 * 32)}, nil)
		must(t, err)
		var h zstd.Header
		must(t, h.Decode(stored))
		if h.HasCheckSum != sum || !h.HasFCS || h.FrameContentSize != 4096 {
			t.Errorf("checksum %v: %+v", sum, h)
		}
	}
}

// TestLevels checks that higher levels do not compress much worse, and that the output of every
// level can be decoded.
func TestLevels(t *testing.T) {
	src := smooth(1 << 16)
	in := codec.Repr{Shape: []int{1 << 16}, Type: chunk.Type}
	last := len(src) + 1000
	for _, level := range []int{-131072, -1, 1, 0, 3, 5, 10, 22} {
		c := mustChain(t, in, little, codec.Zstd(level))
		stored, err := c.Encode(nil, codec.Block{Bytes: src}, nil)
		must(t, err)
		if len(stored) > last+last/50 {
			t.Errorf("level %d: %d bytes, the level before %d", level, len(stored), last)
		}
		last = len(stored)
		dst := make([]byte, len(src))
		if err := c.Decode(codec.Block{Bytes: dst}, stored, nil); err != nil || !bytes.Equal(dst, src) {
			t.Errorf("level %d: %v", level, err)
		}
	}
}

// TestBombs checks that 16 MiB compressed to a few KiB are rejected without allocating 16 MiB, at
// any position in a chain.
func TestBombs(t *testing.T) {
	const size = 16 << 20
	zeros := make([]byte, size)
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	must(t, err)
	declared := enc.EncodeAll(zeros, nil)
	bombs := map[string][]byte{"zstd": declared, "zstd undeclared": zs(t, zeros), "gzip": gz(t, zeros), "numcodecs.zlib": zl(t, zeros)}
	for name, bomb := range bombs {
		spec := codec.Spec{Name: strings.Fields(name)[0]}
		for _, specs := range [][]codec.Spec{{little, spec}, {little, codec.CRC32C(), spec}, {little, codec.Gzip(1), spec}} {
			c := mustChain(t, chunk, specs...)
			dst := make([]byte, 4096)
			var s codec.Scratch
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.Decode(codec.Block{Bytes: dst}, bomb, &s)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, fault.Corrupt) {
				t.Errorf("%s in %v: %v", name, specs, err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
				t.Errorf("%s in %v: %d bytes allocated", name, specs, used)
			}
		}
	}
}
