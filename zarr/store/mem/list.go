package mem

import (
	"context"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// pageSize is the number of entries per page. It is the same as in the cloud stores, so that tests
// with mem read as many pages as with a cloud store.
const pageSize = 1000

// ListPage implements [store.PageLister]. The token is the first key of the next page, so it
// remains valid if keys are added or removed. A page takes a binary search and time proportional to
// its entries. If keys were added or removed, the next page also takes a sort of all keys.
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	if err := o.Check(prefix); err != nil {
		return nil, "", failed("list", prefix, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, "", failed("list", prefix, err)
	}
	below := prefix
	if below != "" {
		below += "/"
	}
	level := below + o.KeyPrefix
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sort()
	var page []store.Entry
	for i := s.seek(max(level, token, below+o.StartAfter)); i < len(s.sorted) && strings.HasPrefix(s.sorted[i], level); {
		key := s.sorted[i]
		if len(page) == pageSize {
			return page, key, nil
		}
		e := store.Entry{Key: key}
		if slash := strings.IndexByte(key[len(level):], '/'); o.Depth == store.OneLevel && slash >= 0 {
			e = store.Entry{Key: key[:len(level)+slash], Dir: true}
			// Go to the first key after those below the Dir: '0' follows '/'.
			i = s.seek(e.Key + "0")
		} else {
			v := s.values[key]
			e.Size, e.Version = int64(len(v.bytes)), v.version
			i++
		}
		if o.Match(prefix, e) {
			page = append(page, e)
		}
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
