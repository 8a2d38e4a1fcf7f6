package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"syscall"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Put implements [store.Store]. The package documentation describes how a Put is atomic.
func (s *Store) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	v, err := s.put(ctx, key, b, o)
	if err != nil {
		return "", s.failed("put", key, err)
	}
	return v, nil
}

func (s *Store) put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	path, err := s.path(ctx, key)
	if err != nil {
		return "", err
	}
	if o.IfAbsent && o.IfVersion != "" {
		return "", fault.Newf(fault.Selection, "both IfAbsent and IfVersion are set")
	}
	t, err := s.enter(o.IfVersion == "")
	if err != nil {
		return "", err
	}
	defer t.close()
	if err := s.checkRoot(t); err != nil {
		return "", err
	}
	if err := early(t, path, o); err != nil {
		return "", err
	}
	temp, in, err := s.write(t, path, b)
	if err != nil {
		return "", blocked(err)
	}
	v, err := s.settle(ctx, t, temp, path, in, o)
	if err != nil {
		_ = t.remove(temp)
	}
	return v, err
}

// settle moves a temporary file to path, subject to the condition in o.
func (s *Store) settle(ctx context.Context, t tree, temp, path string, in info, o store.PutOptions) (store.Version, error) {
	err := ctx.Err()
	if err == nil {
		switch {
		case o.IfAbsent:
			err = s.placeNew(ctx, t, temp, path)
		case o.IfVersion != "":
			in, err = s.placeOver(ctx, t, temp, path, in, o.IfVersion)
		default:
			err = s.place(ctx, t, temp, path)
		}
	}
	if err != nil {
		return "", blocked(err)
	}
	s.mark(t)
	if s.sync {
		if err := syncFolder(t, folder(path)); err != nil {
			return "", err
		}
	}
	return in.version(), nil
}

// early returns errors that can be detected before the value is written.
func early(t tree, path string, o store.PutOptions) error {
	if o.IfVersion != "" {
		_, err := current(t, path, o.IfVersion)
		return err
	}
	if o.IfAbsent {
		if f, err := t.lstat(path); err == nil {
			return taken(f)
		}
	}
	return nil
}

// write writes b to a new temporary file in the directory of path.
func (s *Store) write(t tree, path string, b []byte) (temp string, in info, err error) {
	dir := folder(path)
	var f file
	for try := 0; ; try++ {
		temp = fmt.Sprintf("%s/%s%016x", dir, hidden, rand.Uint64())
		f, err = t.create(temp)
		if err == nil {
			break
		}
		if try == 3 || !errors.Is(err, fs.ErrNotExist) {
			return "", in, err
		}
		if err := s.proven(t, path); err != nil && !errors.Is(err, errFile) {
			return "", in, err
		}
		// RemoveFolders may remove the new directory before the file is created in it. Then try
		// again.
		if err := s.makeFolder(t, dir); err != nil {
			return "", in, err
		}
	}
	err = f.write(b)
	if err == nil && s.sync {
		err = f.sync()
	}
	err = errors.Join(err, f.close())
	if err == nil {
		in, err = s.stamp(t, temp, 0)
	}
	if err != nil {
		_ = t.remove(temp)
		return "", in, err
	}
	return temp, in, nil
}

func (s *Store) makeFolder(t tree, dir string) error {
	if err := t.mkdirAll(dir); err != nil || !s.sync {
		return err
	}
	for d := dir; ; d = folder(d) {
		at := t
		if len(d) <= len(s.root) { // d is the root or one of its parents
			at = plain{}
		}
		if err := syncFolder(at, d); err != nil {
			return err
		}
		if len(d) < len(s.root) || len(d) == 1 {
			return nil
		}
	}
}

// stamp sets the file's modification time to a time that this Store has never set before. The time
// is not less than earliest.
func (s *Store) stamp(t tree, path string, earliest int64) (info, error) {
	const step = 100 // nanoseconds, the resolution of NTFS
	now := max(time.Now().UnixNano(), earliest)
	for {
		last := s.stamped.Load()
		now = max(now, last+step)
		if s.stamped.CompareAndSwap(last, now) {
			break
		}
	}
	// If the system refuses to set the time, the file keeps the time that the kernel has set.
	// placeOver checks this time.
	_ = t.chtimes(path, time.Unix(0, now))
	fi, err := t.lstat(path)
	if err != nil {
		return info{}, err
	}
	return infoOf(t, path, fi)
}

// place moves temp to path and replaces an existing file. It takes the lock that conditional writes
// take. Without the lock, a conditional write that has already checked the version would overwrite
// the new value.
func (s *Store) place(ctx context.Context, t tree, temp, path string) error {
	for {
		done, err := s.placeOnce(ctx, t, temp, path)
		if done || err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// placeOnce makes one attempt of place. done is false if another writer has taken an unused name in
// the meantime.
func (s *Store) placeOnce(ctx context.Context, t tree, temp, path string) (done bool, err error) {
	h, err := s.exclude(ctx, t, path)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return false, err
	}
	defer func() { h.release() }()
	if err != nil || !h.free {
		return true, rename(t, temp, path) // without locks there are no conditional writes
	}
	err = s.link(t, temp, path)
	if err == nil || !errors.Is(err, fs.ErrExist) && !noLinks(err) {
		return true, err
	}
	if noLinks(err) {
		if err = s.excludeNew(ctx, t, path, &h); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return false, err
		}
		if _, statErr := t.lstat(path); err != nil || absent(statErr) {
			return true, rename(t, temp, path)
		}
	}
	return false, nil
}

// placeOver replaces the file at path by temp if the version of the file is "want". It takes the
// lock of the key.
func (s *Store) placeOver(ctx context.Context, t tree, temp, path string, in info, want store.Version) (info, error) {
	h, err := s.exclude(ctx, t, path)
	if errors.Is(err, errors.ErrUnsupported) {
		h.release()
	}
	if absent(err) || err == errFolder {
		err = fault.Newf(fault.Conflict, "the key has no value")
	}
	if err != nil {
		return in, err
	}
	defer h.release()
	old, err := current(t, path, want)
	if err != nil {
		return in, err
	}
	// The new time must be later than the old time at the resolution of the file system, so that no
	// version is used twice.
	for _, step := range []time.Duration{time.Microsecond, time.Millisecond, time.Second, 2 * time.Second} {
		if in.mtime > old.mtime {
			return in, rename(t, temp, path)
		}
		if in, err = s.stamp(t, temp, old.mtime+int64(step)); err != nil {
			return in, err
		}
	}
	if in.mtime > old.mtime {
		return in, rename(t, temp, path)
	}
	return in, fault.Newf(errors.ErrUnsupported, "the file system does not store modification times")
}

// placeNew moves temp to path if no file has this path. Otherwise it returns an error.
func (s *Store) placeNew(ctx context.Context, t tree, temp, path string) error {
	err := s.link(t, temp, path)
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		if f, err := t.lstat(path); err == nil {
			return taken(f)
		}
		return fault.Exists // the value existed at the previous check
	}
	if !noLinks(err) {
		return err
	}
	h, err := s.exclude(ctx, t, path)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		h.release()
		return err
	case err != nil:
		return err
	}
	defer func() { h.release() }()
	if !h.free {
		if f, err := t.lstat(path); err == nil {
			return taken(f)
		}
		return fault.Exists
	}
	if err := s.excludeNew(ctx, t, path, &h); err != nil {
		return err
	}
	if f, err := t.lstat(path); err == nil {
		return taken(f)
	} else if !absent(err) {
		return err
	}
	return rename(t, temp, path)
}

// taken returns the error for a name that should be unused. For a directory the error is not
// fault.Exists, because readers of the key would not find a value.
func taken(f os.FileInfo) error {
	if f.IsDir() {
		return fault.Newf(fault.Path, "the key is a directory")
	}
	return fault.Exists
}

// noLinks reports whether err means that the file system lacks hard links. Examples are FAT and
// many file systems in user space.
func noLinks(err error) bool {
	for _, e := range []error{syscall.EPERM, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EMLINK, errors.ErrUnsupported} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
