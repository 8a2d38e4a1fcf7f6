package blob

import (
	"bytes"
	"context"
	"errors"

	gcblob "gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// ContentType is the media type of stored values.
const ContentType = "application/octet-stream"

// Put implements store.Store. Without a hook, IfVersion returns errors.ErrUnsupported and the
// Version is "".
func (s *Store) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if err := s.begin(ctx, "put", key); err != nil {
		return "", err
	}
	if o.IfAbsent && o.IfVersion != "" {
		return "", s.fail("put", key, fault.Newf(fault.Selection, "IfAbsent and IfVersion cannot be combined"))
	}
	if h := s.opt.hooks.Put; h != nil {
		v, err := h(ctx, key, value, o)
		if err != nil {
			return "", s.pinned(s.failed(ctx, "put", key, err), o.IfVersion)
		}
		return v, nil
	}
	switch {
	case o.IfVersion != "":
		return "", s.unsupported("put", key, "writing by version")
	case o.IfAbsent && s.opt.noIfAbsent:
		return "", s.unsupported("put", key, "an atomic if-absent")
	}
	// Upload avoids two defects of streaming writes: a failed one panics on Azure, and all drivers
	// hash the value twice.
	err := s.bucket.Upload(ctx, key, bytes.NewReader(value), &gcblob.WriterOptions{
		ContentType:                 ContentType,
		DisableContentTypeDetection: true,
		IfNotExist:                  o.IfAbsent,
	})
	if err == nil {
		return "", nil
	}
	if code := gcerrors.Code(err); o.IfAbsent && (code == gcerrors.FailedPrecondition || code == gcerrors.AlreadyExists) {
		err = fault.Newf(fault.Exists, "%w", err)
	}
	return "", s.failed(ctx, "put", key, err)
}

// Delete implements store.Store. Without a hook, IfVersion returns errors.ErrUnsupported.
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if err := s.begin(ctx, "delete", key); err != nil {
		return err
	}
	if h := s.opt.hooks.Delete; h != nil {
		if err := h(ctx, key, o); err != nil {
			err = s.pinned(s.failed(ctx, "delete", key, err), o.IfVersion)
			if errors.Is(err, fault.NotFound) {
				return nil
			}
			return err
		}
		return nil
	}
	if o.IfVersion != "" {
		return s.unsupported("delete", key, "deleting by version")
	}
	err := s.bucket.Delete(ctx, key)
	if err == nil {
		return nil
	}
	if err = s.absent(ctx, key, err); err != nil {
		return s.failed(ctx, "delete", key, err)
	}
	return nil
}

// DeleteAll implements store.BatchDeleter. Without a hook it returns errors.ErrUnsupported.
func (s *Store) DeleteAll(ctx context.Context, keys []string) error {
	h := s.opt.hooks.DeleteAll
	if h == nil {
		return errors.ErrUnsupported
	}
	for _, k := range keys {
		if err := s.begin(ctx, "delete", k); err != nil {
			return err
		}
	}
	if key, err := h(ctx, keys); err != nil {
		return s.failed(ctx, "delete", key, err)
	}
	return nil
}
