//go:build unix

package validate_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// TestUnreadableChunks checks that everything that a read refuses is reported, whatever is in the
// place of a chunk or of the directory of chunks.
func TestUnreadableChunks(t *testing.T) {
	below := func(name string, f func(path string) error) func(root string) error {
		return func(root string) error {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return err
			}
			return errors.Join(os.RemoveAll(path), f(path))
		}
	}
	link := func(to string) func(string) error { return func(path string) error { return os.Symlink(to, path) } }
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o666) }
	file := func(path string) error { return os.WriteFile(path, []byte("../elsewhere"), 0o666) }
	full := func(path string) error {
		return errors.Join(os.Mkdir(path, 0o777), os.WriteFile(filepath.Join(path, "x"), nil, 0o666))
	}
	for _, test := range []struct {
		name   string
		format int
		sep    string
		damage func(root string) error
		want   []string
	}{
		{"pipe", 3, "/", below("c/0/1", pipe), []string{"unreadable c/0/1"}},
		{"pipe, v2", 2, ".", below("0.1", pipe), []string{"unreadable 0.1"}},
		{"dangling link", 3, "/", below("c/0/1", link("../../.git/annex/objects/x")), []string{"unreadable c/0/1"}},
		{"dangling link, v2", 2, ".", below("1.0", link("/no/such")), []string{"unreadable 1.0"}},
		{"link to itself", 3, "/", below("c/1/1", link("1")), []string{"unreadable c/1/1"}},
		{"folder in the place of a chunk", 3, "/", below("c/0/1", full), []string{"stray-key c/0/1/x", "unreadable c/0/1"}},
		{"file in the place of the folder", 3, "/", below("c", file), []string{"stray-key c", "unreadable c/0/0"}},
		{"file in the place of a folder, v2", 2, "/", below("1", file), []string{"stray-key 1", "unreadable 1/0"}},
		{"pipe in the place of a folder", 3, "/", below("c/1", pipe), []string{"stray-key c/1", "unreadable c/1/0"}},
		{"dangling link in the place of the folder", 3, "/", below("c", link("/no/such/disk")), []string{"stray-key c", "unreadable c/0/0"}},
		{"empty folder in the place of a chunk", 3, "/", below("c/0/1", func(path string) error { return os.Mkdir(path, 0o777) }), []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			a, err := zarr.Create(t.Context(), dir.New(root), "", zarr.Spec{Format: test.format, Separator: test.sep, Shape: []int{4, 4}, Chunks: []int{2, 2}, DType: dtype.Uint8})
			if err != nil {
				t.Fatal(err)
			}
			succeed(t, zarr.Write(t.Context(), a, []byte{1, 2, 3, 4}, zarr.Range(0, 2), zarr.Range(0, 2)))
			succeed(t, test.damage(root))
			_, readErr := zarr.Read[uint8](t.Context(), a)
			if refused := len(test.want) > 0; errors.Is(readErr, zarr.ErrRefused) != refused {
				t.Errorf("read: %v", readErr)
			}
			got, r := run(t, dir.New(root), validate.Options{Data: true})
			if !slices.Equal(got, test.want) || (r.Counts[rule.Fault] > 0) != (readErr != nil) {
				t.Errorf("got %q, want %q, %v", got, test.want, r.Counts)
			}
		})
	}
}

// TestUnreadableNode checks that a link to a missing directory is reported as an unreadable node,
// and not only as a stray key.
func TestUnreadableNode(t *testing.T) {
	root := t.TempDir()
	put(t, dir.New(root), "zarr.json", groupV3)
	succeed(t, os.Symlink("/no/such/disk", filepath.Join(root, "t2m")))
	if _, err := zarr.Open(t.Context(), dir.New(root), "t2m"); !errors.Is(err, zarr.ErrRefused) {
		t.Errorf("open: %v", err)
	}
	if got, _ := run(t, dir.New(root), validate.Options{}); !slices.Equal(got, []string{"stray-key t2m", "unreadable t2m/zarr.json"}) {
		t.Errorf("%q", got)
	}
}

// TestNothingInTheWayInABucket checks that in a bucket a key that is a prefix of others hides
// nothing.
func TestNothingInTheWayInABucket(t *testing.T) {
	st := mem.New()
	a, err := zarr.Create(t.Context(), st, "", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Uint8})
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, zarr.Write(t.Context(), a, []byte{1, 2, 3, 4}))
	put(t, st, "c", "x")
	put(t, st, "c/0/x", "x")
	put(t, st, "c/7/x", "x")
	if got, _ := run(t, st, validate.Options{Data: true}); !slices.Equal(got, []string{"stray-key c", "stray-key c/0/x", "stray-key c/7/x"}) {
		t.Errorf("%q", got)
	}
}
