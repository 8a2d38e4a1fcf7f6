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

// maxEmpty is how many pages without an entry are passed over: GCS sends some where much was deleted.
const maxEmpty = 100

// listPage is one page of objects.list, in the JSON form and with the fields that an Entry has.
func (b *bucket) listPage(ctx context.Context, prefix string, depth store.Depth, token string) ([]store.Entry, string, error) {
	q := &gcsapi.Query{Prefix: b.prefix, Projection: gcsapi.ProjectionNoACL}
	if prefix != "" {
		q.Prefix += prefix + "/"
	}
	if depth == store.OneLevel {
		q.Delimiter = "/"
	}
	found, next, err := b.list(ctx, q, listPage, token)
	if err != nil {
		return nil, "", err
	}
	page := make([]store.Entry, 0, len(found))
	for _, o := range found {
		name := o.Name
		if o.Prefix != "" {
			name = o.Prefix
		}
		key, ok := strings.CutPrefix(name, b.prefix)
		switch {
		case !ok:
			return nil, "", foreign("the listing holds a key outside of the prefix")
		case o.Prefix != "":
			page = append(page, store.Entry{Key: strings.TrimSuffix(key, "/"), Dir: true})
		default:
			e := store.Entry{Key: key, Size: o.Size}
			if o.Generation > 0 {
				e.Version = store.Version(strconv.FormatInt(o.Generation, 10))
			}
			page = append(page, e)
		}
	}
	return page, next, nil
}

// list gives one page and the token of the next.
func (b *bucket) list(ctx context.Context, q *gcsapi.Query, size int, token string) ([]*gcsapi.ObjectAttrs, string, error) {
	if err := q.SetAttrSelection([]string{"Name", "Size", "Generation"}); err != nil {
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
