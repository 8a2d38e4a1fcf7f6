package conformance

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/http"
)

// web returns a directory that is written as a directory and read over HTTP from a web server.
func web() place {
	var sites sync.Map // URL -> folder
	url := func(t *testing.T) string {
		t.Helper()
		site := bucket.NewSite(t)
		sites.Store(site.URL, site.Dir)
		return site.URL
	}
	open := func(t *testing.T, url, at string) pair {
		t.Helper()
		st, err := http.Open(t.Context(), at, http.Retry(quick()...))
		if err != nil {
			t.Fatal(err)
		}
		folder, _ := sites.Load(url)
		files := dir.New(folder.(string))
		return pair{s: listed{st, files}, w: newDated(files, folder.(string))}
	}
	return place{
		name: "http",
		open: func(t *testing.T) pair { t.Helper(); u := url(t); return open(t, u, u) },
		net: &network{
			url:  url,
			open: func(t *testing.T, url, via string) pair { t.Helper(); return open(t, url, bucket.Through(t, url, via)) },
		},
	}
}

// listed adds a listing, which a web server does not have. Versions of files are not ETags.
type listed struct {
	store.Store
	files store.Store
}

func (l listed) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range l.files.List(ctx, prefix, o) {
			e.Version = ""
			if !yield(e, err) {
				return
			}
		}
	}
}

// dated writes each file in a different second. nginx derives an ETag from a file's size and its
// time in whole seconds, so two values of the same size written in the same second would have the
// same ETag.
type dated struct {
	store.Store
	root string
	next *atomic.Int64
}

func newDated(files store.Store, root string) dated {
	d := dated{files, root, &atomic.Int64{}}
	d.next.Store(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC).Unix())
	return d
}

// Put returns no version, because a file's version is not an ETag.
func (d dated) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if _, err := d.Store.Put(ctx, key, value, o); err != nil {
		return "", err
	}
	at := time.Unix(d.next.Add(1), 0)
	return "", os.Chtimes(filepath.Join(d.root, filepath.FromSlash(key)), at, at)
}
