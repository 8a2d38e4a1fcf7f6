package pcodec_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestFixtures decodes the fixtures of numcodecs: 10 arrays, each encoded by 10 configurations of
// the codec. See testdata/fixtures.py.
func TestFixtures(t *testing.T) {
	z, err := zip.OpenReader("testdata/fixtures.zip")
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
	var index []struct {
		Array, Type, Values string
		Files               map[string]string // by codec
	}
	if err := json.Unmarshal(read("index.json"), &index); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, a := range index {
		typ, err := dtype.Parse(a.Type)
		if err != nil {
			t.Fatal(err)
		}
		want := read(a.Values)
		for c, file := range a.Files {
			n++
			if got, err := decode(t, typ, len(want), read(file)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("array %s of codec %s: equal %v, %v", a.Array, c, bytes.Equal(got, want), err)
			}
		}
	}
	if n != 100 {
		t.Errorf("%d fixtures, want 100", n)
	}
}
