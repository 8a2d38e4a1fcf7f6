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

// stripes is the number of mutexes, which are assigned to keys by a hash. Writes to keys with the
// same mutex are not concurrent within a process.
const stripes = 64

// locked is a held lock.
type locked interface{ release() }

// lockers has functions that take locks. The kernel releases a lock if the process that holds it
// dies. A function returns nil without an error if another process or Store holds the lock or has
// just released it, and errors.ErrUnsupported if locks are not reliable.
type lockers struct {
	// value locks the file of a value. After an error other than ErrUnsupported, the caller must
	// examine the path. The function is nil on systems that cannot read and replace a locked file.
	value func(t tree, path string) (locked, error)
	// name locks a lock file. It creates the file if needed.
	name func(t tree, path string) (locked, error)
}

// errFolder is the error for a directory at the path of a value.
var errFolder = errors.New("the key is a directory")

// hold is the right to write a key. It excludes all other writers on this machine.
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

// exclude takes the lock for a write to the file at path. It waits while another writer, in this
// process or in another, holds the lock for its check and rename.
//
// The lock is a flock on the value's own file. A writer that gets the lock starts over if the name
// now has another file or none. An unused name is not locked: link(2) takes the name, and fails if
// another writer was first. Ordinary writes therefore create no lock files. For special files, such
// as symbolic links, the lock is a lock file next to the file. On Windows this is so for all
// values, because an open file cannot be replaced.
//
// If locks are not reliable, exclude returns errors.ErrUnsupported and a hold that excludes only
// writers of this Store. An unconditional write can proceed with this hold.
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

// excludeNew locks an unused name on a file system without hard links. h must already have the
// stripe of the key.
func (s *Store) excludeNew(ctx context.Context, t tree, path string, h *hold) error {
	return poll(ctx, func() (done bool, err error) {
		h.l, err = s.lock.name(t, lockName(path))
		return h.l != nil, err
	})
}

// poll calls try repeatedly, with short waits, until it is done or fails. A wait for the lock in
// the kernel could not be cancelled. The waits are short because a lock is held only during a check
// and a rename.
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

// try takes the lock of the file at path and returns it. free reports that the name is unused and
// needs no lock. If another writer holds the lock, try returns nil and false.
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
	// Writers replace a special file by a value only under this lock. A file that is special now
	// stays special while the lock is held.
	if fi, err = t.lstat(path); err == nil && !fi.IsDir() && !fi.Mode().IsRegular() {
		return l, false, nil
	}
	l.release()
	return nil, false, nil
}

// lockName returns the path of the lock file for the file at path. It depends only on the path of
// the file, so that stores with different roots use the same lock file.
func lockName(path string) string {
	dir := folder(path)
	h := fnv.New64a()
	h.Write([]byte(strings.ToLower(path[len(dir):])))
	return fmt.Sprintf("%s/%slock-%016x", dir, hidden, h.Sum64())
}
