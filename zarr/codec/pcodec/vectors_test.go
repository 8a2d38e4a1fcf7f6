package pcodec_test

import (
	"archive/zip"
	"bytes"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/pcodec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// vector is a file that pcodec wrote.
type vector struct {
	name           string // version and case
	typ            dtype.Type
	stored, values []byte
}

// vectors returns the files of testdata/files.zip; see testdata/generate.py.
func vectors(t testing.TB) []vector {
	t.Helper()
	z, err := zip.OpenReader("testdata/files.zip")
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
	var all []vector
	for _, f := range z.File {
		version, name := path.Split(f.Name)
		name, ok := strings.CutSuffix(name, ".pco")
		if !ok {
			continue
		}
		typ, err := dtype.Parse(name[strings.LastIndexByte(name, '_')+1:])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, vector{version + name, typ, read(f.Name), read("values/" + name + ".bin")})
	}
	return all
}

// chain returns the chain of the codec alone for n bytes of elements.
func chain(t testing.TB, typ dtype.Type, n int, config string) *codec.Chain {
	t.Helper()
	spec := codec.Spec{Name: pcodec.Name, Config: []byte(config)}
	c, err := pcodec.Add(codec.Builtin()).Chain([]codec.Spec{spec}, codec.Repr{Shape: []int{n / typ.Size()}, Type: typ})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func decode(t testing.TB, typ dtype.Type, n int, stored []byte) ([]byte, error) {
	t.Helper()
	dst := make([]byte, n)
	return dst, chain(t, typ, n, `{}`).Decode(codec.Block{Bytes: dst}, stored, nil)
}

// TestVectors decodes files of five versions of pcodec.
func TestVectors(t *testing.T) {
	all := vectors(t)
	if len(all) != 106 {
		t.Errorf("%d files", len(all))
	}
	for _, v := range all {
		got, err := decode(t, v.typ, len(v.values), v.stored)
		if err != nil || !bytes.Equal(got, v.values) {
			t.Errorf("%s: equal %v, %v", v.name, bytes.Equal(got, v.values), err)
		}
	}
}

// TestUniform decodes files whose header has the type of all chunks, as pco in Rust can write.
func TestUniform(t *testing.T) {
	for _, v := range vectors(t) {
		if v.name != "1.1.0/chunks_int32" {
			continue
		}
		stored := bytes.Clone(v.stored)
		stored[5] = 3
		if got, err := decode(t, v.typ, len(v.values), stored); err != nil || !bytes.Equal(got, v.values) {
			t.Errorf("equal %v, %v", bytes.Equal(got, v.values), err)
		}
		stored[5] = 1
		if _, err := decode(t, v.typ, len(v.values), stored); err == nil || !strings.Contains(err.Error(), "uint32") {
			t.Errorf("other type: %v", err)
		}
	}
}
