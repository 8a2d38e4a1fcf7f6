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

// Store is a store in a directory. Use [New] to make one.
type Store struct {
	root     string // absolute, without a trailing slash unless it is "/"
	sync     bool
	confined bool
	stripes  [stripes]chan struct{}
	stamped  atomic.Int64                // latest modification time set, in Unix nanoseconds
	seen     atomic.Pointer[os.FileInfo] // the root, recorded when a value was found or written

	// Tests replace the fields below.
	link   func(t tree, from, to string) error // moves a file to an unused name
	lock   lockers
	remote func(fd int) string // names a file system with unreliable locks; nil with TrustLocks
}

// hidden is the prefix of the names of temporary files and lock files.
const hidden = ".zargo-tmp-"

// Option configures a Store.
type Option struct {
	name  string
	apply func(*Store)
}

// String returns the option as Go source.
func (o Option) String() string { return o.name }

// Sync makes Put flush the value and its directory to disk before it returns. The default is false.
func Sync(on bool) Option {
	return Option{name("Sync", on), func(s *Store) { s.sync = on }}
}

// TrustLocks makes the Store use flock on network file systems and FUSE too. By default, writes
// with a condition on the version return errors.ErrUnsupported on these file systems, because a
// write of another machine may become visible later than its lock. Set TrustLocks for file systems
// whose locks and names are known to be consistent between all writing machines, and for file
// systems to which only one machine writes. It must be set in all processes that write, and has no
// effect on Windows. The default is false.
func TrustLocks(on bool) Option {
	return Option{name("TrustLocks", on), func(s *Store) {
		if s.remote = remote; on {
			s.remote = nil
		}
	}}
}

func name(option string, on bool) string { return fmt.Sprintf("%s(%v)", option, on) }

// New returns the store in the directory root. The first Put creates the directory if needed. An
// empty root means the working directory. New makes a relative root absolute, so a later change of
// the working directory does not matter.
func New(root string, opts ...Option) *Store {
	if abs, err := filepath.Abs(root); err == nil { // it fails only if there is no working directory
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

// String returns the path of the directory.
func (s *Store) String() string { return s.root }

// Close does nothing, because the Store opens and closes its files in each call.
func (s *Store) Close() error { return nil }

// path returns the path of the file for a key. It checks the key and the context.
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
		return fault.Newf(fault.Path, "names that start with %q are reserved for temporary files", hidden)
	}
	return checkNames(key)
}

func (s *Store) join(key string) string {
	if s.root == "/" {
		return "/" + key
	}
	return s.root + "/" + key
}

// folder returns the path of the parent directory of path.
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
			return deletedNone(err, o)
		}
		if absent(err) {
			return deletedNone(s.provenNone(t, path), o)
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
		return deletedNone(s.checkRoot(t), o)
	case err != nil:
		return err
	}
	defer h.release()
	if h.free {
		return deletedNone(s.provenNone(t, path), o)
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

// deletedNone returns the result of a Delete that found no file. err must be nil if the key is
// proven absent, and otherwise the reason why not.
func deletedNone(err error, o store.DeleteOptions) error {
	if err == nil && o.IfVersion != "" {
		err = fault.Newf(fault.Conflict, "the key has no value")
	}
	return err
}

// provenNone is the variant of proven for deletes. A key below a file also counts as absent.
func (s *Store) provenNone(t tree, path string) error {
	err := s.proven(t, path)
	if errors.Is(err, errFile) {
		err = nil
	}
	return err
}

// pinned returns fault.Conflict if the file to be deleted does not have the version "want". As for
// readers, the version of a link is the version of its target.
func (s *Store) pinned(t, in tree, path string, want store.Version) error {
	if fi, err := in.lstat(path); err == nil && fi.Mode()&os.ModeSymlink != 0 {
		in = t
	}
	_, err := current(in, path, want)
	return err
}

// remove removes a file. It keeps directories, unlike os.Remove, which removes empty directories.
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

// current returns the info of the file at path. It returns fault.Conflict if the file does not
// exist or its version is not want.
func current(t tree, path string, want store.Version) (info, error) {
	fi, err := t.stat(path)
	if err == nil && fi.IsDir() || absent(err) {
		return info{}, fault.Newf(fault.Conflict, "the key has no value")
	}
	if err != nil {
		return info{}, err
	}
	in, err := infoOf(t, path, fi)
	if err != nil {
		return info{}, err
	}
	if !in.is(want) {
		return info{}, fault.Newf(fault.Conflict, "the value has version %q, not %q", in.version(), want)
	}
	return in, nil
}
