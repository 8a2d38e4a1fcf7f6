package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBadInput checks that bad input in a directory leads to the expected exit code and to one line
// that contains the URL, the key and the cause. TestS3BadInput does the same for buckets.
func TestBadInput(t *testing.T) {
	int16s := numpyFile(t, "int16")
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create good --shape 4,3 --chunks 2,3 --dtype int16 --codec none")
	if r := zargoArgs(t, p, int16s, "put", "good", "-", "--sel", "1:3"); r.code != 0 {
		t.Fatal(r.err)
	}

	t.Run("missing node", func(t *testing.T) {
		for _, line := range []string{"info none", "ls none", "attrs none", "cat none", "put none -", "attrs none --set a=1"} {
			fails(t, zargoArgs(t, p, int16s, strings.Fields(line)...), 3, "none", "not found", "zarr.json")
		}
		fails(t, zargo(t, p, "info file:///no/such/place"), 3, "/no/such/place")
	})
	t.Run("selection out of bounds", func(t *testing.T) {
		fails(t, zargo(t, p, "cat good --sel 2:5"), 2, "good", "axis 0", "2:5", "[4 3]")
	})
	t.Run("selection of wrong rank", func(t *testing.T) {
		fails(t, zargo(t, p, "cat good --sel 0,0,0"), 2, "good", "--sel has 3", "[4 3]")
	})
	t.Run("flag without value", func(t *testing.T) {
		for _, line := range []string{"cat good --sel", "cat good --sel --decode", "hist good --range", "copy good copied --sel", "create made --like", "picture good -o --no-axes", "cat good --format"} {
			fails(t, zargo(t, p, line), 2, "missing value")
		}
		do(t, p, "cat good --sel=")
		do(t, p, "cat good --sel -1 -o -")
	})
	t.Run("truncated chunk", func(t *testing.T) {
		b, err := os.ReadFile("good/c/0/0")
		if err != nil {
			t.Fatal(err)
		}
		write(t, "good/c/0/0", b[:len(b)-1])
		for _, format := range []string{"text", "json", "raw", "npy", "csv"} {
			r := zargo(t, p, "cat good --format "+format+" -o out")
			fails(t, r, 5, "good", "c/0/0", "corrupt")
			if r.out != "" {
				t.Errorf("it printed %q", r.out)
			}
		}
		if _, err := os.Stat("out"); !os.IsNotExist(err) {
			t.Error("the file appeared", err)
		}
		if got, _ := filepath.Glob(".zargo-tmp-*"); got != nil {
			t.Errorf("%v is left", got)
		}
		write(t, "good/c/0/0", nil)
		fails(t, zargo(t, p, "cat good"), 5, "c/0/0")
		write(t, "good/c/0/0", b)
		do(t, p, "cat good")
	})
	t.Run("corrupt blosc", func(t *testing.T) {
		do(t, p, "create blosc --shape 100 --dtype int32 --codec blosc:lz4:5:shuffle --fill 3")
		for name, frame := range map[string][]byte{
			"text":  []byte("this is not a blosc frame at all"),
			"short": {2, 1, 0x21, 4},
			"huge":  {2, 1, 0x21, 4, 0xff, 0xff, 0xff, 0x7f, 0, 1, 0, 0, 0xff, 0xff, 0xff, 0x7f},
			"zeros": make([]byte, 100),
		} {
			write(t, "blosc/c/0", frame)
			r := zargo(t, p, "cat blosc")
			fails(t, r, 5, "blosc", "c/0", "corrupt")
			if t.Failed() {
				t.Log(name)
			}
		}
	})
	t.Run("unknown codec", func(t *testing.T) {
		write(t, "codec/.zarray", []byte(`{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"<f8","fill_value":0,"order":"C","filters":null,"compressor":{"id":"wavpack"}}`))
		fails(t, zargo(t, p, "info codec"), 6, "codec: ", ".zarray", "wavpack")
	})
	t.Run("unknown data type", func(t *testing.T) {
		write(t, "dtype/.zarray", []byte(`{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"<g8","fill_value":0,"order":"C","filters":null,"compressor":null}`))
		fails(t, zargo(t, p, "info dtype"), 6, "dtype: ", ".zarray", "<g8")
	})
	t.Run("shape product overflow", func(t *testing.T) {
		write(t, "overflow/.zarray", []byte(`{"zarr_format":2,"shape":[4611686018427387904,4],"chunks":[1,1],"dtype":"<f8","fill_value":0,"order":"C","filters":null,"compressor":null}`))
		fails(t, zargo(t, p, "info overflow"), 7, "overflow: ", ".zarray", "/shape")
		write(t, "overflow2/zarr.json", []byte(`{"zarr_format":3,"node_type":"array","shape":[8],"data_type":"float64","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2305843009213693952]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}`))
		fails(t, zargo(t, p, "cat overflow2"), 7, "overflow2: ", "zarr.json", "/chunk_grid")
	})
	t.Run("broken metadata", func(t *testing.T) {
		write(t, "broken/zarr.json", []byte(`{"zarr_format":3,"node_type":"array","shape":[-1]}`))
		fails(t, zargo(t, p, "info broken"), 4, "broken: ", "zarr.json")
		write(t, "broken/zarr.json", []byte(`{`))
		fails(t, zargo(t, p, "info broken"), 4, "broken: ", "zarr.json")
		write(t, "broken/zarr.json", []byte("\x1b[31m\nnothing"))
		fails(t, zargo(t, p, "info broken"), 4, "broken: ", "zarr.json")
	})
	t.Run("10 GiB of .zarray", func(t *testing.T) {
		write(t, "giant/.zarray", nil)
		succeed(t, os.Truncate("giant/.zarray", 10<<30))
		write(t, "tiny/.zarray", []byte("{"))
		allocated := func(line string) (result, uint64) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := zargo(t, p, line)
			runtime.ReadMemStats(&after)
			return r, after.TotalAlloc - before.TotalAlloc
		}
		r, usual := allocated("info tiny")
		fails(t, r, 4, "tiny: ", ".zarray")
		r, n := allocated("info giant")
		fails(t, r, 7, "giant: ", ".zarray", "10737418240")
		if n > usual+8<<20 {
			t.Errorf("%d bytes were allocated, and %d for a small document", n, usual)
		}
	})
	t.Run("unsafe paths", func(t *testing.T) {
		for _, line := range []string{"info mem://m/a/../b", `info mem://m/a\b`, "info mem://m/a//b", "info file:///a/../b", "create mem://m/.. --group",
			"create a/../../x --group --root a"} {
			fails(t, zargo(t, p, line), 4, "unsafe path")
		}
		if runtime.GOOS != "windows" { // on Windows a backslash separates directories
			fails(t, zargo(t, p, `info a\b`), 4, "unsafe path")
		}
		fails(t, zargo(t, p, "create mem://m/__x --group"), 4, "unsafe path", "__x")
	})
	t.Run("what comes later", func(t *testing.T) {
		for url, scheme := range map[string]string{"ftp://b/x": "ftp", "hdfs://b/x": "hdfs", "a.zip|tar:x": "tar", "s3://b/a.zip|zip:x|zip:y": "zip"} {
			fails(t, zargo(t, p, "info "+url), 6, url, scheme)
		}
	})
	t.Run("not an array", func(t *testing.T) {
		do(t, p, "create g --group")
		fails(t, zargo(t, p, "cat g"), 3, "g: ", "group")
	})
	t.Run("over the memory that there is", func(t *testing.T) {
		do(t, p, "create tera --shape 1048576,1048576 --chunks 1048576,1 --dtype float64")
		fails(t, zargo(t, p, "cat tera --format raw"), 7, "tera: ", "select less")
		if got := do(t, p, "cat tera --sel 0,:2"); got != "[0 0]\n" {
			t.Error(got)
		}
	})
	t.Run("no place for the output", func(t *testing.T) {
		fails(t, zargo(t, p, "cat good -o none/out"), 1, "none")
	})
	t.Run("a file that is not there", func(t *testing.T) {
		fails(t, zargo(t, p, "put good absent.npy"), 1, "absent.npy")
	})
}

func TestReadOnlyFolder(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("SKIPPED: permissions do not bind this user")
	}
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create x --shape 1 --dtype int8")
	succeed(t, os.Chmod("x", 0o555))
	t.Cleanup(func() {
		if err := os.Chmod("x", 0o777); err != nil {
			t.Error(err)
		}
	})
	r := zargo(t, p, "attrs x --set a=1")
	if r.code != 8 && r.code != 12 {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
}

// TestOutputFile checks that a file is written completely or not at all, and keeps the permissions
// of the file that it replaces.
func TestOutputFile(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create x --shape 3 --dtype int8 --fill 7")
	write(t, "out", []byte("old"))
	succeed(t, os.Chmod("out", 0o640))
	do(t, p, "cat x --format csv -o out")
	if b, err := os.ReadFile("out"); err != nil || string(b) != "7\n7\n7\n" {
		t.Errorf("%q, %v", b, err)
	}
	if fi, err := os.Stat("out"); err != nil || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o640 {
		t.Error(fi.Mode(), err)
	}
	if got := do(t, p, "cat x --format csv -o -"); got != "7\n7\n7\n" {
		t.Error(got)
	}
	if got := files(t); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// TestBrokenOutput checks that a closed standard output is an error, not a panic.
func TestBrokenOutput(t *testing.T) {
	p := newProgram()
	do(t, p, "create mem://m/x --shape 3 --dtype int8")
	var errOut bytes.Buffer
	code := p.run(t.Context(), strings.Fields("cat mem://m/x"), nil, brokenWriter{}, &errOut)
	fails(t, result{code: code, err: errOut.String()}, 1, "broken")
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken") }
