package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// task is one task of the benchmark.
type task struct {
	Do     string  `json:"do"`
	Where  string  `json:"where"`
	Root   string  `json:"root"`
	Path   string  `json:"path"`
	Out    string  `json:"out"`
	Format *int    `json:"format"`
	Case   string  `json:"case"`
	Index  []int   `json:"index"`
	Coords [][]int `json:"coords"`

	Type  string    `json:"type"`
	Month string    `json:"month"`
	Range []float64 `json:"range"`
	Bins  int       `json:"bins"`

	Endpoint string `json:"endpoint"`
	Bucket   string `json:"bucket"`
	Bench    string `json:"bench"`

	hedge bool
}

// outcome is the result of a task: the size of values, and what describes them, or a number of
// members.
type outcome struct {
	bytes  int
	sum    func() uint32    // the checksum of values; nil for none
	digest func() []float64 // numbers that are compared with a tolerance; nil for none
	count  int
}

// of returns the outcome of a task that reads values.
func of[T int16 | float32 | float64](values []T) outcome {
	return outcome{sum: func() uint32 { return checksum(values) }, bytes: len(values) * binary.Size(*new(T))}
}

// open opens the store of the task that contains the node at a path: a directory, or a prefix of
// the bucket.
func (t task) open(ctx context.Context, path string) (store.Store, error) {
	o := []s3.Option{s3.Anonymous(), s3.PathStyle()}
	if t.hedge {
		o = append(o, s3.Hedge())
	}
	stores := openurl.Mux{"file": openurl.Dir(), "s3": openurl.With(s3.Open, o...)}
	switch t.Where {
	case "file":
		return stores.Open(ctx, filepath.Join(t.Root, filepath.FromSlash(path)))
	case "s3":
		q := url.Values{"endpoint": {t.Endpoint}, "region": {"us-east-1"}}
		return stores.Open(ctx, "s3://"+t.Bucket+"/"+path+"?"+q.Encode())
	}
	return nil, fmt.Errorf("where must be file or s3, is %q", t.Where)
}

// options returns the options for a task, with the format if it is known.
func (t task) options() []zarr.Option {
	if t.Format == nil {
		return nil
	}
	return []zarr.Option{zarr.Format(*t.Format)}
}

func (t task) read(sel ...zarr.Selection) func(context.Context, store.Store) (outcome, error) {
	return func(ctx context.Context, st store.Store) (outcome, error) {
		a, err := zarr.OpenArray(ctx, st, "", t.options()...)
		if err != nil {
			return outcome{}, err
		}
		values, err := zarr.Read[float32](ctx, a, sel...)
		return of(values), err
	}
}

func (t task) write() (func(context.Context, store.Store) (outcome, error), error) {
	shape, values, err := field(filepath.Join(t.Bench, "field.npy"))
	if err != nil {
		return nil, err
	}
	spec, err := dataSet(t.Case, shape)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, st store.Store) (outcome, error) {
		a, err := zarr.Create(ctx, st, "", spec)
		if err != nil {
			return outcome{}, err
		}
		return outcome{bytes: 4 * len(values)}, zarr.Write(ctx, a, values)
	}, nil
}

func (t task) group(ctx context.Context, st store.Store) (outcome, error) {
	g, err := zarr.OpenGroup(ctx, st, "", t.options()...)
	if err != nil {
		return outcome{}, err
	}
	n := 0
	for _, err := range g.Members(ctx) {
		if err != nil {
			return outcome{}, err
		}
		n++
	}
	return outcome{count: n}, nil
}

func (t task) names(ctx context.Context, st store.Store) (outcome, error) {
	g, err := zarr.OpenGroup(ctx, st, "", t.options()...)
	if err != nil {
		return outcome{}, err
	}
	n := 0
	for _, err := range g.Names(ctx) {
		if err != nil {
			return outcome{}, err
		}
		n++
	}
	return outcome{count: n}, nil
}

func (t task) inGroup(ctx context.Context, st store.Store) (outcome, error) {
	g, err := zarr.OpenGroup(ctx, st, "", t.options()...)
	if err != nil {
		return outcome{}, err
	}
	a, err := g.OpenArray(ctx, "v07")
	if err != nil {
		return outcome{}, err
	}
	values, err := zarr.Read[float32](ctx, a)
	return of(values), err
}
