package gcs

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	gcsapi "cloud.google.com/go/storage"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// copy copies a value by the method Objects: rewrite. GCS replies to a long rewrite with a token
// after some time, and the SDK then continues it until it is done or ctx ends. The destination
// changes only when the rewrite is done. Other servers may ignore conditions: copy returns
// errors.ErrUnsupported for conditions on the destination, and checks a condition on the source by
// a read.
func (b *bucket) copy(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error) {
	src := b.object(from)
	if o.FromVersion != "" && (b.google || !o.IfAbsent && o.IfVersion == "") { // CheckCopy refuses the others
		g, ok := generation(o.FromVersion)
		if !ok {
			return "", neverWas(o.FromVersion)
		}
		src = src.If(gcsapi.Conditions{GenerationMatch: g})
	}
	if !b.google {
		if err := provider.CheckCopy(ctx, "Google's servers", from, o, b.get); err != nil {
			return "", err
		}
	}
	dst, err := b.to(to, store.PutOptions{IfAbsent: o.IfAbsent, IfVersion: o.IfVersion})
	if err != nil {
		return "", err
	}
	x := b.exchange()
	x.writes = true
	c := dst.CopierFrom(src)
	c.ProgressFunc = func(uint64, uint64) { x.more() } // after each response
	c.DestinationKMSKeyName = b.kmsKey
	if b.class != "" {
		// The attributes replace those of the source, so both are set.
		c.StorageClass, c.ContentType = b.class, b.contentType
	}
	attrs, err := c.Run(x.under(provider.SlowAnswer(ctx)))
	if err != nil {
		return "", b.notCopied(ctx, x, err, from, to, o)
	}
	if attrs == nil || attrs.Generation <= 0 {
		return "", foreign("it has no generation")
	}
	return store.Version(strconv.FormatInt(attrs.Generation, 10)), nil
}

// notCopied returns the error of a failed copy. A failed precondition may concern the source or the
// destination, so notCopied reads the destination if the kind depends on it. It reads the source if
// a 404 does not name the object.
func (b *bucket) notCopied(ctx context.Context, x *exchange, err error, from, to string, o store.CopyOptions) error {
	ifAbsent := o.IfAbsent
	if ifAbsent && o.FromVersion != "" && x.status == http.StatusPreconditionFailed {
		_, look := b.get(ctx, to, store.GetOptions{Max: 1}, nil)
		ifAbsent = look == nil || errors.Is(look, fault.Limit)
	}
	conditional := o.IfAbsent || o.IfVersion != ""
	return b.absent(ctx, from, b.paced(to, conditional, x.explain(err, ifAbsent)))
}

// isGoogle reports whether the endpoint is Google's. "" is the default of Google's library.
func isGoogle(endpoint string) bool {
	host, _, _ := strings.Cut(hostOf(endpoint), ":")
	return endpoint == "" || strings.HasSuffix(host, ".googleapis.com")
}
