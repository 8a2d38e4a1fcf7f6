package blosc_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec/blosc"
)

// vector is a frame that numcodecs encoded; see testdata/MANIFEST.
type vector struct {
	name, kind, cname                     string
	size, level, shuffle, typeSize, block int
	frame                                 []byte
}

func vectors(t testing.TB) []vector {
	t.Helper()
	z, err := zip.OpenReader("testdata/frames.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all []vector
	for _, f := range z.File {
		v := vector{name: f.Name}
		name := bytes.ReplaceAll([]byte(f.Name), []byte("-"), []byte(" "))
		if _, err := fmt.Sscan(string(name), &v.kind, &v.size, &v.cname, &v.level, &v.shuffle, &v.typeSize, &v.block); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if v.frame, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// plain returns the content that testdata/generate.py calls data.
func plain(kind string, size int) []byte {
	ramp := make([]byte, 0, size+4)
	for i := 0; len(ramp) < size; i++ {
		ramp = binary.LittleEndian.AppendUint32(ramp, uint32(i/16))
	}
	ramp = ramp[:size]
	if kind == "ramp" {
		return ramp
	}
	noise := make([]byte, size)
	state := uint32(1)
	for i := range noise {
		state = state*1664525 + 1013904223
		noise[i] = byte(state >> 24)
		if kind == "mixed" && i>>9&1 == 0 {
			noise[i] = ramp[i]
		}
	}
	return noise
}

func TestVectors(t *testing.T) {
	seen := map[string]int{}
	for _, v := range vectors(t) {
		want := plain(v.kind, v.size)
		got, err := blosc.Decode(nil, v.frame, v.size)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: error %v, equal %v", v.name, err, bytes.Equal(got, want))
			continue
		}
		seen[v.cname]++

		// Decode into a slice of exactly the decoded size within a larger buffer.
		mid := bytes.Repeat([]byte{0xa5}, v.size+20)
		got, err = blosc.Decode(mid[3:3:3+v.size], v.frame, v.size)
		if err != nil || !bytes.Equal(mid[3:3+v.size], want) || &got[0] != &mid[3] {
			t.Errorf("%s: not decoded in place: %v", v.name, err)
		}
		if !bytes.Equal(mid[:3], []byte{0xa5, 0xa5, 0xa5}) || !bytes.Equal(mid[3+v.size:], bytes.Repeat([]byte{0xa5}, 17)) {
			t.Errorf("%s: bytes beside the place were changed", v.name)
		}
	}
	for _, cname := range []string{"blosclz", "lz4", "lz4hc", "zlib", "zstd"} {
		if seen[cname] < 50 {
			t.Errorf("%d frames of %s", seen[cname], cname)
		}
	}
}

// TestHeaderLikeC encodes frames with the options of the vectors and compares the headers, except
// for sizes that depend on the compressor. lz4 frames also have the same size and the same streams,
// but c-blosc's threads write blocks in any order.
func TestHeaderLikeC(t *testing.T) {
	same := 0
	for _, v := range vectors(t) {
		c, err := blosc.ParseCompressor(v.cname)
		if err != nil {
			t.Fatal(err)
		}
		got, err := blosc.Encode(nil, plain(v.kind, v.size), blosc.Options{Compressor: c, Level: v.level, Shuffle: blosc.Shuffle(v.shuffle), TypeSize: v.typeSize, BlockSize: v.block})
		if err != nil {
			t.Fatal(err)
		}
		mine, err := blosc.ParseHeader(got)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := blosc.ParseHeader(v.frame)
		if err != nil {
			t.Fatal(err)
		}
		if c == blosc.LZ4 && len(got) != len(v.frame) {
			t.Errorf("%s: %d bytes, numcodecs %d", v.name, len(got), len(v.frame))
		}
		mine.Encoded, theirs.Encoded = 0, 0
		if mine.Stored != theirs.Stored {
			continue
		}
		same++
		if mine != theirs {
			t.Errorf("%s:\nmine   %+v\ntheirs %+v", v.name, mine, theirs)
		}
	}
	if same < 250 {
		t.Errorf("only %d frames compared", same)
	}
}
