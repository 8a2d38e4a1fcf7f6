package dir

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"
)

// stripes is the number of mutexes. A process cannot write keys of the same stripe concurrently.
const stripes = 64

// locked is a held lock.
type locked interface{ release() }

// lockers take locks that the kernel releases if their holder dies. Each function returns nil
// without an error if another process or Store holds the lock or has just released it. It returns
// errors.ErrUnsupported if there are no reliable locks.
type lockers struct {
	// value locks the file of a value. Errors other than ErrUnsupported do not imply anything about
	// the file at the path. value is nil on systems that cannot read and replace a locked file.
	value func(t tree, path string) (locked, error)
	// name locks a lock file. It creates the file if needed.
	name func(t tree, path string) (locked, error)
}

// errFolder is the error for a directory at the path of a value.
var errFolder = errors.New("the key is a directory")

// hold excludes all other writers of this machine from a key.
type hold struct {
	stripe chan struct{}
	l      locked // nil if the name is unused or there are no locks
	free   bool   // set if the name was unused; other writers may still take it, but not replace it
}

func (h hold) release() {
	if h.l != nil {
		h.l.release()
	}
	<-h.stripe
}

// exclude waits until no other writer, in this Store or in another process, is between the check
// and the rename of a write to the file at path.
//
// The lock is a flock on the value's own file. If a writer gets the lock and the name now has
// another file or none, it starts over. An unused name is not locked. link(2) takes it, and fails
// if another writer was first. So an ordinary write creates no lock file. Special files, such as
// symbolic links, have a lock file next to them. On Windows all values have one, because an open
// file cannot be replaced.
//
// If there are no reliable locks, exclude returns errors.ErrUnsupported and a hold of only the
// stripe. An unconditional write can proceed with it.
func (s *Store) exclude(ctx context.Context, t tree, path string) (hold, error) {
	hash := fnv.New64a()
	hash.Write([]byte(strings.ToLower(path))) // for file systems that ignore case
	h := hold{stripe: s.stripes[hash.Sum64()%stripes]}
	select {
	case h.stripe <- struct{}{}:
	case <-ctx.Done():
		return hold{}, ctx.Err()
	}
	err := poll(ctx, func() (done bool, err error) {
		h.l, h.free, err = s.try(t, path)
		return h.l != nil || h.free, err
	})
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		<-h.stripe
		return hold{}, err
	}
	return h, err
}

// excludeNew locks an unused name on a file system without links. h already has its stripe.
func (s *Store) excludeNew(ctx context.Context, t tree, path string, h *hold) error {
	return poll(ctx, func() (done bool, err error) {
		h.l, err = s.lock.name(t, lockName(path))
		return h.l != nil, err
	})
}

// poll calls try repeatedly, with short waits, because a wait in the kernel could not be cancelled.
// Locks are held only during a check and a rename.
func poll(ctx context.Context, try func() (done bool, err error)) error {
	for wait := 50 * time.Microsecond; ; wait = min(2*wait, 5*time.Millisecond) {
		if done, err := try(); done || err != nil {
			return err
		}
		timer := time.NewTimer(wait/2 + rand.N(wait))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// try takes the lock of the file at path, or reports that the name is unused. It does neither if
// another writer has the lock.
func (s *Store) try(t tree, path string) (l locked, free bool, err error) {
	if s.lock.value != nil {
		if l, err = s.lock.value(t, path); l != nil || err == nil || errors.Is(err, errors.ErrUnsupported) {
			return l, false, err
		}
	}
	fi, statErr := t.lstat(path)
	switch {
	case absent(statErr):
		return nil, true, nil
	case statErr != nil:
		return nil, false, statErr
	case fi.IsDir():
		return nil, false, errFolder
	case fi.Mode().IsRegular() && s.lock.value != nil:
		if absent(err) || escapes(err) { // the file existed at the previous check
			err = nil
		}
		return nil, false, err
	}
	if l, err = s.lock.name(t, lockName(path)); l == nil || s.lock.value == nil {
		return l, false, err
	}
	// A special file is replaced by a value only under this lock. So while the lock is held, a
	// special file remains one.
	if fi, err = t.lstat(path); err == nil && !fi.IsDir() && !fi.Mode().IsRegular() {
		return l, false, nil
	}
	l.release()
	return nil, false, nil
}

// lockName returns the path of a lock file. It depends only on the directory and the last segment,
// so that stores with other roots use the same file.
func lockName(path string) string {
	dir := folder(path)
	h := fnv.New64a()
	h.Write([]byte(strings.ToLower(path[len(dir):])))
	return fmt.Sprintf("%s/%slock-%016x", dir, hidden, h.Sum64())
}
