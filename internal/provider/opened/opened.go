package opened

import (
	"context"
	"errors"
	"os"
	"strings"

	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/internal/provider"
)

// Driver shows the requests of a provider's own driver of gocloud.dev. No request is sent.
type Driver struct {
	// Download shows a download to a file. Only the provider's own driver shows it, and not below a
	// wrapper.
	Download Look
	// Read shows a read, also below a wrapper. If the driver does not show the keys of reads, Read
	// is nil, and List shows a listing.
	Read, List Look
}

// Look returns the bucket and the key of a request, or nil if the driver does not show them. as is
// the argument of a BeforeRead or BeforeList.
type Look func(as func(any) bool) (bucket, key *string)

// keys are the keys of the requests. They differ, so that a wrapper is found that uses one key
// for all, or that computes keys.
var keys = [...]string{"zarr.json", "c/0/1"}

// Check returns a *store.UsageError if requests of a store for bucket and prefix would not be those
// of b: if b has another name, if it has a prefix that prefix does not repeat, or if its driver is
// a wrapper, because the store would bypass it.
//
// Two kinds of wrappers are not found: one that calls the download of the provider's driver itself,
// and one below a bucket with a prefix.
func (d Driver) Check(b *gcblob.Bucket, bucket, prefix string) error {
	below := ""
	for i, key := range keys {
		name, at, direct, err := d.download(b, key)
		seen := direct
		if !seen && err == nil {
			name, at, seen, err = d.wrapped(b, key)
		}
		if err != nil {
			return provider.Usage("the opened bucket cannot be used: %v", err)
		}
		before, same := strings.CutSuffix(at, key)
		switch {
		case !seen || !same || i > 0 && before != below || before == "" && !direct:
			return provider.Usage("the opened bucket has a driver that wraps the provider's and may change keys or values, and this store would bypass it: " +
				"open the bucket without the wrapper, or use blob.New")
		case name != bucket:
			return provider.Usage("the opened bucket is %q, and the URL names %q: name the opened bucket in the URL", name, bucket)
		}
		below = before
	}
	if !strings.HasPrefix(prefix+"/", below) {
		return provider.Usage("the opened bucket has the prefix %q, and the URL's prefix %q is outside of it: repeat the prefix of the bucket in the URL",
			below, prefix)
	}
	return nil
}

// Of returns the Look for requests of type R, the type that as sets.
func Of[R any](show func(R) (bucket, key *string)) Look {
	return func(as func(any) bool) (bucket, key *string) {
		var r R
		if !as(&r) {
			return nil, nil
		}
		return show(r)
	}
}

// errSeen ends a method of gocloud.dev before it sends its request.
var errSeen = errors.New("the request was seen and is not sent")

// at returns the bucket and the key of the request that call sends. Seen is false if the driver
// does not show them.
func (l Look) at(call func(context.Context, func(as func(any) bool) error) error) (bucket, key string, seen bool, err error) {
	// A wrapper may lose BeforeRead. An ended context prevents its request.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = call(ctx, func(as func(any) bool) error {
		if b, k := l(as); b != nil && k != nil {
			bucket, key, seen = *b, *k, true
		}
		return errSeen
	})
	if seen || errors.Is(err, errSeen) || errors.Is(err, context.Canceled) {
		err = nil
	}
	return bucket, key, seen, err
}

// download shows a download of key from b.
func (d Driver) download(b *gcblob.Bucket, key string) (bucket, at string, seen bool, err error) {
	return d.Download.at(func(ctx context.Context, before func(func(any) bool) error) error {
		return b.Download(ctx, key, new(os.File), &gcblob.ReaderOptions{
			AllowParallelDownload: true, MaxConcurrency: 1, BeforeRead: before,
		})
	})
}

// wrapped shows a read or a listing of key from b.
func (d Driver) wrapped(b *gcblob.Bucket, key string) (bucket, at string, seen bool, err error) {
	if d.Read == nil {
		return d.List.at(func(ctx context.Context, before func(func(any) bool) error) error {
			_, err := b.List(&gcblob.ListOptions{Prefix: key, BeforeList: before}).Next(ctx)
			return err
		})
	}
	return d.Read.at(func(ctx context.Context, before func(func(any) bool) error) error {
		r, err := b.NewReader(ctx, key, &gcblob.ReaderOptions{BeforeRead: before})
		if err == nil { // a wrapper lost the error
			err = r.Close()
		}
		return err
	})
}
