package dir

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// sentParts starts an upload, sends parts, and returns their files by part number.
func sentParts(t *testing.T, root string, numbers ...int) (store.Parts, map[string]string) {
	t.Helper()
	p, err := New(root).PutParts(t.Context(), "k", store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range numbers {
		succeed(t, p.Part(t.Context(), n, bytes.Repeat([]byte{byte('a' + n)}, 10)))
	}
	files, err := filepath.Glob(filepath.Join(root, hidden+"part-*"))
	if err != nil || len(files) != len(numbers) {
		t.Fatalf("%q, %v", files, err)
	}
	byNumber := map[string]string{}
	for _, f := range files {
		byNumber[f[strings.LastIndexByte(f, '-')+1:]] = f
	}
	return p, byNumber
}

func resumed(t *testing.T, root string, p store.Parts) store.Parts {
	t.Helper()
	q, err := New(root).PutParts(t.Context(), "k", store.PartsOptions{Resume: p.Token()})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// noValue fails the test unless Commit returned an error of the kind and no value is stored.
func noValue(t *testing.T, root string, p store.Parts, kind error) {
	t.Helper()
	if _, err := p.Commit(t.Context(), store.PutOptions{}); !errors.Is(err, kind) {
		t.Errorf("want %v, got %v", kind, err)
	}
	if v, err := New(root).Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
		t.Errorf("%q, %v", v.Bytes, err)
	}
}

// TestLastPartsRemoved checks that a process that resumes an upload detects from the remaining
// parts that the last parts were removed.
func TestLastPartsRemoved(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}} {
		root := t.TempDir()
		p, files := sentParts(t, root, order...)
		succeed(t, errors.Join(os.Remove(files["2"]), os.Remove(files["3"])))
		noValue(t, root, resumed(t, root, p), fault.Conflict)
		noValue(t, root, p, fault.Conflict)
	}
}

// TestPartShortened checks that a truncated part is fault.Corrupt for its sender and for another
// process, even if it is the only part.
func TestPartShortened(t *testing.T) {
	for _, numbers := range [][]int{{0}, {0, 1, 2, 3}} {
		for _, n := range []string{"0", "3"} {
			root := t.TempDir()
			p, files := sentParts(t, root, numbers...)
			if files[n] == "" {
				continue
			}
			succeed(t, os.Truncate(files[n], 4))
			noValue(t, root, p, fault.Corrupt)
			q := resumed(t, root, p)
			noValue(t, root, q, fault.Corrupt)
			sent, err := q.Sent(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range sent {
				if want := bytes.Repeat([]byte{byte('a' + s.N)}, 10); s.Size != 10 {
					succeed(t, q.Part(t.Context(), s.N, want))
				}
			}
			if _, err := q.Commit(t.Context(), store.PutOptions{}); err != nil {
				t.Error(err)
			}
			if got, err := New(root).Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || len(got.Bytes) != 10*len(numbers) {
				t.Errorf("%q, %v", got.Bytes, err)
			}
			if left := allFiles(t, root); len(left) != 1 {
				t.Errorf("%q stay", left)
			}
		}
	}
}

func allFiles(t *testing.T, root string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		names = append(names, d.Name())
	}
	return names
}

// TestPartOfAnEndedValue checks that a process that resumes an upload and first sends a part
// detects that the upload has ended.
func TestPartOfAnEndedValue(t *testing.T) {
	root := t.TempDir()
	p, _ := sentParts(t, root, 0, 1)
	succeed(t, resumed(t, root, p).Abort(t.Context()))
	if err := resumed(t, root, p).Part(t.Context(), 0, []byte("late")); !errors.Is(err, fault.Conflict) {
		t.Errorf("want conflict, got %v", err)
	}
	if left := allFiles(t, root); len(left) != 0 {
		t.Errorf("%q stay", left)
	}
}
