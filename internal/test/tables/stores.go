package tables

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"

	"gocloud.dev/blob/memblob"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/http"
	"github.com/zargo-io/zargo/zarr/store/mem"
	zipstore "github.com/zargo-io/zargo/zarr/store/zip"
)

// stores returns a table of the kinds of stores with their capabilities and settings.
func stores() (string, error) {
	ctx := context.Background()
	var rows [][]string
	for _, k := range kinds() {
		st, err := k.open(ctx)
		if err != nil {
			return "", fmt.Errorf("%s: %w", k.opener, err)
		}
		written := "yes"
		if store.IsReadOnly(st) {
			written = "no"
		}
		t, own := store.Tuning{}, "its own"
		if !store.As(st, &t) {
			t, own = store.TuningOf(st), "those of a directory"
		}
		rows = append(rows, []string{
			code(k.url), code(k.opener), written, fmt.Sprint(t.Requests), size(t.RangeGap), size(t.RangeMax), fmt.Sprint(t.ListPage), own,
		})
		if err := st.Close(); err != nil {
			return "", errors.Join(fmt.Errorf("%s", k.opener), err)
		}
	}
	return table([]string{"URL", "Go", "written", "requests in flight", "longest gap", "longest merged read", "entries per page", "settings"}, rows), nil
}

// kinds returns all kinds of stores in the repository.
func kinds() []kind {
	return []kind{
		{"a path, file:///path", "dir.New", func(context.Context) (store.Store, error) { return dir.New("none"), nil }},
		{"mem://name/path", "mem.New", func(context.Context) (store.Store, error) { return mem.New(), nil }},
		{"s3://bucket/path", "s3.Open", func(ctx context.Context) (store.Store, error) {
			return s3.Open(ctx, "s3://bucket/path?region=us-east-1&anonymous=true")
		}},
		{"gs://bucket/path", "gcs.Open", func(ctx context.Context) (store.Store, error) {
			return gcs.Open(ctx, "gs://bucket/path?anonymous=true")
		}},
		{"azblob://container/path", "azure.Open", func(ctx context.Context) (store.Store, error) {
			return azure.Open(ctx, "azblob://container/path?storage_account=account&anonymous=true")
		}},
		{"", "blob.New", func(context.Context) (store.Store, error) { return blob.New(memblob.OpenBucket(nil)), nil }},
		{"http://host/path, https://host/path", "http.Open", func(ctx context.Context) (store.Store, error) { return http.Open(ctx, "https://example.org/path") }},
		{"any of these, followed by |zip:path", "zip.Open", archive},
	}
}

// archive returns the store of a zip archive in memory.
func archive(ctx context.Context) (store.Store, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if _, err := w.Create("zarr.json"); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	st := mem.New()
	if _, err := st.Put(ctx, "a.zip", b.Bytes(), store.PutOptions{}); err != nil {
		return nil, err
	}
	return zipstore.Open(ctx, st, "a.zip")
}

// size formats a number of bytes in the largest unit that divides it.
func size(n int64) string {
	for _, u := range []struct {
		name  string
		shift uint
	}{{"MiB", 20}, {"KiB", 10}} {
		if n > 0 && n%(1<<u.shift) == 0 {
			return fmt.Sprintf("%d %s", n>>u.shift, u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}

// kind is a kind of store: its URLs in the command, its constructor in Go, and a function that
// opens an example of it without sending a request.
type kind struct {
	url, opener string
	open        func(context.Context) (store.Store, error)
}
