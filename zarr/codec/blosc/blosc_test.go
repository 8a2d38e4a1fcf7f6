package blosc_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/codec/blosc"
	"github.com/zargo-io/zargo/zarr/fault"
)

var writable = []blosc.Compressor{blosc.BloscLZ, blosc.LZ4, blosc.LZ4HC, blosc.Snappy, blosc.Zlib, blosc.Zstd}

func TestRoundTrip(t *testing.T) {
	for _, c := range writable {
		for _, s := range []blosc.Shuffle{blosc.NoShuffle, blosc.ByteShuffle, blosc.BitShuffle} {
			for _, ts := range []int{0, 1, 2, 3, 4, 7, 8, 16, 31, 255, 1000} {
				enc, err := blosc.NewEncoder(blosc.Options{Compressor: c, Level: 4, Shuffle: s, TypeSize: ts, BlockSize: 2048})
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range []int{0, 1, 15, 127, 128, 129, 4096, 5001, 70001} {
					if race.Enabled && n > 129 && ts != 4 {
						continue // single-threaded, and ten times slower
					}
					for _, kind := range []string{"ramp", "mixed", "noise"} {
						name := fmt.Sprintf("%v %v ts=%d n=%d %s", c, s, ts, n, kind)
						want := plain(kind, n)
						frame, err := enc.Encode([]byte("before"), want)
						if err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						if string(frame[:6]) != "before" {
							t.Fatalf("%s: not appended", name)
						}
						frame = frame[6:]
						if len(frame) > n+blosc.HeaderSize {
							t.Errorf("%s: %d bytes", name, len(frame))
						}
						got, err := blosc.Decode([]byte("x"), frame, n)
						if err != nil || !bytes.Equal(got[1:], want) {
							t.Errorf("%s: error %v", name, err)
						}
						if n > 0 {
							if _, err := blosc.Decode(nil, frame, n-1); !errors.Is(err, fault.Corrupt) {
								t.Errorf("%s: over the limit: %v", name, err)
							}
						}
					}
				}
			}
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	tests := []struct {
		name string
		o    blosc.Options
		want error
	}{
		{"level", blosc.Options{Level: 10}, fault.Metadata},
		{"negative level", blosc.Options{Level: -1}, fault.Metadata},
		{"shuffle", blosc.Options{Shuffle: 3}, fault.Metadata},
		{"compressor", blosc.Options{Compressor: 6}, fault.Metadata},
		{"type size", blosc.Options{TypeSize: -1}, fault.Metadata},
		{"block size", blosc.Options{BlockSize: -1}, fault.Metadata},
	}
	for _, tt := range tests {
		if out, err := blosc.Encode([]byte("ab"), make([]byte, 1000), tt.o); !errors.Is(err, tt.want) || len(out) > 2 {
			t.Errorf("%s: %d bytes, %v", tt.name, len(out), err)
		}
	}
}

func TestHostileFrames(t *testing.T) {
	want := plain("ramp", 8192)
	good, err := blosc.Encode(nil, want, blosc.Options{Compressor: blosc.LZ4, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4, BlockSize: 1024})
	if err != nil {
		t.Fatal(err)
	}
	word := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }
	}
	set := func(at int, v byte) func([]byte) []byte {
		return func(b []byte) []byte { b[at] = v; return b }
	}
	first := int(binary.LittleEndian.Uint32(good[16:]))
	tests := []struct {
		name  string
		kind  error
		says  string
		wreck func([]byte) []byte
	}{
		{"empty", fault.Corrupt, "header", func(b []byte) []byte { return nil }},
		{"15 bytes", fault.Corrupt, "16 bytes", func(b []byte) []byte { return b[:15] }},
		{"header only", fault.Corrupt, "the frame has 16", func(b []byte) []byte { return b[:16] }},
		{"version 99", fault.Corrupt, "99", set(0, 99)},
		{"version 0", fault.Corrupt, "version is 0", set(0, 0)},
		{"blosc2", errors.ErrUnsupported, "blosc2", set(0, 5)},
		{"codec version", fault.Corrupt, "version 2", set(1, 2)},
		{"format 7", errors.ErrUnsupported, "7", set(2, 0xe1)},
		{"memcpyed lie", fault.Corrupt, "cannot store 8192", set(2, 0x23)},
		{"another codec", fault.Corrupt, "snappy", set(2, 0x41)},
		{"element of 0", fault.Corrupt, "elements of 0", set(3, 0)},
		{"size 0", fault.Corrupt, "", word(4, 0)},
		{"size less", fault.Corrupt, "", word(4, 8000)},
		{"size more", fault.Corrupt, "8193", word(4, 8193)},
		{"size 2 GiB", fault.Corrupt, "2147483647", word(4, 1<<31-1)},
		{"size 4 GiB", fault.Corrupt, "4294967295", word(4, 1<<32-1)},
		{"block 0", fault.Corrupt, "blocks of 0", word(8, 0)},
		{"block 1", fault.Corrupt, "blocks", word(8, 1)},
		{"block 2 GiB", fault.Corrupt, "2147483648", word(8, 1<<31)},
		{"block beyond", fault.Corrupt, "8193", word(8, 8193)},
		{"encoded 0", fault.Corrupt, "0 bytes", word(12, 0)},
		{"encoded small", fault.Corrupt, "20", word(12, 20)},
		{"encoded beyond", fault.Corrupt, "declares a frame of", word(12, uint32(len(good)+1))},
		{"encoded 4 GiB", fault.Corrupt, "4294967295", word(12, 1<<32-1)},
		{"block starts beyond", fault.Corrupt, "block 0 has", word(16, uint32(len(good)))},
		{"block starts at -1", fault.Corrupt, "offset -1", word(16, 1<<32-1)},
		{"block starts in header", fault.Corrupt, "offset 4", word(16, 4)},
		{"block starts in table", fault.Corrupt, "offset 18", word(16, 18)},
		{"block starts at end", fault.Corrupt, "length of stream", word(16, uint32(len(good)-2))},
		{"stream huge", fault.Corrupt, "stream 0", word(first, 1<<30)},
		{"stream negative", fault.Corrupt, "stream 0", word(first, 1<<32-5)},
		{"stream empty", fault.Corrupt, "stream 0", word(first, 0)},
		{"trailing byte", fault.Corrupt, "the frame has", func(b []byte) []byte { return append(b, 0) }},
	}
	for _, tt := range tests {
		out, err := blosc.Decode(nil, tt.wreck(bytes.Clone(good)), len(want))
		if tt.name == "size 0" && err == nil && len(out) == 0 {
			continue // an empty frame is valid, and the caller compares lengths
		}
		if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %v that says %q", tt.name, err, tt.kind, tt.says)
		}
	}
	for n := range len(good) {
		if _, err := blosc.Decode(nil, good[:n], len(want)); !errors.Is(err, fault.Corrupt) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

// TestHugeSizeCostsNothing checks that a short frame is rejected before memory for the output is
// allocated. Its header declares millions of blocks, or one block of a gigabyte.
func TestHugeSizeCostsNothing(t *testing.T) {
	for _, block := range []uint32{1 << 10, 1 << 30} {
		hugeSize(t, block)
	}
}

func hugeSize(t *testing.T, block uint32) {
	t.Helper()
	frame := make([]byte, 64)
	copy(frame, []byte{2, 1, 0x20, 4})
	binary.LittleEndian.PutUint32(frame[4:], 1<<30)
	binary.LittleEndian.PutUint32(frame[8:], block)
	binary.LittleEndian.PutUint32(frame[12:], 64)
	const rounds = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range rounds {
		if _, err := blosc.Decode(nil, frame, 1<<30); !errors.Is(err, fault.Corrupt) {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / rounds; n > 10_000 {
		t.Errorf("blocks of %d: %d bytes allocated", block, n)
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	want := plain("ramp", 1<<16)
	for _, c := range writable {
		frame, err := blosc.Encode(nil, want, blosc.Options{Compressor: c, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]byte, len(want))
		n := testing.AllocsPerRun(50, func() {
			if _, err := blosc.Decode(dst[:0], frame, len(dst)); err != nil {
				t.Fatal(err)
			}
		})
		// A garbage collection may empty the pools in between, and -race empties them at random.
		if n > 1 && !race.Enabled {
			t.Errorf("%v: %v allocations", c, n)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for i, v := range vectors(f) {
		if len(v.frame) < 1500 && i%7 == 0 {
			f.Add(v.frame, uint16(v.size))
		}
	}
	for _, c := range writable {
		for s := range blosc.BitShuffle + 1 {
			frame, err := blosc.Encode(nil, plain("mixed", 3000), blosc.Options{Compressor: c, Level: 5, Shuffle: s, TypeSize: 4, BlockSize: 1200})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(frame, uint16(3000))
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte, size uint16) {
		n := int(size)
		buf := bytes.Repeat([]byte{0xa5}, n+64)
		out, err := blosc.Decode(buf[:0:n], frame, n)
		switch {
		case err == nil && len(out) > n:
			t.Fatalf("%d bytes, limit %d", len(out), n)
		case err != nil && !errors.Is(err, fault.Corrupt) && !errors.Is(err, errors.ErrUnsupported):
			t.Fatalf("error without kind: %v", err)
		}
		for i, b := range buf[n:] {
			if b != 0xa5 {
				t.Fatalf("byte %d beyond the capacity was changed", i)
			}
		}
		if err == nil {
			again, err := blosc.Decode(nil, frame, n)
			if err != nil || !bytes.Equal(again, out) {
				t.Fatalf("decoded differently: %v", err)
			}
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("hello hello hello hello"), byte(1), byte(1), byte(4), uint16(0))
	f.Add(plain("mixed", 5000), byte(5), byte(2), byte(8), uint16(700))
	f.Fuzz(func(t *testing.T, src []byte, c, s, ts byte, block uint16) {
		o := blosc.Options{Compressor: writable[int(c)%len(writable)], Level: int(c) % 4, Shuffle: blosc.Shuffle(s % 3), TypeSize: int(ts), BlockSize: int(block)}
		frame, err := blosc.Encode(nil, src, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := blosc.Decode(nil, frame, len(src))
		if err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%+v: %v", o, err)
		}
	})
}

func ExampleEncode() {
	temperatures := make([]byte, 40_000) // ten thousand float32
	frame, err := blosc.Encode(nil, temperatures, blosc.Options{Compressor: blosc.LZ4, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4})
	if err != nil {
		panic(err)
	}
	h, err := blosc.ParseHeader(frame)
	if err != nil {
		panic(err)
	}
	fmt.Println(h.Compressor, h.Shuffle, h.Size, "bytes in", h.Encoded)
	back, err := blosc.Decode(nil, frame, len(temperatures))
	fmt.Println(bytes.Equal(back, temperatures), err)
	// Output:
	// lz4 shuffle 40000 bytes in 236
	// true <nil>
}

func BenchmarkDecode(b *testing.B) {
	src := make([]byte, 4<<20)
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(src); i += 4 {
		binary.LittleEndian.PutUint32(src[i:], uint32(i/64)+r.Uint32N(64))
	}
	for _, c := range writable {
		for s := range blosc.BitShuffle + 1 {
			b.Run(fmt.Sprintf("cname=%v/shuffle=%v", c, s), func(b *testing.B) {
				frame, err := blosc.Encode(nil, src, blosc.Options{Compressor: c, Level: 5, Shuffle: s, TypeSize: 4})
				if err != nil {
					b.Fatal(err)
				}
				dst := make([]byte, len(src))
				b.SetBytes(int64(len(src)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := blosc.Decode(dst[:0], frame, len(dst)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestEncodeRoom checks that the frame does not depend on the capacity of dst. Some compressors
// write streams directly to dst if the capacity suffices.
func TestEncodeRoom(t *testing.T) {
	for _, c := range writable {
		for _, kind := range []string{"ramp", "mixed", "noise"} {
			for _, n := range []int{129, 5001, 70001} {
				e, err := blosc.NewEncoder(blosc.Options{Compressor: c, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4, BlockSize: 2048})
				if err != nil {
					t.Fatal(err)
				}
				src := plain(kind, n)
				want, err := e.Encode(nil, src)
				if err != nil {
					t.Fatal(err)
				}
				for _, room := range []int{0, 1, 20, n / 2, len(want) - 1, len(want), n, n + blosc.HeaderSize, 2*n + 1000} {
					got, err := e.Encode(make([]byte, 3, 3+room), src)
					if err != nil || !bytes.Equal(got[3:], want) {
						t.Errorf("%v %s: %d bytes in %d: error %v, or another frame", c, kind, n, room, err)
					}
				}
			}
		}
	}
}
