package zarr_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestV1IsReadOnly checks that a v1 array is found in a second round trip, and that none of its
// keys is ever written.
func TestV1IsReadOnly(t *testing.T) {
	st := mem.New()
	for key, value := range map[string]string{
		"old/meta":  `{"zarr_format":1,"shape":[3],"chunks":[2],"dtype":"|u1","fill_value":9,"compression":null,"compression_opts":null,"order":"C"}`,
		"old/attrs": `{"foo":42}`,
		"old/0":     "\x01\x02",
	} {
		succeed(t, second(st.Put(t.Context(), key, []byte(value), store.PutOptions{})))
	}
	var r zarr.Report
	a := mustOpen(t, st, "old", zarr.WithReport(&r))
	if n := r.Gets.Load(); n != 5 {
		t.Errorf("%d requests to open, want 3 and then 2", n)
	}
	got, err := zarr.Read[uint8](t.Context(), a)
	if err != nil || !slices.Equal(got, []uint8{1, 2, 9}) || a.Format() != 1 {
		t.Errorf("v%d %v, %v", a.Format(), got, err)
	}
	if foo, ok, err := zarr.Attr[int](a, "foo"); foo != 42 || !ok || err != nil {
		t.Errorf("foo is %d, %v, %v", foo, ok, err)
	}
	if err := zarr.Write(t.Context(), a, []uint8{1, 2, 3}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("write: %v", err)
	}
	if _, err := a.SetAttrs(t.Context(), map[string]any{"foo": 1}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("attributes: %v", err)
	}
	if _, err := zarr.OpenGroup(t.Context(), st, "old"); !errors.Is(err, zarr.ErrNotFound) {
		t.Errorf("as a group: %v", err)
	}
	for format, want := range map[int]error{1: nil, 2: zarr.ErrNotFound, 3: zarr.ErrNotFound} {
		if _, err := zarr.OpenArray(t.Context(), st, "old", zarr.Format(format)); !errors.Is(err, want) {
			t.Errorf("as v%d: %v", format, err)
		}
	}
}
