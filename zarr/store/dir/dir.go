package dir

import (
	"context"
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
	root    string // absolute, without a trailing slash unless it is "/"
	sync    bool
	stripes [stripes]chan struct{}
	stamped atomic.Int64                 // the last modification time given, Unix nanoseconds
	link    func(from, to string) error  // moves a file to a name that must be free; tests take it away
	lock    func(string) (locked, error) // tries to take a lock file; tests take it away
}

// Option changes how a Store works.
type Option struct {
	name  string
	apply func(*Store)
}

// String gives the option as it would be written.
func (o Option) String() string { return o.name }

// Sync says whether Put flushes the value and its folder to the disk before it returns. The default is false.
func Sync(on bool) Option {
	return Option{fmt.Sprintf("Sync(%v)", on), func(s *Store) { s.sync = on }}
}

// New gives the store in the folder root, which need not exist until the first Put. "" is the working folder. A
// relative root is resolved once, here.
func New(root string, opts ...Option) *Store {
	if abs, err := filepath.Abs(root); err == nil { // it fails only if the working folder is gone
		root = abs
	}
	s := &Store{root: filepath.ToSlash(filepath.Clean(root)), link: moveNew, lock: tryLock}
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
	if err != nil {
		return s.failed("delete", key, err)
	}
	release, err := s.exclude(ctx, path, o.IfVersion != "")
	if err != nil {
		if absent(err) {
			err = fault.Newf(fault.Conflict, "there is no value")
		}
		return s.failed("delete", key, err)
	}
	defer release()
	if o.IfVersion != "" {
		if _, err := current(path, o.IfVersion); err != nil {
			return s.failed("delete", key, err)
		}
	}
	if err := remove(path); err != nil && !absent(err) {
		return s.failed("delete", key, err)
	}
	if s.sync {
		if err := syncFolder(folder(path)); err != nil && !absent(err) {
			return s.failed("delete", key, err)
		}
	}
	return nil
}

// remove removes a file and no folder. os.Remove would take an empty folder too.
func remove(path string) error {
	fi, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if fi.IsDir() {
		return nil
	}
	return os.Remove(path)
}

// current gives the file's info if it is at the version, else fault.Conflict.
func current(path string, want store.Version) (info, error) {
	fi, err := os.Stat(path)
	if err == nil && fi.IsDir() || absent(err) {
		return info{}, fault.Newf(fault.Conflict, "there is no value")
	}
	if err != nil {
		return info{}, err
	}
	in, err := infoOf(path, fi)
	if err != nil {
		return info{}, err
	}
	if !in.is(want) {
		return info{}, fault.Newf(fault.Conflict, "it is at version %q, not %q", in.version(), want)
	}
	return in, nil
}
