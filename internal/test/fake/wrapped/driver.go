package wrapped

import (
	"context"
	"errors"

	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// wrapper is a driver of another package around a bucket, such as one that encrypts values. It has
// the methods that FromBucket calls.
type wrapper struct {
	driver.Bucket
	b     *gcblob.Bucket
	key   func(string) string
	hides bool // BeforeRead and BeforeList are not called
}

func (w *wrapper) As(i any) bool                          { return w.b.As(i) }
func (w *wrapper) ErrorCode(err error) gcerrors.ErrorCode { return gcerrors.Code(err) }
func (w *wrapper) Close() error                           { return w.b.Close() }

func (w *wrapper) NewRangeReader(ctx context.Context, key string, offset, length int64, opts *driver.ReaderOptions) (driver.Reader, error) {
	var o gcblob.ReaderOptions
	if !w.hides {
		o.BeforeRead = opts.BeforeRead
	}
	_, err := w.b.NewRangeReader(ctx, w.key(key), offset, length, &o)
	if err == nil {
		err = errors.New("not refused")
	}
	return nil, err
}

func (w *wrapper) ListPaged(ctx context.Context, opts *driver.ListOptions) (*driver.ListPage, error) {
	o := gcblob.ListOptions{Prefix: w.key(opts.Prefix)}
	if !w.hides {
		o.BeforeList = opts.BeforeList
	}
	_, err := w.b.List(&o).Next(ctx)
	if err == nil {
		err = errors.New("not refused")
	}
	return nil, err
}
