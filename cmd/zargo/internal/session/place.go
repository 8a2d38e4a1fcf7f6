package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Place is an open store and the path of a node in it.
type Place struct {
	store.Store
	Path  string
	Root  openurl.Location // of the store
	Where string           // the node's URL for messages

	// missing is the path of the outermost group that does not exist above a new node, or that of
	// the node. "" means that the groups above were not read.
	Missing string
}

// Release closes the store. It ignores the error, because all writes are complete by then.
func (p *Place) Release() { _ = p.Close() }

// Locate opens the store whose root is the node itself, which suffices for reading.
func (s *Session) Locate(ctx context.Context, text string) (*Place, error) {
	l, err := s.ParseURL(text)
	if err != nil {
		return nil, err
	}
	return s.Open(ctx, NodeOf(l))
}

// Open opens the store at a location.
func (s *Session) Open(ctx context.Context, l openurl.Location) (*Place, error) {
	st, err := s.Stores.OpenLocation(ctx, l)
	if err != nil {
		return nil, FailedAt(l, "", err)
	}
	return &Place{Store: s.Far.Watched(st), Root: l, Where: l.String()}, nil
}

// ParseURL parses a URL and checks that this program can open it. Its errors contain the URL.
func (s *Session) ParseURL(text string) (openurl.Location, error) {
	l, err := s.Stores.Parse(text)
	return l, exit.At(l.String(), err)
}

// NodeOf returns the location of the node that a metadata document belongs to. It returns other
// locations unchanged. URLs that users copy from a listing or a browser often name a document.
func NodeOf(l openurl.Location) openurl.Location {
	if n := len(l.Inside); n > 0 {
		l.Inside = slices.Clone(l.Inside)
		l.Inside[n-1] = withoutDocument(l.Inside[n-1], "/:")
		return l
	}
	if up, ok := l.Parent(); ok && withoutDocument(l.Path, "/"+string(filepath.Separator)) != l.Path {
		return up
	}
	return l
}

// withoutDocument removes the name of a metadata document from the end of a path. ends contains the
// characters that separate segments.
func withoutDocument(path, ends string) string {
	i := strings.LastIndexAny(path, ends) + 1
	switch path[i:] {
	case "zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata":
		return path[:i]
	}
	return path
}

// Fail adds the node's URL to an error.
func (p *Place) Fail(err error) error {
	if err == nil {
		return nil
	}
	prefix := fmt.Sprintf("zarr: %q in %s: ", p.Path, store.Name(p.Store))
	text := strings.TrimPrefix(err.Error(), prefix)
	if first, others, ok := strings.Cut(text, "\nget "); ok {
		text = fmt.Sprintf("%s (and %d more such errors)", first, strings.Count(others, "\nget ")+1)
	}
	err = exit.Reword(text, err)
	var key *fault.KeyError
	if errors.Is(err, fault.NotFound) && !errors.As(err, &key) && strings.HasSuffix(err.Error(), " here") {
		err = fmt.Errorf("%w (no zarr.json, .zarray or .zgroup)%s", err, ZipHint(p.Where))
	}
	return FailedAt(p.Root, p.Where, err)
}

// FailedAt adds the location to an error. It first removes the location from the error's text, so
// that the location appears once. where is the node's URL. If where is empty, FailedAt uses root,
// the URL of the store.
func FailedAt(root openurl.Location, where string, err error) error {
	text := err.Error()
	name := StoreName(err)
	for _, n := range []string{name, root.String()} {
		if n != "" {
			text = strings.TrimPrefix(text, fmt.Sprintf("open %q in %s: ", "", n))
			text = strings.ReplaceAll(text, " in "+n+":", ":")
			text = strings.TrimSuffix(text, " in "+n)
		}
	}
	if where == "" {
		where = root.String()
	}
	if strings.HasPrefix(name, where+"?") {
		where = name // contains the endpoint, which may be wrong
	}
	if n, ok := root.Native(); ok && root.Query == "" && !errors.Is(err, context.Canceled) {
		text += fmt.Sprintf("; to use credentials and listings, open it as %s", n.URL())
	}
	return exit.At(where, exit.Reword(text, err))
}

// StoreName returns the name of the store that an error concerns, or "" if the error has none.
func StoreName(err error) string {
	if key, ok := errors.AsType[*fault.KeyError](err); ok {
		return key.Store
	}
	return ""
}

// ZipHint returns a hint on how to open a zip archive if where looks like one, and "" otherwise.
func ZipHint(where string) string {
	if !strings.HasSuffix(strings.ToLower(where), ".zip") {
		return ""
	}
	return fmt.Sprintf("; to open a zip archive, use %q", where+"|zip:")
}

// Where returns a URL in the form for messages, without parameters.
func Where(text string) string {
	l, _ := openurl.Parse(text)
	return l.String()
}

// Below returns the path of node in the store whose root is root. It returns false if the node is
// not below the root.
func Below(root, node openurl.Location) (string, bool) {
	if node.Scheme == "file" {
		rel, err := filepath.Rel(root.Path, node.Path)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return "", false
		}
		if rel == "." {
			return "", true
		}
		return filepath.ToSlash(rel), true
	}
	if root.Path == "" || node.Path == root.Path {
		return strings.TrimPrefix(node.Path, root.Path), true
	}
	return strings.CutPrefix(node.Path, root.Path+"/")
}

// Split returns the location of the group that contains a node, and the name of the node. ok is
// false for a node at the root of a store.
func Split(l openurl.Location) (group openurl.Location, name string, ok bool) {
	if n := len(l.Inside); n > 0 {
		path := strings.TrimRight(l.Inside[n-1], "/")
		i := strings.LastIndexAny(path, "/:")
		if name = path[i+1:]; name == "" {
			return l, "", false
		}
		l.Inside = slices.Clone(l.Inside)
		l.Inside[n-1] = strings.TrimSuffix(path[:i+1], "/")
		return l, name, true
	}
	if l.Scheme == "file" {
		l.Path = filepath.Clean(l.Path)
		if name = filepath.Base(l.Path); name == "." || name == ".." {
			path, err := filepath.Abs(l.Path)
			if err != nil {
				return l, "", false
			}
			l.Path, name = path, filepath.Base(path)
		}
		up, ok := l.Parent()
		return up, name, ok
	}
	path := strings.TrimRight(l.Path, "/")
	up, ok := l.At(path).Parent()
	return up, path[strings.LastIndexByte(path, '/')+1:], ok && l.Host != ""
}

// LastSegment returns the name of the node at a URL.
func LastSegment(where string) string {
	where = strings.TrimRight(where, "/")
	name := where[strings.LastIndexByte(where, '/')+1:]
	if plain, err := url.PathUnescape(name); err == nil && (strings.HasPrefix(where, "http://") || strings.HasPrefix(where, "https://")) {
		return plain
	}
	return name
}

// LocalPath returns the absolute path of a file URL. It returns false for other URLs.
func LocalPath(l openurl.Location) (string, bool) {
	if l.Scheme != "file" || len(l.Inside) > 0 {
		return "", false
	}
	path, err := filepath.Abs(l.Path)
	return path, err == nil
}

// Joined joins the path of a group and a relative path.
func Joined(group, path string) string {
	if group == "" || path == "" {
		return group + path
	}
	return group + "/" + path
}

// WriteFile creates or replaces a file with the contents that fill writes. It writes to a temporary
// file in the same directory, and renames it on success or removes it on failure. If name exists
// and is not a regular file, such as a pipe or a device, WriteFile writes to it directly.
func WriteFile(name string, fill func(io.Writer) error) (err error) {
	mode := os.FileMode(0o666) // before the umask
	old, err := os.Stat(name)
	if err == nil {
		if !old.Mode().IsRegular() {
			return writeInto(name, fill)
		}
		mode = old.Mode().Perm()
	}
	temp := filepath.Join(filepath.Dir(name), ".zargo-tmp-"+rand.Text()[:12])
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = errors.Join(fill(f), f.Close())
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

func writeInto(name string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}
