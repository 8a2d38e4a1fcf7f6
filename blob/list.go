package blob

import (
	"context"
	"iter"
	"strings"

	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// List implements store.Store. It omits the empty objects "a/" that consoles create for
// directories. Other keys that store.CheckKey rejects have the size -1.
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for token := ""; ; {
			page, next, err := s.ListPage(ctx, prefix, o, token)
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			token = next
		}
	}
}

// ListPage implements store.PageLister. The Store filters the entries for StartAfter, which the
// portable API lacks; a hook may send StartAfter to the provider.
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	if err := o.Check(prefix); err != nil {
		return nil, "", s.fail("list", prefix, err)
	}
	if prefix != "" {
		if err := s.begin(ctx, "list", prefix); err != nil {
			return nil, "", err
		}
	} else if err := s.ready(ctx, "list", prefix); err != nil {
		return nil, "", err
	}
	list := s.listPage
	if s.opt.hooks.ListPage != nil {
		list = s.opt.hooks.ListPage
	}
	page, next, err := list(ctx, prefix, o, token)
	if err == nil && next != "" && next == token {
		err = fault.Newf(fault.Unavailable, "the listing returned the page token of the request again")
	}
	if err != nil {
		return nil, "", s.failed(ctx, "list", prefix, err)
	}
	kept := page[:0]
	for _, e := range page {
		if store.CheckKey(e.Key) != nil {
			if !e.Dir && (e.Key == "" || strings.HasSuffix(e.Key, "/")) {
				continue // an empty object in the place of a directory
			}
			e = store.Entry{Key: e.Key, Size: -1}
		}
		if o.Match(prefix, e) {
			kept = append(kept, e)
		}
	}
	return kept, next, nil
}

func (s *Store) listPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	portable := &gcblob.ListOptions{Prefix: o.KeyPrefix}
	if prefix != "" {
		portable.Prefix = prefix + "/" + o.KeyPrefix
	}
	if o.Depth == store.OneLevel {
		portable.Delimiter = "/"
	}
	at := gcblob.FirstPageToken
	if token != "" {
		at = []byte(token)
	}
	objects, next, err := s.bucket.ListPage(ctx, at, max(1, s.opt.tuning.ListPage), portable)
	if err != nil {
		return nil, "", err
	}
	page := make([]store.Entry, 0, len(objects))
	for _, obj := range objects {
		if obj.IsDir {
			page = append(page, store.Entry{Key: strings.TrimSuffix(obj.Key, "/"), Dir: true})
		} else {
			page = append(page, store.Entry{Key: obj.Key, Size: obj.Size})
		}
	}
	return page, string(next), nil
}

// proveAbsent returns nil if a successful listing does not contain key.
func (s *Store) proveAbsent(ctx context.Context, key string) error {
	// Longer keys that start with key sort after key in every driver, so the first entry decides.
	objects, _, err := s.bucket.ListPage(ctx, gcblob.FirstPageToken, 1, &gcblob.ListOptions{Prefix: key})
	if err != nil {
		return fault.Newf(s.kind(err), "the listing to check whether the key is absent failed: %w", err)
	}
	if len(objects) > 0 && objects[0].Key == key {
		return fault.Newf(fault.Unavailable, "the driver returned NotFound, but the listing contains the key")
	}
	return nil
}
