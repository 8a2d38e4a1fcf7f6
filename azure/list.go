package azure

import (
	"context"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/zargo-io/zargo/zarr/store"
)

// listPage sends one List Blobs.
func (b *bucket) listPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	at := b.prefix
	if prefix != "" {
		at += prefix + "/"
	}
	at += o.KeyPrefix // the Store filters for StartAfter, for which Azure has no parameter
	from, under := optional(token), optional(at)
	var items []*container.BlobItem
	var below []*container.BlobPrefix
	var next *string
	if o.Depth == store.OneLevel {
		out, err := b.client.NewListBlobsHierarchyPager("/", &container.ListBlobsHierarchyOptions{
			Prefix: under, Marker: from, MaxResults: &b.page,
		}).NextPage(ctx)
		if err != nil {
			return nil, "", explain(err, false)
		}
		// The client parses an empty body or an HTML page as an empty listing. Azure always sends
		// both elements.
		if out.Segment == nil || out.NextMarker == nil {
			return nil, "", foreign("it does not state whether the listing is complete")
		}
		items, below, next = out.Segment.BlobItems, out.Segment.BlobPrefixes, out.NextMarker
	} else {
		out, err := b.client.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{
			Prefix: under, Marker: from, MaxResults: &b.page,
		}).NextPage(ctx)
		if err != nil {
			return nil, "", explain(err, false)
		}
		if out.Segment == nil || out.NextMarker == nil {
			return nil, "", foreign("it does not state whether the listing is complete")
		}
		items, next = out.Segment.BlobItems, out.NextMarker
	}
	page := make([]store.Entry, 0, len(items)+len(below))
	for _, it := range items {
		if it == nil || it.Properties == nil {
			return nil, "", foreign("its listing has an entry without properties")
		}
		if t := it.Properties.ResourceType; t != nil && strings.EqualFold(*t, "directory") {
			continue // a directory of a hierarchical namespace; its values are listed separately
		}
		key, err := b.relative(it.Name)
		if err != nil {
			return nil, "", err
		}
		e := store.Entry{Key: key, Size: -1, Version: version(it.Properties.ETag)}
		if n := it.Properties.ContentLength; n != nil {
			e.Size = *n
			if e.Version != "" {
				b.sizes.set(key, sized{e.Version, e.Size}) // the end of the value is then one request
			}
		}
		page = append(page, e)
	}
	for _, p := range below {
		if p == nil {
			return nil, "", foreign("its listing has an empty entry")
		}
		key, err := b.relative(p.Name)
		if err != nil {
			return nil, "", err
		}
		page = append(page, store.Entry{Key: strings.TrimSuffix(key, "/"), Dir: true})
	}
	return page, *next, nil
}

// relative removes the store's prefix from a key of a listing.
func (b *bucket) relative(name *string) (string, error) {
	if name == nil {
		return "", foreign("its listing has an entry without a name")
	}
	rel, ok := strings.CutPrefix(*name, b.prefix)
	if !ok {
		return "", foreign("its listing contains a key outside the prefix")
	}
	return rel, nil
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
