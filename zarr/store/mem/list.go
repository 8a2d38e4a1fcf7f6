package mem

import (
	"context"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// pageSize is the entries of a page: that of the cloud stores, so that a test over mem turns pages where they do.
const pageSize = 1000

// ListPage implements [store.PageLister]. The token is where the next page starts, so it stays valid while keys come
// and go. A page costs its own entries and a binary search, plus one sort of all keys after keys came or went.
func (s *Store) ListPage(ctx context.Context, prefix string, depth store.Depth, token string) ([]store.Entry, string, error) {
	if err := store.CheckPrefix(prefix); err != nil {
		return nil, "", failed("list", prefix, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, "", failed("list", prefix, err)
	}
	if prefix != "" {
		prefix += "/"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sort()
	var page []store.Entry
	for i := s.seek(max(prefix, token)); i < len(s.sorted) && strings.HasPrefix(s.sorted[i], prefix); {
		key := s.sorted[i]
		if len(page) == pageSize {
			return page, key, nil
		}
		if slash := strings.IndexByte(key[len(prefix):], '/'); depth == store.OneLevel && slash >= 0 {
			dir := key[:len(prefix)+slash]
			page = append(page, store.Entry{Key: dir, Dir: true})
			i = s.seek(dir + "0") // the first key after all of dir + "/": '0' follows '/'
			continue
		}
		v := s.values[key]
		page = append(page, store.Entry{Key: key, Size: int64(len(v.bytes)), Version: v.version})
		i++
	}
	return page, "", nil
}

func (s *Store) sort() {
	if s.sorted != nil {
		return
	}
	s.sorted = make([]string, 0, len(s.values))
	for k := range s.values {
		s.sorted = append(s.sorted, k)
	}
	slices.Sort(s.sorted)
}

func (s *Store) seek(key string) int {
	i, _ := slices.BinarySearch(s.sorted, key)
	return i
}
