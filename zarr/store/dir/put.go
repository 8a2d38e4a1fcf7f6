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

// Put implements [store.Store]. doc.go tells what is atomic towards whom.
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
	if err := early(path, o); err != nil {
		return "", err
	}
	temp, in, err := s.write(path, b)
	if err != nil {
		return "", blocked(err)
	}
	if err = ctx.Err(); err == nil {
		switch {
		case o.IfAbsent:
			err = s.placeNew(ctx, temp, path)
		case o.IfVersion != "":
			in, err = s.placeOver(ctx, temp, path, in, o.IfVersion)
		default:
			err = s.place(ctx, temp, path)
		}
	}
	if err != nil {
		_ = os.Remove(temp)
		return "", err
	}
	if s.sync {
		if err := syncFolder(folder(path)); err != nil {
			return "", err
		}
	}
	return in.version(), nil
}

// early refuses what is bound to fail before the value is written.
func early(path string, o store.PutOptions) error {
	if o.IfVersion != "" {
		_, err := current(path, o.IfVersion)
		return err
	}
	if o.IfAbsent {
		if f, err := os.Lstat(path); err == nil {
			return taken(f)
		}
	}
	return nil
}

// write writes a new temporary file beside path.
func (s *Store) write(path string, b []byte) (temp string, in info, err error) {
	dir := folder(path)
	var f *os.File
	for try := 0; ; try++ {
		temp = fmt.Sprintf("%s/%s%016x", dir, hidden, rand.Uint64())
		f, err = os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			break
		}
		if try == 3 || !errors.Is(err, fs.ErrNotExist) {
			return "", in, err
		}
		if err := s.makeFolder(dir); err != nil { // others may remove it again, so try more than once
			return "", in, err
		}
	}
	_, err = f.Write(b)
	if err == nil && s.sync {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		in, err = s.stamp(temp, 0)
	}
	if err != nil {
		_ = os.Remove(temp)
		return "", in, err
	}
	return temp, in, nil
}

func (s *Store) makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil || !s.sync {
		return err
	}
	for d := dir; ; d = folder(d) {
		if err := syncFolder(d); err != nil {
			return err
		}
		if len(d) < len(s.root) || len(d) == 1 {
			return nil
		}
	}
}

// stamp gives the file a modification time that this Store gave to none before and is not before after.
func (s *Store) stamp(path string, after int64) (info, error) {
	const step = 100 // nanoseconds: the finest that NTFS keeps
	now := max(time.Now().UnixNano(), after)
	for {
		last := s.stamped.Load()
		now = max(now, last+step)
		if s.stamped.CompareAndSwap(last, now) {
			break
		}
	}
	_ = os.Chtimes(path, time.Time{}, time.Unix(0, now)) // where that is refused, the kernel's time stands; placeOver looks
	fi, err := os.Lstat(path)
	if err != nil {
		return info{}, err
	}
	return infoOf(path, fi)
}

// place renames. Within this Store it waits for conditional writes of the key.
func (s *Store) place(ctx context.Context, temp, path string) error {
	release, err := s.exclude(ctx, path, false)
	if err != nil {
		return err
	}
	defer release()
	return blocked(rename(temp, path))
}

// placeOver renames if path is at the version, under the key's lock.
func (s *Store) placeOver(ctx context.Context, temp, path string, in info, want store.Version) (info, error) {
	release, err := s.exclude(ctx, path, true)
	if err != nil {
		if absent(err) { // the folder is gone
			err = fault.Newf(fault.Conflict, "there is no value")
		}
		return in, err
	}
	defer release()
	old, err := current(path, want)
	if err != nil {
		return in, err
	}
	// The times of one key only go up, by what the file system can tell apart; then no version comes back.
	for _, step := range []time.Duration{time.Microsecond, time.Millisecond, time.Second, 2 * time.Second} {
		if in.mtime > old.mtime {
			return in, blocked(rename(temp, path))
		}
		if in, err = s.stamp(temp, old.mtime+int64(step)); err != nil {
			return in, err
		}
	}
	if in.mtime > old.mtime {
		return in, blocked(rename(temp, path))
	}
	return in, fault.Newf(errors.ErrUnsupported, "the file system does not keep the times it is given")
}

// placeNew moves temp to path if that name is free.
func (s *Store) placeNew(ctx context.Context, temp, path string) error {
	err := s.link(temp, path)
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		if f, err := os.Lstat(path); err == nil {
			return taken(f)
		}
		return fault.Exists // a moment ago
	}
	if !noLinks(err) {
		return blocked(err)
	}
	release, err := s.exclude(ctx, path, true)
	if err != nil {
		return err
	}
	defer release()
	if f, err := os.Lstat(path); err == nil {
		return taken(f)
	} else if !absent(err) {
		return err
	}
	return blocked(rename(temp, path))
}

// taken says what is at a name that was to be free. A folder is no value: who reads the key finds it absent, and must not
// be told that somebody else wrote it.
func taken(f os.FileInfo) error {
	if f.IsDir() {
		return fault.Newf(fault.Path, "there are keys below it, or an empty folder")
	}
	return fault.Exists
}

// noLinks tells whether the file system has no links: FAT, and many in user space.
func noLinks(err error) bool {
	for _, e := range []error{syscall.EPERM, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EMLINK, errors.ErrUnsupported} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
