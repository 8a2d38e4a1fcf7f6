package gcs

import (
	"context"
	"errors"
	"strconv"
	"strings"

	gcsapi "cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"github.com/zargo-io/zargo/zarr/store"
)

// list returns one page and the token of the next.
func (b *bucket) list(ctx context.Context, q *gcsapi.Query, size int, token string) ([]*gcsapi.ObjectAttrs, string, error) {
	return b.listWith(ctx, q, size, token, "Name", "Size", "Generation")
}

// maxEmpty is the maximum number of requests for one page. If many objects were deleted, GCS sends
// pages without entries.
const maxEmpty = 100

// listWith is like list, but returns the given attributes.
func (b *bucket) listWith(ctx context.Context, q *gcsapi.Query, size int, token string, attrs ...string) ([]*gcsapi.ObjectAttrs, string, error) {
	if err := q.SetAttrSelection(attrs); err != nil {
		return nil, "", err
	}
	x := b.exchange()
	x.limit = maxEmpty
	it := b.handle.Objects(x.under(ctx), q)
	info := it.PageInfo()
	info.MaxSize, info.Token = size, token
	var page []*gcsapi.ObjectAttrs
	for {
		o, err := it.Next()
		if errors.Is(err, iterator.Done) {
			return page, "", nil
		}
		if err != nil {
			return nil, "", settled(x.explain(err, false))
		}
		page = append(page, o)
		if info.Remaining() == 0 {
			return page, info.Token, nil
		}
	}
}

// listPage sends objects.list for one page, requesting only the fields of an Entry.
func (b *bucket) listPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	q := &gcsapi.Query{Prefix: b.prefix, Projection: gcsapi.ProjectionNoACL}
	if prefix != "" {
		q.Prefix += prefix + "/"
	}
	if o.StartAfter != "" {
		q.StartOffset = q.Prefix + o.StartAfter // inclusive; the Store drops an equal key
	}
	q.Prefix += o.KeyPrefix
	if o.Depth == store.OneLevel {
		q.Delimiter = "/"
	}
	found, next, err := b.list(ctx, q, listPage, token)
	if err != nil {
		return nil, "", err
	}
	page := make([]store.Entry, 0, len(found))
	for _, obj := range found {
		name := obj.Name
		if obj.Prefix != "" {
			name = obj.Prefix
		}
		key, ok := strings.CutPrefix(name, b.prefix)
		switch {
		case !ok:
			return nil, "", foreign("its listing contains a key outside the prefix")
		case obj.Prefix != "":
			page = append(page, store.Entry{Key: strings.TrimSuffix(key, "/"), Dir: true})
		default:
			e := store.Entry{Key: key, Size: obj.Size}
			if obj.Generation > 0 {
				e.Version = store.Version(strconv.FormatInt(obj.Generation, 10))
			}
			page = append(page, e)
		}
	}
	return page, next, nil
}
