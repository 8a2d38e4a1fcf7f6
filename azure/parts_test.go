package azure

import (
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

// TestPartsOfAnotherProcess checks that the stored parts have checksums, and that the later of two
// blocks of a part is used, whichever process commits.
func TestPartsOfAnotherProcess(t *testing.T) {
	environment(t)
	s := bare(t, NewFake(t).At(""))
	p, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []string{"first", "second", "third"} {
		if err := p.Part(t.Context(), 0, []byte(b)); err != nil {
			t.Fatal(err)
		}
	}
	q, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{Resume: p.Token()})
	if err != nil {
		t.Fatal(err)
	}
	want := store.PartInfo{N: 0, Size: 5, Sum: fmt.Sprintf("crc32:%08x", crc32.ChecksumIEEE([]byte("third")))}
	if sent, err := q.Sent(t.Context()); err != nil || len(sent) != 1 || sent[0] != want {
		t.Errorf("%+v, %v, want %+v", sent, err, want)
	}
	if _, err := q.Commit(t.Context(), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "third" {
		t.Errorf("%q, %v", v.Bytes, err)
	}
}
