package zfp_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/zfp"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

// TestZarrs reads arrays that zarrs 0.23.8 wrote, and compares all bytes with those that zarrs
// reads; see testdata/zarrs.
func TestZarrs(t *testing.T) {
	st, err := zip.Open(t.Context(), dir.New("testdata"), "zarrs.zip")
	if err != nil {
		t.Fatal(err)
	}
	table, n := zarr.Extensions(zfp.Add(codec.Builtin()), nil), 0
	for e, err := range st.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		name, ok := strings.CutSuffix(e.Key, "/values")
		if !ok {
			continue
		}
		n++
		want, err := st.Get(t.Context(), e.Key, store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := zarr.OpenArray(t.Context(), st, name, table)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := make([]byte, len(want.Bytes))
		if err := a.ReadBytes(t.Context(), got); err != nil || !bytes.Equal(got, want.Bytes) {
			t.Errorf("%s: equal %v, %v", name, bytes.Equal(got, want.Bytes), err)
		}
	}
	if n != 102 {
		t.Errorf("%d arrays, want 102", n)
	}
}
