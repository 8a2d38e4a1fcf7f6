package azure

import (
	"context"
	"errors"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// deleteBatch is Azure's limit of keys per Blob Batch.
const deleteBatch = 256

// deleteAll sends Blob Batches of up to 256 deletes. If Azure rejects a whole batch, this call and
// all later calls return errors.ErrUnsupported, and the caller deletes the keys one by one. That
// may be allowed, as with a SAS token for a directory. Otherwise it reports the error of each key.
func (b *bucket) deleteAll(ctx context.Context, keys []string) (string, error) {
	if b.noBatch.Load() {
		return "", errors.ErrUnsupported
	}
	return provider.Batches(keys, deleteBatch, func(keys []string) (left []string, err error) {
		err = b.renewed(provider.SlowAnswer(ctx), func(ctx context.Context) error {
			left, err = b.deleteSome(ctx, keys)
			return err
		})
		if errors.As(err, new(*wholeError)) && (errors.Is(err, fault.Refused) || errors.Is(err, errors.ErrUnsupported)) {
			b.noBatch.Store(true)
			return left, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
		}
		return left, err
	})
}

// wholeError is the error of a whole batch.
type wholeError struct{ error }

func (e *wholeError) Unwrap() error { return e.error }

// deleteSome sends one Blob Batch. It returns the keys that were not deleted and the error of the
// first of them.
func (b *bucket) deleteSome(ctx context.Context, keys []string) (rest []string, _ error) {
	batch, err := b.client.NewBatchBuilder()
	for _, k := range keys {
		b.sizes.forget(k)
		if err == nil {
			err = batch.Delete(b.prefix+k, nil)
		}
	}
	if err != nil {
		return keys, fmt.Errorf("%w: %w", errors.ErrUnsupported, err) // these credentials do not support batches
	}
	out, err := submit(ctx, b.client, batch)
	if err != nil {
		return keys, &wholeError{explain(err, false)}
	}
	why := provider.Unmentioned(len(keys), foreign)
	for _, r := range out {
		if r == nil || r.ContentID == nil || *r.ContentID < 0 || *r.ContentID >= len(keys) {
			return keys, foreign("it has a part with a Content-ID that is not in the batch")
		}
		err := r.Error
		if err != nil {
			err = explain(err, false)
		}
		if errors.Is(err, fault.NotFound) {
			err = nil
		}
		why[*r.ContentID] = err
	}
	return provider.Left(keys, why)
}

// submit sends a batch. It recovers from a panic of the SDK's parser, which uses numbers in the
// response as indices without a check.
func submit(ctx context.Context, c *container.Client, batch *container.BatchBuilder) (out []*container.BatchResponseItem, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, errors.New("the response does not belong to this batch")
		}
	}()
	resp, err := c.SubmitBatch(ctx, batch, nil)
	return resp.Responses, err
}
