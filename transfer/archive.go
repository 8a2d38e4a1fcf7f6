package transfer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

// SaveZip runs a plan into a zip archive and stores the archive as the value of key in st. The
// value appears when it is complete. The archive is the plan's target, so SaveZip calls open for
// the source only. SaveZip writes the archive in one pass, without markers: after an interruption
// it starts from the first task.
//
// SaveZip returns fault.Exists if the key has a value. It returns fault.Selection if the plan has
// temporary arrays (see Options.OneStage), or if source and target are in one store. It returns
// fault.Limit if the plan stores a shard in parts (see Options.WholeShards). Other errors are those
// of [Run].
func SaveZip(ctx context.Context, p *Plan, open Opener, st store.Store, key string, opts ...zarr.Option) error {
	if len(p.Documents.Temporary) > 0 || p.Source.Store == p.Target.Store {
		return fault.Newf(fault.Selection, "transfer: a plan into an archive must have no temporary arrays, and its source must be in another store")
	}
	for k := range p.Stages {
		for _, s := range p.Stages[k].Steps {
			if s.Inner != nil {
				return fault.Newf(fault.Limit, "transfer: an archive takes whole shards, and a shard of %v does not fit in memory", s.To)
			}
		}
	}
	_, err := zip.Save(ctx, st, key, store.PutOptions{IfAbsent: true}, func(z *zip.Writer) error {
		w, err := Open(ctx, p, func(ctx context.Context, name string) (store.Store, error) {
			if name == p.Target.Store {
				return &zipStore{w: z, name: store.Name(st) + "/" + key}, nil
			}
			return open(ctx, name)
		}, opts...)
		if err != nil {
			return err
		}
		w.target.Archive = true
		w.claim.Alone()
		for i := range w.tasks {
			w.claim.Complete(p.StageOf(i) - 1)
			if err = w.Task(ctx, i); err != nil {
				break
			}
		}
		return errors.Join(err, w.Close())
	})
	return err
}

// zipStore is a store that appends each value to a zip archive. It is write-only.
type zipStore struct {
	name string

	mu sync.Mutex
	w  *zip.Writer
}

// Get returns fault.NotFound for every key. The transfer never reads the values that it wrote.
func (a *zipStore) Get(_ context.Context, key string, _ store.GetOptions, _ []byte) (store.Value, error) {
	return store.Value{}, &fault.KeyError{Op: "get", Store: a.name, Key: key, Err: fault.NotFound}
}

// Put appends a value to the archive.
func (a *zipStore) Put(_ context.Context, key string, value []byte, _ store.PutOptions) (store.Version, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.w.Add(key, value); err != nil {
		return "", fmt.Errorf("put %q in %s: %w", key, a.name, err)
	}
	return "", nil
}

// Delete does nothing. The transfer deletes chunks that contain only the fill value, and such a
// chunk was never added to the archive.
func (a *zipStore) Delete(context.Context, string, store.DeleteOptions) error { return nil }

// List yields no entries.
func (a *zipStore) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(func(store.Entry, error) bool) {}
}

// Provide keeps the store out of reports. The requests of [zip.Save] are counted.
func (a *zipStore) Provide(target any) bool { return account.Own(target) }

// Close does nothing: [zip.Save] completes the archive.
func (a *zipStore) Close() error { return nil }

// String returns the location of the archive.
func (a *zipStore) String() string { return a.name + "|zip:" }
