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

// stripes is how many keys can be written at once in a process before two wait for each other
// needlessly.
const stripes = 64

// locked is a lock that is held.
type locked interface{ release() }

// lockers take locks that the kernel frees when their holder dies. Each returns nil without an
// error when another process or Store holds the lock, or held it until just now, and
// errors.ErrUnsupported when there are no locks to rely on.
type lockers struct {
	// value locks the file of a value itself. Any other error than ErrUnsupported leaves open what
	// is at the path. It is nil where a locked file could not be read and replaced.
	value func(t tree, path string) (locked, error)
	// name locks a file that is made for the purpose.
	name func(t tree, path string) (locked, error)
}

// errFolder says that a folder is in a value's place.
var errFolder = errors.New("there are keys below it, or an empty folder")

// hold keeps all other writers of this machine away from a key.
type hold struct {
	stripe chan struct{}
	l      locked // nil when the name is free or there are no locks
	free   bool   // the name was free. Others may take it, but only as long as it is free
}

func (h hold) release() {
	if h.l != nil {
		h.l.release()
	}
	<-h.stripe
}

// exclude waits until no other writer, in this Store or in another process, is between the look and
// the act of a write to the file at path.
//
// The lock is a flock on the value's own file. Whoever gets it and finds another file under the
// name by then, or none, begins again. A name that is free is not locked: it is taken by link(2),
// which fails if another took it first. So the usual write makes no lock file and leaves none. What
// is no regular file, such as a symbolic link, has a lock file beside it, and so has every value on
// Windows, where a file that is open could not be replaced.
//
// errors.ErrUnsupported comes with a hold of the stripe alone, with which an unconditional write
// goes on.
func (s *Store) exclude(ctx context.Context, t tree, path string) (hold, error) {
	hash := fnv.New64a()
	hash.Write([]byte(strings.ToLower(path))) // file systems may ignore case
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

// excludeNew is for a name that was free and cannot be taken by a link. The hold has its stripe.
func (s *Store) excludeNew(ctx context.Context, t tree, path string, h *hold) error {
	return poll(ctx, func() (done bool, err error) {
		h.l, err = s.lock.name(t, lockName(path))
		return h.l != nil, err
	})
}

// poll asks again and again rather than wait in the kernel, because that wait could not be
// cancelled; the holder keeps a lock for a look and a rename.
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

// try takes the lock of the file at path, or finds that the name is free. It has neither when
// another has the lock.
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
		if absent(err) || escapes(err) { // it was not a moment ago
			err = nil
		}
		return nil, false, err
	}
	if l, err = s.lock.name(t, lockName(path)); l == nil || s.lock.value == nil {
		return l, false, err
	}
	// A value takes the place of what is none under this lock only. So if there is none now, none
	// will come.
	if fi, err = t.lstat(path); err == nil && !fi.IsDir() && !fi.Mode().IsRegular() {
		return l, false, nil
	}
	l.release()
	return nil, false, nil
}

// lockName depends on the last segment and the folder alone, so that stores with other roots agree
// on it.
func lockName(path string) string {
	dir := folder(path)
	h := fnv.New64a()
	h.Write([]byte(strings.ToLower(path[len(dir):])))
	return fmt.Sprintf("%s/%slock-%016x", dir, hidden, h.Sum64())
}
