package zfp_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/zfp"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// stream is a stream of the reference library.
type stream struct {
	Name           string
	Type           string
	Shape          []int
	Config         json.RawMessage
	Header         bool
	stored, values []byte
}

// streams returns the streams of a file; see testdata/generate.py.
func streams(t testing.TB, file string) []stream {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	read := func(name string) []byte {
		f, err := z.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var all []stream
	if err := json.Unmarshal(read("index.json"), &all); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		s := &all[i]
		s.stored, s.values = read(s.Name+".zfp"), read(s.Name+".bin")
	}
	return all
}

func (s stream) dtype(t testing.TB) dtype.Type {
	t.Helper()
	typ, err := dtype.Parse(s.Type)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// spec returns the codec of the stream.
func (s stream) spec() codec.Spec {
	if !s.Header {
		return codec.Spec{Name: zfp.Name, Config: s.Config}
	}
	config := []byte(`{"mode":5}`)
	if rate, ok := bytes.CutPrefix(s.Config, []byte(`{"mode": "fixed_rate"`)); ok {
		config = append([]byte(`{"mode":2`), rate...)
	}
	return codec.Spec{Name: zfp.NumcodecsName, Config: config}
}

// decode decodes stored bytes as the array of the stream.
func (s stream) decode(t testing.TB, stored []byte) ([]byte, error) {
	t.Helper()
	c, err := zfp.Add(codec.Builtin()).Chain([]codec.Spec{s.spec()}, codec.Repr{Shape: s.Shape, Type: s.dtype(t)})
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	if n := int64(len(stored)); n == int64(len(s.stored)) && (n > c.Worst() || n < c.MinEncoded()) {
		t.Errorf("%s: %d bytes, not in %d to %d", s.Name, n, c.MinEncoded(), c.Worst())
	}
	dst := bytes.Repeat([]byte{0x77}, len(s.values))
	return dst, c.Decode(codec.Block{Bytes: dst}, stored, nil)
}

// TestStreams decodes streams of libzfp 1.0.1 of all types, ranks and modes.
func TestStreams(t *testing.T) {
	all := streams(t, "testdata/streams.zip")
	if len(all) != 226 {
		t.Errorf("%d streams", len(all))
	}
	for _, s := range all {
		got, err := s.decode(t, s.stored)
		if err != nil || !bytes.Equal(got, s.values) {
			t.Errorf("%s %v %s: equal %v, %v", s.Name, s.Shape, s.Config, bytes.Equal(got, s.values), err)
		}
	}
}

// TestBytes decodes streams with a header after the codec "bytes".
func TestBytes(t *testing.T) {
	for _, s := range streams(t, "testdata/streams.zip") {
		if !s.Header {
			continue
		}
		specs := []codec.Spec{codec.Bytes(dtype.Little), s.spec()}
		c, err := zfp.Add(codec.Builtin()).Chain(specs, codec.Repr{Shape: s.Shape, Type: s.dtype(t)})
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]byte, len(s.values))
		if err := c.Decode(codec.Block{Bytes: dst}, s.stored, nil); err != nil || !bytes.Equal(dst, s.values) {
			t.Errorf("%s: equal %v, %v", s.Name, bytes.Equal(dst, s.values), err)
		}
	}
}

// TestFlat decodes streams of a flat array, as numcodecs writes after a filter.
func TestFlat(t *testing.T) {
	for _, s := range streams(t, "testdata/streams.zip") {
		if !s.Header || len(s.Shape) != 1 {
			continue
		}
		s.Shape = slices.Concat([]int{1, 1, 1, 1}, s.Shape)
		if got, err := s.decode(t, s.stored); err != nil || !bytes.Equal(got, s.values) {
			t.Errorf("%s: equal %v, %v", s.Name, bytes.Equal(got, s.values), err)
		}
	}
}
