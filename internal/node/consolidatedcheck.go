package node

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Copied reports whether the node is from stored consolidated metadata, which may be out of date. A
// node from documents of the caller does not depend on the stored documents; see Options.Documents.
func (n *Node) Copied() bool {
	_, given := n.Cfg.Documents[n.Doc.Key]
	return n.From == FromCopy && !given
}

// Copies is the state of the checks of an array from consolidated metadata, which may describe an
// array that was deleted or replaced.
type Copies struct {
	Confirmed atomic.Bool // the array was written, after a comparison with its stored document
	Confirms  concurrency.SingleFlight[string, struct{}]
	fills     atomic.Bool // see current
	looks     concurrency.SingleFlight[string, struct{}]
}

// Read returns err, the error of reading an object of which missing chunks are absent, or the error
// of current. That of an array which was deleted or replaced explains why a chunk does not decode.
func (c *Copies) Read(ctx context.Context, at *Node, missing int, err error) error {
	var of *fault.KeyError
	switch {
	case err == nil && missing > 0:
		return c.current(ctx, at)
	case (errors.Is(err, fault.Corrupt) || errors.Is(err, errors.ErrUnsupported)) && !errors.As(err, &of):
		if now := c.current(ctx, at); errors.Is(now, fault.NotFound) || errors.Is(now, fault.Conflict) {
			return fmt.Errorf("%w (%w)", now, err)
		}
	}
	return err
}

// current checks, once and before the first absent chunk is read as fill values, that the store
// still has the array of an opened node, with the same fill values. Concurrent reads share one
// check. A check that failed is repeated.
func (c *Copies) current(ctx context.Context, at *Node) error {
	if c.fills.Load() || c.Confirmed.Load() {
		return nil
	}
	_, _, err := c.looks.Do(ctx, "", func(ctx context.Context) (struct{}, error) {
		if c.fills.Load() {
			return struct{}{}, nil
		}
		err := at.Current(ctx)
		c.fills.Store(err == nil)
		return struct{}{}, err
	})
	return err
}

// Current checks that the stored document of an array from consolidated metadata still gives its
// absent chunks the same values. It reads one document, or two if there is none of the same format.
//
// Current returns fault.NotFound if the store proves that it does not have the array. It returns
// fault.Conflict if the stored array has other chunks, codecs or chunk keys, another data type or
// fill value, or a smaller shape. A larger shape, other names of dimensions and other attributes do
// not change the values. Any other error means that the document could not be read.
func (n *Node) Current(ctx context.Context) error {
	names := []string{ZarrJSON, ZArray}
	if n.Format == 2 {
		names = []string{ZArray, ZarrJSON}
	}
	for _, name := range names {
		v, err := n.Get(ctx, name)
		if errors.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		stored, err := n.parsed(name, v.Bytes, fault.NotFound)
		if err != nil {
			return err
		}
		return n.stale(n.filled(stored))
	}
	return fault.Newf(fault.NotFound, "the array is only in %s: the store does not have %q", n.From, Join(n.Path, names[0]))
}

// stale returns the error for an array whose stored document has another property, or nil for "".
func (n *Node) stale(property string) error {
	if property == "" {
		return nil
	}
	return fault.Newf(fault.Conflict, "%s is stale: the array was changed to another %s; open it again, or see Refresh", n.From, property)
}

// parsed parses a stored document of the array. The error for a group has the kind given. parsed
// reports no violations of rules.
func (n *Node) parsed(name string, doc []byte, group error) (*meta.Array, error) {
	p, key := n.Plain(), Join(n.Path, name)
	if name == ZArray {
		return p.ArrayV2(key, doc, "", nil)
	}
	is, err := p.V3(key, doc)
	stored, ok := is.(*meta.Array)
	if err == nil && !ok {
		err = fault.Newf(group, "%s is stale: the array was replaced by a group", n.From)
	}
	return stored, err
}

// filled returns the first property by which the absent chunks of a stored array may have other
// keys or values than those of the opened array, or "". Codecs of different formats are not
// compared.
func (n *Node) filled(stored *meta.Array) string {
	opened, is := *n.Array(), *stored
	if len(is.Shape) != len(opened.Shape) {
		return "shape"
	}
	for i, length := range opened.Shape {
		if is.Shape[i] < length {
			return "shape"
		}
	}
	is.Shape = opened.Shape
	if !reflect.DeepEqual(spec.Axes(&is), spec.Axes(&opened)) {
		return "chunk shape"
	}
	is.Grid, is.Dims = opened.Grid, opened.Dims
	is.Fill, opened.Fill = effective(&is), effective(&opened)
	if is.Format != opened.Format || n.sameCodecs(&is, &opened) {
		is.Format, is.Codecs = opened.Format, opened.Codecs
	}
	return is.Difference(&opened)
}

// effective returns the value of the elements of absent chunks.
func effective(m *meta.Array) []byte {
	fill := m.Fill
	if fill == nil {
		fill = m.DType.DefaultFill()
	}
	return append([]byte{}, fill...)
}

// sameCodecs reports whether the codecs of two arrays are equal apart from their spelling. Writers
// of consolidated metadata may spell out defaults.
func (n *Node) sameCodecs(a, b *meta.Array) bool {
	x, ex := n.normal(a)
	y, ey := n.normal(b)
	if ex != nil || ey != nil {
		return false
	}
	is := *a
	is.Codecs = x
	as := *a
	as.Codecs = y
	return is.Difference(&as) == ""
}

// normal returns the codecs of an array with complete configurations.
func (n *Node) normal(m *meta.Array) ([]meta.Named, error) {
	specs := make([]codec.Spec, len(m.Codecs))
	for i, c := range m.Codecs {
		specs[i] = codec.Spec{Name: c.Name, Config: c.Config}
	}
	specs, err := n.Cfg.Table.Normalize(specs, codec.Repr{Shape: pipeline.Largest(spec.Axes(m)), Type: m.DType, Fill: m.Fill})
	all := make([]meta.Named, len(specs))
	for i, s := range specs {
		all[i] = meta.Named{Name: s.Name, Config: s.Config}
	}
	return all, err
}

// Confirm checks that the stored metadata of an array equals opened, the metadata of the opened
// array. If they differ, Confirm returns fault.Conflict, because other readers could not decode the
// chunks. It returns fault.NotFound if the store does not have the array.
func (n *Node) Confirm(ctx context.Context, opened *meta.Array) error {
	name := ZarrJSON
	if n.Format == 2 {
		name = ZArray
	}
	v, err := n.Get(ctx, name)
	if errors.Is(err, fault.NotFound) {
		return fault.Newf(fault.NotFound, "the array is only in %s, so it cannot be written: %w", n.From, err)
	}
	if err != nil {
		return err
	}
	stored, err := n.parsed(name, v.Bytes, fault.Conflict)
	if err != nil {
		return err
	}
	if diff := stored.Difference(opened); diff != "" {
		return fault.Newf(fault.Conflict, "%s is stale: the array was changed to another %s; see Refresh", n.From, diff)
	}
	return nil
}
