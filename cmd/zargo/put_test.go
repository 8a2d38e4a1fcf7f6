package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr/dtype"
)

func numpyFile(t testing.TB, name string) []byte {
	t.Helper()
	b := must(os.ReadFile(filepath.Join("..", "..", "npy", "testdata", "numpy", name+".npy")))
	return b
}

// TestNumpyRoundTrip puts files that NumPy wrote into arrays and checks that it reads the same
// bytes, for every byte order and format.
func TestNumpyRoundTrip(t *testing.T) {
	for b := dtype.Bool; b <= dtype.Complex128; b++ {
		name := b.String()
		inputs := []string{name}
		if b.HasOrder() {
			inputs = append(inputs, name+"-big")
		}
		want := numpyFile(t, name)
		for _, in := range inputs {
			for _, flags := range []string{"--format 3 --chunks 1,2", "--format 2 --chunks 2,2 --order F", "--format 2 --codec none --chunks 3,3"} {
				p := newProgram()
				args := append(strings.Fields("put mem://m/x - --create --raw"), strings.Fields(flags)...)
				if r := zargoArgs(t, p, numpyFile(t, in), args...); r.code != 0 {
					t.Fatalf("%s %s: %s", in, flags, r.err)
				}
				if got := do(t, p, "cat mem://m/x --raw --format npy"); got != string(want) {
					t.Errorf("%s %s: %q, want %q", in, flags, got, want)
				}
				if got := do(t, p, "cat mem://m/x --format raw"); got != string(want[128:]) {
					t.Errorf("%s %s raw: %q, want %q", in, flags, got, want[128:])
				}
			}
		}
	}
}

func TestNumpyFortranAndScalar(t *testing.T) {
	for _, r := range []struct{ name, same string }{
		{"int16-fortran", "int16"}, {"float32-big-fortran", "float32"}, {"int32-v2", "int32"}, {"int32-v3", "int32"}, {"scalar", "scalar"},
		{"empty", "empty"}, {"line", "line"},
	} {
		t.Run(r.name, func(t *testing.T) {
			p := newProgram()
			if r := zargoArgs(t, p, numpyFile(t, r.name), "put", "mem://m/x", "-", "--create"); r.code != 0 {
				t.Fatal(r.err)
			}
			if got, want := do(t, p, "cat mem://m/x --format npy"), numpyFile(t, r.same); got != string(want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestPutRefuses(t *testing.T) {
	p := newProgram()
	do(t, p, "create mem://m/x --shape 4,3 --chunks 2,2 --dtype int16")
	int16s, float32s := numpyFile(t, "int16"), numpyFile(t, "float32")
	for _, r := range []struct {
		name  string
		in    []byte
		line  string
		code  int
		words []string
	}{
		{"another type", float32s, "put mem://m/x - --sel :2", 1, []string{"wrong type", "int16", "float32", "mem://m/x"}},
		{"another shape", int16s, "put mem://m/x -", 2, []string{"bad selection", "[4 3]", "[2 3]", "mem://m/x"}},
		{"another rank", int16s, "put mem://m/x - --sel 0", 2, []string{"[3]", "[2 3]"}},
		{"out of bounds", int16s, "put mem://m/x - --sel 3:5", 2, []string{"3:5", "axis 0"}},
		{"cut file", int16s[:len(int16s)-1], "put mem://m/x - --sel :2", 5, []string{"corrupt", "elements", "standard input"}},
		{"no npy", []byte("PK........"), "put mem://m/x - --sel :2", 5, []string{"not a .npy file", "standard input"}},
		{"objects", numpyFile(t, "object"), "put mem://m/x - --sel :2", 6, []string{"object"}},
		{"no array", int16s, "put mem://m/y -", 3, []string{"mem://m/y", "not found"}},
		{"there already", int16s, "put mem://m/x - --create", 10, []string{"exists", "x/zarr.json"}},
		{"shape that overflows", []byte(head("(2147483647,2147483647,2147483647)")), "put mem://m/z - --create --chunks 1,1,1", 7, []string{"mem://m/z", "shape", "limit"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			got := zargoArgs(t, p, r.in, strings.Fields(r.line)...)
			fails(t, got, r.code, r.words...)
		})
	}
	if got := do(t, p, "cat mem://m/x --format csv"); got != strings.Repeat("0,0,0\n", 4) {
		t.Errorf("something was written: %s", got)
	}
}

// head returns the header of a .npy file of int8 with the given shape.
func head(shape string) string {
	text := "{'descr': '|i1', 'fortran_order': False, 'shape': " + shape + ", }\n"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(text)), 0}) + text
}

// TestPutAndCatInBands writes and reads a selection larger than a band. It checks the elements, and
// that no chunk is written twice.
func TestPutAndCatInBands(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 150 MiB")
	}
	const rows, cols = 150, 1 << 17 // float64: a row has 1 MiB, and a band 128 MiB
	head, err := npy.AppendHeader(nil, npy.Header{Type: dtype.Float64, Order: dtype.Little, Shape: []int{rows, cols}})
	if err != nil {
		t.Fatal(err)
	}
	in := io.MultiReader(bytes.NewReader(head), &rowReader{left: rows})
	t.Chdir(t.TempDir())
	p := newProgram()
	var out, errOut bytes.Buffer
	code := p.run(t.Context(), strings.Fields("put x.zarr - --create --chunks 7,131072 -v"), in, &out, &errOut)
	if code != 0 || !strings.Contains(errOut.String(), " 23 puts ") { // 22 chunks and the metadata
		t.Fatalf("exit %d, %s", code, errOut.String())
	}
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		w.CloseWithError(func() error {
			if code := p.run(t.Context(), strings.Fields("cat x.zarr --format npy -v"), nil, w, &errOut); code != 0 {
				return errors.New(errOut.String())
			}
			return nil
		}())
		close(done)
	}()
	got := make([]byte, len(head))
	if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, head) {
		t.Fatal(err)
	}
	want := &rowReader{left: rows}
	a, b := make([]byte, 1<<20), make([]byte, 1<<20)
	for range rows {
		if _, err := io.ReadFull(want, a); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, b); err != nil || !bytes.Equal(a, b) {
			t.Fatal("another row", err)
		}
	}
	if n, err := io.Copy(io.Discard, r); n != 0 || err != nil {
		t.Error(n, err)
	}
	<-done
	if !strings.Contains(errOut.String(), " 22 chunks ") {
		t.Errorf("chunks were read twice: %s", errOut.String())
	}
}

// rowReader yields rows of 1 MiB. Each byte of a row is the number of remaining rows.
type rowReader struct{ left, at int }

func (r *rowReader) Read(b []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), 1<<20-r.at)
	if n > 0 {
		b[0] = byte(r.left)
	}
	for done := 1; done < n; done *= 2 {
		copy(b[done:n], b[:done])
	}
	if r.at += n; r.at == 1<<20 {
		r.at = 0
		r.left--
	}
	return n, nil
}

// TestQuotedFill checks the commands for an array whose fill value is a string, as n5-zarr, Fiji
// and early versions of bioformats2raw write it.
func TestQuotedFill(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create g/a --shape 4,3 --chunks 2,3 --dtype uint16 --codec none --format 2")
	do(t, p, "create g/b --shape 4 --chunks 2 --dtype uint16 --codec none --format 2")
	write(t, "g/.zgroup", []byte(`{"zarr_format":2}`))
	write(t, "g/a/.zarray", []byte(`{"zarr_format":2,"shape":[4,3],"chunks":[2,3],"dtype":">u2","compressor":null,"fill_value":"0","order":"C","filters":null}`))
	for _, line := range []string{"ls g", "ls -r g", "ls -r --json g", "info g", "info g/a"} {
		if out := zargo(t, p, line); out.code != 0 || strings.HasPrefix(line, "ls") && (!strings.Contains(out.out, "a") || !strings.Contains(out.out, "b")) {
			t.Errorf("%s: %d %s %s", line, out.code, out.out, out.err)
		}
	}
	if out := zargo(t, p, "cat g/a --sel 0 --raw --format csv"); out.code != 0 || strings.TrimSpace(out.out) != "0,0,0" && strings.Count(out.out, "0") != 3 {
		t.Errorf("cat: %d %q %s", out.code, out.out, out.err)
	}
	if out := zargo(t, p, "validate g"); out.code != 0 || !strings.Contains(out.out+out.err, "fill-spelling") {
		t.Errorf("validate: %d %s %s", out.code, out.out, out.err)
	}
}
