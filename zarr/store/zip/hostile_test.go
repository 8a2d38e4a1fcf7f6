package zip

import (
	gozip "archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

type file struct {
	name, value string
	method      uint16
}

// build makes an archive with Go's writer, which accepts any names.
func build(t testing.TB, comment string, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gozip.NewWriter(&b)
	w.RegisterCompressor(95, func(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil })
	for _, f := range files {
		e, err := w.CreateHeader(&gozip.FileHeader{Name: f.name, Method: f.method})
		if err == nil && !strings.HasSuffix(f.name, "/") {
			_, err = e.Write([]byte(f.value))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.SetComment(comment), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func openBytes(t testing.TB, b []byte, opts ...Option) (store.Store, error) {
	t.Helper()
	st := mem.New()
	if _, err := st.Put(t.Context(), "x.zip", b, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	return Open(t.Context(), st, "x.zip", opts...)
}

// keys returns all keys, those of values that cannot be read with an exclamation mark.
func keys(t testing.TB, st store.Store) string {
	t.Helper()
	var all []string
	for e, err := range st.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Size < 0 {
			e.Key += "!"
		}
		all = append(all, e.Key)
	}
	return strings.Join(all, " ")
}

func TestNames(t *testing.T) {
	unsafe := []file{{name: "../up"}, {name: "/abs"}, {name: `a\b`}, {name: "a\x00b"}, {name: "a//b"}, {name: "a/./b"}, {name: "folder/"}}
	b := build(t, "", append(unsafe, file{name: "a/k", value: "first"}, file{name: "b/k"}, file{name: "a/k", value: "last"})...)
	st, err := openBytes(t, b)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := keys(t, st), "../up! /abs! a\x00b! a/./b! a//b! a/k a\\b! b/k"; got != want {
		t.Errorf("keys %q, want %q", got, want)
	}
	var top []string
	for e, err := range st.List(t.Context(), "", store.ListOptions{Depth: store.OneLevel}) {
		top = append(top, fmt.Sprintf("%s %v %v", e.Key, e.Dir, err == nil))
	}
	if want := []string{"../up false true", "/abs false true", "a true true", "a\x00b false true", `a\b false true`, "b true true"}; !slices.Equal(slices.Sorted(slices.Values(top)), slices.Sorted(slices.Values(want))) {
		t.Errorf("one level: %q, want %q", top, want)
	}
	for _, f := range unsafe {
		if _, err := st.Get(t.Context(), f.name, store.GetOptions{}, nil); !errors.Is(err, fault.Path) {
			t.Errorf("Get(%q): %v", f.name, err)
		}
	}
	st, err = openBytes(t, b, Inner("a"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := st.Get(t.Context(), "k", store.GetOptions{}, nil)
	if err != nil || string(v.Bytes) != "last" || keys(t, st) != "./b! /b! k" {
		t.Errorf("%q, %v, of %s", v.Bytes, err, keys(t, st))
	}
	if got := store.Name(st); got != "mem://x.zip|zip:a" {
		t.Errorf("name %s", got)
	}
}

func TestComments(t *testing.T) {
	for _, n := range []int{0, 1, 100, math.MaxUint16} {
		st, err := openBytes(t, build(t, strings.Repeat("PK\x05\x06", n/4+1)[:n], file{name: "k"}))
		if err != nil || keys(t, st) != "k" {
			t.Errorf("comment of %d bytes: %v", n, err)
		}
	}
}

// patch changes the directory entry of the only value.
func patch(t *testing.T, f file, change func(central []byte)) []byte {
	b := build(t, "", f)
	change(b[bytes.Index(b, []byte("PK\x01\x02")):])
	return b
}

func TestHostileEntries(t *testing.T) {
	long := strings.Repeat("0123456789", 1000)
	tests := []struct {
		name   string
		file   file
		change func(b []byte)
		want   error
	}{
		{"CRC of stored", file{"k", long, stored}, func(b []byte) { b[16]++ }, fault.Corrupt},
		{"CRC of deflated", file{"k", long, deflated}, func(b []byte) { b[16]++ }, fault.Corrupt},
		{"encrypted", file{"k", long, stored}, func(b []byte) { b[8] |= 1 }, errors.ErrUnsupported},
		{"method", file{"k", long, 95}, func([]byte) {}, errors.ErrUnsupported},
		{"method differs", file{"k", long, deflated}, func(b []byte) { b[10] = 0; le.PutUint32(b[24:], le.Uint32(b[20:])) }, fault.Corrupt},
		{"offset beyond", file{"k", long, stored}, func(b []byte) { b[45] = 0x7f }, fault.Corrupt},
		{"offset wrong", file{"k", "x", stored}, func(b []byte) { b[42]++ }, fault.Corrupt},
		{"size of stored", file{"k", long, stored}, func(b []byte) { b[24]++ }, fault.Corrupt},
		{"size of deflated too small", file{"k", long, deflated}, func(b []byte) { b[24]-- }, fault.Corrupt},
		{"size of deflated too large", file{"k", long, deflated}, func(b []byte) { b[24]++ }, fault.Corrupt},
		{"bomb", file{"k", long, deflated}, func(b []byte) { b[27] = 0x7f }, fault.Corrupt},
		{"packed over the next", file{"k", long, deflated}, func(b []byte) { b[22]++ }, fault.Corrupt},
		{"another name", file{"k", long, stored}, func(b []byte) { b[46] = 'q' }, fault.Corrupt},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			st, err := openBytes(t, patch(t, test.file, test.change))
			if err != nil {
				t.Fatal(err)
			}
			v, err := st.Get(t.Context(), keys(t, st), store.GetOptions{}, nil)
			if !errors.Is(err, test.want) || v.Bytes != nil {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func TestHostileEnds(t *testing.T) {
	good := build(t, "", file{name: "k"}, file{name: "l"})
	at := len(good) - lenEnd
	with := func(off int, v ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[at+off:], v)
		return b
	}
	tests := []struct {
		name string
		b    []byte
		want error
	}{
		{"empty", nil, fault.Corrupt},
		{"text", []byte(strings.Repeat("no archive ", 20_000)), fault.Corrupt},
		{"cut", good[:len(good)-1], fault.Corrupt},
		{"more after it", append(bytes.Clone(good), 0), fault.Corrupt},
		{"count", with(8, 3, 0, 3, 0), fault.Corrupt},
		{"size", with(12, 0xff, 0xff, 0xff, 0x7f), fault.Corrupt},
		{"size 0", with(12, 0, 0, 0, 0), fault.Corrupt},
		{"offset", with(16, 0xff, 0xff, 0xff, 0x7f), fault.Corrupt},
		{"second disk", with(4, 1, 0), errors.ErrUnsupported},
		{"count of 2^60", append(bytes.Clone(good[:at]), hugeCount(uint64(at))...), fault.Corrupt},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := openBytes(t, test.b); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
	if _, err := openBytes(t, good, MaxDirectory(50)); !errors.Is(err, fault.Limit) {
		t.Errorf("a directory over the limit: %v", err)
	}
	if _, err := openBytes(t, good, MaxDirectory(0)); !errors.Is(err, fault.Limit) {
		t.Errorf("MaxDirectory(0): %v", err)
	}
}

func hugeCount(at uint64) []byte { return ending(0, at, 1<<60) }

// TestLongExtraFields checks that extra fields longer than the margin cost one more request and do
// not prevent reading the value.
func TestLongExtraFields(t *testing.T) {
	for _, method := range []uint16{stored, deflated} {
		var b bytes.Buffer
		w := gozip.NewWriter(&b)
		extra := append([]byte{0x99, 0x99, 0, 0x40}, make([]byte, 0x4000)...)
		e, err := w.CreateHeader(&gozip.FileHeader{Name: "k", Method: method, Extra: extra})
		if err == nil {
			_, err = e.Write([]byte(strings.Repeat("value", 1000)))
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		st, err := openBytes(t, b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []store.Range{store.Within(7, 5), {}, store.Suffix(3)} {
			off, n, _ := r.Resolve(5000)
			v, err := st.Get(t.Context(), "k", store.GetOptions{Range: r}, nil)
			if want := strings.Repeat("value", 1000)[off : off+n]; err != nil || string(v.Bytes) != want {
				t.Errorf("%v: %d bytes, %v", r, len(v.Bytes), err)
			}
		}
	}
}

// TestZip64Records checks that sizes and offsets of more than 32 bits are parsed as they were
// written.
func TestZip64Records(t *testing.T) {
	for _, r := range []record{{"k", 7, 5, 9}, {"k", 7, 5, 1 << 40}, {"k", 7, 1 << 33, 9}, {"k", 7, 1 << 33, 1 << 40}} {
		b := r.central(nil)
		e, n, err := parseEntry(b, string(b))
		if err != nil || n != len(b) || e.name != r.key || e.off != int64(r.off) || e.size != int64(r.size) || e.packed != e.size {
			t.Errorf("%+v came back as %+v, %v", r, e, err)
		}
		if _, ok := strings.CutPrefix(string(r.local(nil)), fmt.Sprintf("PK\x03\x04%c", needs45)); ok != (r.size > math.MaxUint32) {
			t.Errorf("%+v: needs version 4.5 is %v", r, ok)
		}
	}
}

// FuzzOpen checks that the parser does not panic, that keys are safe, and that values match the
// directory.
func FuzzOpen(f *testing.F) {
	f.Add(build(f, "", file{"k", "value", stored}, file{"a/k", strings.Repeat("value", 100), deflated}))
	f.Add(build(f, "a comment", file{"k", "", stored}, file{"../k", "", stored}, file{"a/", "", stored}))
	wide := bytes.NewBufferString("before it")
	w := NewWriter(wide)
	if err := w.Add("k", []byte("value")); err != nil {
		f.Fatal(err)
	}
	size := uint64(len(w.dir))
	wide.Write(w.dir)
	b := ending(w.off, size, 1<<32)
	le.PutUint64(b[32:], 1)
	f.Add(append(wide.Bytes(), b...))
	f.Add(ending(0, 0, 0))
	methods, err := os.ReadFile("testdata/methods.zip")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(methods)
	f.Fuzz(func(t *testing.T, b []byte) {
		st, err := openBytes(t, b, MaxDirectory(1<<16))
		if err != nil {
			return
		}
		for e, err := range st.List(t.Context(), "", store.ListOptions{}) {
			if err != nil || e.Size >= 0 != (store.CheckKey(e.Key) == nil) {
				t.Fatalf("listed %q of %d bytes, %v", e.Key, e.Size, err)
			}
			if e.Size < 0 {
				continue
			}
			v, err := st.Get(t.Context(), e.Key, store.GetOptions{Max: 1 << 20}, nil)
			if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Conflict) {
				t.Fatalf("%q is listed, but %v", e.Key, err)
			}
			if err == nil && int64(len(v.Bytes)) != e.Size {
				t.Fatalf("%q has %d bytes, not %d", e.Key, len(v.Bytes), e.Size)
			}
		}
	})
}
