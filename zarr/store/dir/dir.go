package dir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// hidden begins the names of temporary and lock files.
const hidden = ".zargo-tmp-"

// Store is a store in a folder. Make it with [New].
type Store struct {
	root     string // absolute, without a trailing slash unless it is "/"
	sync     bool
	confined bool
	stripes  [stripes]chan struct{}
	stamped  atomic.Int64                // the last modification time given, Unix nanoseconds
	seen     atomic.Pointer[os.FileInfo] // the root, once something was found in it or put there

	// What tests replace.
	link   func(t tree, from, to string) error // moves a file to a name that must be free
	lock   lockers
	remote func(fd int) string // names a file system whose locks are not to be relied on; nil with TrustLocks
}

// Option changes how a Store works.
type Option struct {
	name  string
	apply func(*Store)
}

// String gives the option as it would be written.
func (o Option) String() string { return o.name }

// Sync says whether Put flushes the value and its folder to the disk before it returns. The default
// is false.
func Sync(on bool) Option {
	return Option{name("Sync", on), func(s *Store) { s.sync = on }}
}

// TrustLocks says whether flock is relied on also on network file systems and FUSE, where
// conditions on versions are errors.ErrUnsupported otherwise: on NFS for instance, another
// machine's write may not be seen at once although its lock is. It is for file systems of which you
// know that locks and names hold between all machines that write, and for those that only one
// machine writes. Give it in all processes that write. The default is false. On Windows it changes
// nothing.
func TrustLocks(on bool) Option {
	return Option{name("TrustLocks", on), func(s *Store) {
		if s.remote = remote; on {
			s.remote = nil
		}
	}}
}

func name(option string, on bool) string { return fmt.Sprintf("%s(%v)", option, on) }

// New gives the store in the folder root, which need not exist until the first Put. "" is the
// working folder. A relative root is resolved once, here.
func New(root string, opts ...Option) *Store {
	if abs, err := filepath.Abs(root); err == nil { // it fails only if the working folder is gone
		root = abs
	}
	s := &Store{root: filepath.ToSlash(filepath.Clean(root)), link: tree.moveNew, remote: remote}
	s.lock = s.lockers()
	for i := range s.stripes {
		s.stripes[i] = make(chan struct{}, 1)
	}
	for _, o := range opts {
		o.apply(s)
	}
	return s
}

// String gives the path of the folder.
func (s *Store) String() string { return s.root }

// Close does nothing: no descriptor outlives a call.
func (s *Store) Close() error { return nil }

// path gives the file of a key that is checked.
func (s *Store) path(ctx context.Context, key string) (string, error) {
	if err := store.CheckKey(key); err != nil {
		return "", err
	}
	if err := s.checkNames(key); err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return s.join(key), nil
}

func (s *Store) checkNames(key string) error {
	if strings.HasPrefix(key, hidden) || strings.Contains(key, "/"+hidden) {
		return fault.Newf(fault.Path, "names that begin with %q are kept for temporary files", hidden)
	}
	return checkNames(key)
}

func (s *Store) join(key string) string {
	if s.root == "/" {
		return "/" + key
	}
	return s.root + "/" + key
}

// folder gives the path up to the last slash.
func folder(path string) string { return path[:max(1, strings.LastIndexByte(path, '/'))] }

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	path, err := s.path(ctx, key)
	if err == nil {
		err = s.delete(ctx, path, o)
	}
	if err != nil {
		return s.failed("delete", key, err)
	}
	return nil
}

func (s *Store) delete(ctx context.Context, path string, o store.DeleteOptions) error {
	t, err := s.enter(false)
	if err != nil {
		return err
	}
	defer t.close()
	in := t
	if !o.AsPut {
		own, err := s.ownFolder(path)
		if link := (*linkError)(nil); errors.As(err, &link) {
			err = s.behindLink(t, path, link)
			return nothing(err, o)
		}
		if absent(err) {
			return nothing(s.provenNone(t, path), o)
		}
		if err != nil {
			return err
		}
		defer own.close()
		in = own
	}
	h, err := s.exclude(ctx, in, path)
	switch {
	case errors.Is(err, errors.ErrUnsupported) && o.IfVersion == "":
	case errors.Is(err, errors.ErrUnsupported):
		h.release()
		return err
	case err == errFolder:
		return nothing(s.still(t), o)
	case err != nil:
		return err
	}
	defer h.release()
	if h.free {
		return nothing(s.provenNone(t, path), o)
	}
	if o.IfVersion != "" {
		if err := s.pinned(t, in, path, o.IfVersion); err != nil {
			return err
		}
	}
	if err := remove(in, path); err != nil && !absent(err) {
		return err
	}
	s.mark(t)
	if s.sync {
		if err := syncFolder(in, folder(path)); err != nil && !absent(err) {
			return err
		}
	}
	return nil
}

// nothing is the result of a delete where there is nothing to delete, if err proves that.
func nothing(err error, o store.DeleteOptions) error {
	if err == nil && o.IfVersion != "" {
		err = fault.Newf(fault.Conflict, "there is no value")
	}
	return err
}

// provenNone is proven for a delete: below a value there is none.
func (s *Store) provenNone(t tree, path string) error {
	err := s.proven(t, path)
	if errors.Is(err, errFile) {
		err = nil
	}
	return err
}

// pinned compares the version of what is deleted in its folder. A link has that of the value that
// it leads to, as for readers.
func (s *Store) pinned(t, in tree, path string, want store.Version) error {
	if fi, err := in.lstat(path); err == nil && fi.Mode()&os.ModeSymlink != 0 {
		in = t
	}
	_, err := current(in, path, want)
	return err
}

// remove removes a file and no folder. os.Remove would take an empty folder too.
func remove(t tree, path string) error {
	fi, err := t.lstat(path)
	if err != nil {
		return err
	}
	if fi.IsDir() {
		return nil
	}
	return t.remove(path)
}

// current gives the file's info if it is at the version, else fault.Conflict.
func current(t tree, path string, want store.Version) (info, error) {
	fi, err := t.stat(path)
	if err == nil && fi.IsDir() || absent(err) {
		return info{}, fault.Newf(fault.Conflict, "there is no value")
	}
	if err != nil {
		return info{}, err
	}
	in, err := infoOf(t, path, fi)
	if err != nil {
		return info{}, err
	}
	if !in.is(want) {
		return info{}, fault.Newf(fault.Conflict, "it is at version %q, not %q", in.version(), want)
	}
	return in, nil
}
