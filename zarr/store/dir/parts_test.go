package dir

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestPartsLeaveNothing checks that Commit and Abort leave no files except the value, and that
// there is no value before Commit.
func TestPartsLeaveNothing(t *testing.T) {
	for _, confined := range []bool{false, true} {
		for _, n := range []int{0, 1, 3} {
			root := t.TempDir()
			s := New(root, Confined(confined))
			if _, err := s.Put(t.Context(), "f/other", nil, store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, commit := range []bool{false, true} {
				p, err := s.PutParts(t.Context(), "f/k", store.PartsOptions{})
				if err != nil {
					t.Fatal(err)
				}
				var want []byte
				for i := range n {
					b := bytes.Repeat([]byte{byte('a' + i)}, 10+i)
					want = append(want, b...)
					succeed(t, p.Part(t.Context(), i, b))
				}
				if got := files(t, root+"/f"); len(got) != 1+n || n > 0 && !strings.HasPrefix(got[0], hidden) {
					t.Errorf("%d parts: %q", n, got)
				}
				if !commit {
					if err := p.Abort(t.Context()); err != nil {
						t.Error(err)
					}
					if got := files(t, root+"/f"); len(got) != 1 {
						t.Errorf("%d parts aborted: %q", n, got)
					}
					continue
				}
				v, err := p.Commit(t.Context(), store.PutOptions{IfAbsent: true})
				if err != nil {
					t.Fatal(err)
				}
				if got := files(t, root+"/f"); len(got) != 2 {
					t.Errorf("%d parts committed: %q", n, got)
				}
				if got, err := s.Get(t.Context(), "f/k", store.GetOptions{IfVersion: v}, nil); err != nil || !bytes.Equal(got.Bytes, want) {
					t.Errorf("%q, %v", got.Bytes, err)
				}
			}
		}
	}
}

func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// TestPartsOfOtherKeys checks that a token is valid only for its key, and that malformed tokens are
// refused.
func TestPartsOfOtherKeys(t *testing.T) {
	s := New(t.TempDir())
	p, err := s.PutParts(t.Context(), "k", store.PartsOptions{})
	if err == nil {
		err = p.Part(t.Context(), 0, []byte("b"))
	}
	if err != nil {
		t.Fatal(err)
	}
	q, err := s.PutParts(t.Context(), "l", store.PartsOptions{Resume: p.Token()})
	if err == nil {
		_, err = q.Commit(t.Context(), store.PutOptions{})
	}
	if !errors.Is(err, fault.Conflict) {
		t.Error(err)
	}
	for _, token := range []string{"../../x", "zz", "00"} {
		if _, err := s.PutParts(t.Context(), "k", store.PartsOptions{Resume: token}); !errors.Is(err, fault.Selection) {
			t.Errorf("%q: %v", token, err)
		}
	}
}
