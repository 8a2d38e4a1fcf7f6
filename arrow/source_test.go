package arrow_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/arrow"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// files returns a small table in each format.
func files(t testing.TB) map[arrow.Format][]byte {
	t.Helper()
	st, out := mem.New(), map[arrow.Format][]byte{}
	o := arrow.ImportOptions{Labels: []string{"time", "s"}}
	must(t, importText(context.Background(), t, st, o, "time,s,i,f,b,t\n2020-01-01,a,1,0.5,true,x\n2020-01-02,b,2,,false,\n2020-01-02,a,3,1e9,true,\"1\n2\"\n"))
	d, err := dataset.Open(context.Background(), st, "", dataset.Options{})
	must(t, err)
	all, err := arrow.New(d)
	must(t, err)
	for _, f := range arrow.Formats() {
		var b bytes.Buffer
		must(t, all.Write(context.Background(), &b, f))
		out[f] = b.Bytes()
	}
	return out
}

// imports imports all rows of a file into a new dataset.
func imports(t testing.TB, f arrow.Format, b []byte) error {
	t.Helper()
	s, err := arrow.OpenSource(bytes.NewReader(b), int64(len(b)), f)
	if err != nil {
		return err
	}
	_, err = arrow.Import(context.Background(), mem.New(), "", arrow.ImportOptions{Labels: []string{"time", "s"}, MaxLabels: 100, LastWins: true}, s)
	return err
}

// TestDamagedSources checks that files that end early, and files with a changed byte, are errors
// with a kind, or tables.
func TestDamagedSources(t *testing.T) {
	for f, b := range files(t) {
		must(t, imports(t, f, b))
		failed := 0
		check := func(what string, i int, damaged []byte) {
			err := imports(t, f, damaged)
			var kind fault.Kind
			if err != nil {
				failed++
			}
			if err != nil && !errors.As(err, &kind) {
				t.Errorf("%s, %s %d: %v", f, what, i, err)
			}
		}
		for i := 0; i < len(b); i += 1 + len(b)/200 {
			check("length", i, b[:i])
			for _, bit := range []byte{1, 0x80, 0xff} {
				c := bytes.Clone(b)
				c[i] ^= bit
				check("byte", i, c)
			}
		}
		if failed < 50 && f != arrow.CSV {
			t.Errorf("%s: %d of the damaged files are errors", f, failed)
		}
	}
}

func FuzzSource(f *testing.F) {
	for format, b := range files(f) {
		f.Add(string(format), b)
	}
	f.Fuzz(func(t *testing.T, format string, b []byte) {
		err := imports(t, arrow.Format(format), b)
		var kind fault.Kind
		if err != nil && !errors.As(err, &kind) {
			t.Error(err)
		}
	})
}
