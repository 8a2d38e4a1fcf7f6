package claimed

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Record is a JSON object that several processes change.
type Record struct {
	Store store.Store
	Key   string
	Max   int64  // maximum size in bytes
	Turns int    // maximum number of attempts to change the object
	End   string // stored after the JSON
}

// ErrChanged reports that the record is not as the process has read it. Its kind is fault.Conflict.
var ErrChanged = fault.Newf(fault.Conflict, "another process changed the record at the same time")

// Read decodes the object into v and returns its version. found is false if it is absent. Read
// returns fault.Limit if the object is longer than Max, and fault.Metadata if v cannot hold it.
func (r Record) Read(ctx context.Context, v any) (at store.Version, found bool, err error) {
	got, err := r.Store.Get(ctx, r.Key, store.GetOptions{Max: r.Max}, nil)
	switch {
	case errors.Is(err, fault.NotFound):
		return "", false, nil
	case err != nil:
		return "", false, err
	}
	if err = json.Unmarshal(got.Bytes, v); err != nil {
		err = &fault.MetaError{Key: r.Key, Err: fault.Newf(fault.Metadata, "the record is not JSON: %v", err)}
	}
	return got.Version, true, err
}

// Put stores v and returns its version. It returns ErrChanged if the condition in o failed.
func (r Record) Put(ctx context.Context, v any, o store.PutOptions) (store.Version, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	at, err := r.Store.Put(ctx, r.Key, append(b, r.End...), o)
	if lost(err) {
		err = ErrChanged
	}
	return at, err
}

// lost reports whether err means that the condition of a request failed.
func lost(err error) bool { return errors.Is(err, fault.Exists) || errors.Is(err, fault.Conflict) }

// Retry calls change until it returns another error than ErrChanged, at most Turns times.
func (r Record) Retry(change func() error) error {
	for range r.Turns {
		if err := change(); !errors.Is(err, ErrChanged) {
			return err
		}
	}
	return fault.Newf(fault.Conflict, "other processes changed %q in each of %d attempts", r.Key, r.Turns)
}
