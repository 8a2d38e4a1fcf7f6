package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// plainStore is a store without versions.
type plainStore struct{ values *mem.Store }

func (s *plainStore) Provide(target any) bool {
	c, ok := target.(*store.Conditions)
	if ok {
		*c = store.Conditions{IfAbsent: true} // but not IfVersion
	}
	return ok
}

func (s *plainStore) refuse(op, key string, versions ...store.Version) error {
	for _, v := range versions {
		if v != "" && store.CheckKey(key) == nil {
			err := fault.Newf(errors.ErrUnsupported, "the store has no versions")
			return &fault.KeyError{Op: op, Store: "plain", Key: key, Err: err}
		}
	}
	return nil
}

func (s *plainStore) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := s.refuse("get", key, o.IfVersion, o.IfNotVersion); err != nil {
		return store.Value{}, err
	}
	v, err := s.values.Get(ctx, key, o, buf)
	v.Version = ""
	return v, err
}

func (s *plainStore) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if err := s.refuse("put", key, o.IfVersion); err != nil && !o.IfAbsent {
		return "", err
	}
	_, err := s.values.Put(ctx, key, value, o)
	return "", err
}

func (s *plainStore) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if err := s.refuse("delete", key, o.IfVersion); err != nil {
		return err
	}
	return s.values.Delete(ctx, key, o)
}

func (s *plainStore) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range s.values.List(ctx, prefix, o) {
			e.Version = ""
			if !yield(e, err) {
				return
			}
		}
	}
}

func (s *plainStore) Close() error { return nil }

func TestPlainStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return &plainStore{mem.New()} }, storetest.Without(storetest.Versions))
}

func Example_ownStore() {
	ctx, st := context.Background(), &plainStore{mem.New()}
	fmt.Println(store.ConditionsOf(st))
	_, err := st.Put(ctx, "t2m/c/0", []byte("chunk"), store.PutOptions{IfAbsent: true})
	fmt.Println(err)
	_, err = st.Put(ctx, "t2m/c/0", []byte("chunk"), store.PutOptions{IfVersion: "1"})
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	// Output:
	// {true false}
	// <nil>
	// true
}
