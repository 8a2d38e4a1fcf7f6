package dir

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"
)

// stripes is how many keys can be written at once in a process before two wait for each other needlessly.
const stripes = 64

// locked is a lock file that is held.
type locked interface{ release() }

// exclude waits until nobody else in this Store writes the key's file and, if across, until no other process does
// so by a condition. An absent folder is an error for which absent holds.
func (s *Store) exclude(ctx context.Context, path string, across bool) (release func(), err error) {
	h := fnv.New64a()
	h.Write([]byte(strings.ToLower(path))) // file systems may ignore case
	stripe := s.stripes[h.Sum64()%stripes]
	select {
	case stripe <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !across {
		return func() { <-stripe }, nil
	}
	l, err := s.await(ctx, lockName(path))
	if err != nil {
		<-stripe
		return nil, err
	}
	return func() { l.release(); <-stripe }, nil
}

// lockName depends on the last segment and the folder alone, so that stores with other roots agree on it.
func lockName(path string) string {
	dir := folder(path)
	h := fnv.New64a()
	h.Write([]byte(strings.ToLower(path[len(dir):])))
	return fmt.Sprintf("%s/%slock-%016x", dir, hidden, h.Sum64())
}

// await tries for the lock until it has it. It asks rather than waits in the kernel, because that wait could not be
// cancelled; the holder keeps the lock for a look and a rename.
func (s *Store) await(ctx context.Context, name string) (locked, error) {
	for wait := 50 * time.Microsecond; ; wait = min(2*wait, 5*time.Millisecond) {
		l, err := s.lock(name)
		if l != nil || err != nil {
			return l, err
		}
		timer := time.NewTimer(wait/2 + rand.N(wait))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}
