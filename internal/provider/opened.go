package provider

import (
	"context"
	"errors"
	"strings"
)

// Opened finds the bucket and the keys that requests of a bucket of gocloud.dev have. It
// sends no request.
type Opened struct {
	// Direct sees the requests of the provider's own driver, but not below a wrapper.
	Direct Look
	// Wrapped sees the requests of the provider's own driver, also below a wrapper.
	Wrapped Look
}

// Look calls a method of the bucket for key, with a BeforeRead or BeforeList that returns the error
// of see. The argument of see is the bucket and the key of the request, if the driver shows them.
type Look func(ctx context.Context, key string, see func(bucket, key *string) error) error

// errSeen ends a method of gocloud.dev before it sends its request.
var errSeen = errors.New("the request was seen and is not sent")

// at returns the bucket and the key of the request for a key. Seen is false if the driver does not
// show them.
func (l Look) at(key string) (bucket, at string, seen bool, err error) {
	// A wrapper may lose BeforeRead. An ended context prevents its request.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = l(ctx, key, func(b, k *string) error {
		if b != nil && k != nil {
			bucket, at, seen = *b, *k, true
		}
		return errSeen
	})
	if seen || errors.Is(err, errSeen) || errors.Is(err, context.Canceled) {
		err = nil
	}
	return bucket, at, seen, err
}

// opened are the keys of the requests. They differ, so that a wrapper is found that uses one key
// for all, or that computes keys.
var opened = [...]string{"zarr.json", "c/0/1"}

// Check returns a *UsageError if requests of a store for bucket and prefix would not be those of
// the opened bucket: if the opened bucket has another name, if it has a prefix that prefix does not
// repeat, or if its driver is a wrapper, because the store would bypass it.
//
// Two kinds of wrappers are not found: one that calls the download of the provider's driver itself,
// and one below a bucket with a prefix.
func (o Opened) Check(bucket, prefix string) error {
	below := ""
	for i, key := range opened {
		name, at, direct, err := o.Direct.at(key)
		seen := direct
		if !seen && err == nil {
			name, at, seen, err = o.Wrapped.at(key)
		}
		if err != nil {
			return Usage("the opened bucket cannot be used: %v", err)
		}
		before, same := strings.CutSuffix(at, key)
		switch {
		case !seen || !same || i > 0 && before != below || before == "" && !direct:
			return Usage("the opened bucket has a driver that wraps the provider's and may change keys or values, and this store would bypass it: " +
				"open the bucket without the wrapper, or use blob.New")
		case name != bucket:
			return Usage("the opened bucket is %q, and the URL names %q: name the opened bucket in the URL", name, bucket)
		}
		below = before
	}
	if !strings.HasPrefix(prefix+"/", below) {
		return Usage("the opened bucket has the prefix %q, and the URL's prefix %q is outside of it: repeat the prefix of the bucket in the URL",
			below, prefix)
	}
	return nil
}
