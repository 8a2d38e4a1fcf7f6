package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// like creates a node with the metadata of another node, or of a CDL or JSON file.
func (c *createCmd) like(ctx context.Context, s *session) error {
	lower := strings.ToLower(c.Like)
	isFile := c.Like == "-" || strings.HasSuffix(lower, ".cdl") || strings.HasSuffix(lower, ".json")
	f := c.specFlags
	if c.Shape != nil || c.DType != "" || c.Group || f.Chunks != "" || f.Shards != "" || f.ChunkEdges != "" || f.ShardEdges != "" || f.chooses() ||
		f.Fill != "" || f.Dims != "" || f.Attrs != "" || s.given["separator"] || s.given["order"] {
		return usagef("--like cannot be combined with a shape, data type, chunks, shards, fill value, order, separator, dimensions or attributes")
	}
	if isFile {
		return c.fromFile(ctx, s)
	}
	if f.Codec != nil || s.given["format"] {
		return usagef("--codec and --format require a CDL or JSON file after --like; the node of a URL is created with its codecs and format")
	}
	from, n, err := s.openStored(ctx, c.Like)
	if err != nil {
		return err
	}
	defer from.release()
	if a, ok := n.(*zarr.Array); ok {
		p, _, err := s.create(ctx, c.URL, a.Spec(), f)
		if err != nil {
			return err
		}
		p.release()
		return nil
	}
	g, _ := n.(*zarr.Group)
	nodes, err := nodesBelow(ctx, g)
	if err != nil {
		return from.fail(err)
	}
	p, err := s.vacant(ctx, c.URL, f)
	if err != nil {
		return err
	}
	defer p.release()
	return c.copyNodes(ctx, s, p, g, nodes)
}

// maxDescription is the maximum length of a CDL or JSON file in bytes. A typical header has a few
// kilobytes.
const maxDescription = 16 << 20

// readFile reads the file of --like, or standard input for "-".
func (c *createCmd) readFile(s *session) (string, error) {
	in := s.in
	if c.Like != "-" {
		f, err := os.Open(c.Like)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }() // opened for reading only
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, maxDescription+1))
	if err == nil && len(b) > maxDescription {
		err = fault.Newf(fault.Limit, "a description must have at most %d bytes", maxDescription)
	}
	if err == nil {
		err = affordable(b, concurrency.Memory()/2)
	}
	return string(b), err
}

// valueMemory is the memory in bytes that a value of a description takes: the parsed value, its
// copies in the dataset and in the node that is created first to find errors, and its text.
const valueMemory = 160

// affordable returns fault.Limit if the values of a description take more than limit bytes of
// memory. Values are separated by commas.
func affordable(text []byte, limit int64) error {
	if n := int64(bytes.Count(text, []byte(","))); n > limit/valueMemory {
		return fault.Newf(fault.Limit, "the %d values of the description take about %d bytes of memory, more than %d", n+1, (n+1)*valueMemory, limit)
	}
	return nil
}

// vacant opens the place of a new hierarchy. It returns fault.Exists if a node is stored there,
// unless the flags permit that. The caller closes the place.
func (s *session) vacant(ctx context.Context, url string, f specFlags) (*place, error) {
	p, err := s.locateNew(ctx, url, f.Root)
	if err != nil || f.ExistOk {
		return p, err
	}
	switch _, err = zarr.Open(ctx, p.Store, p.path, s.options()...); {
	case errors.Is(err, fault.NotFound):
		return p, nil
	case err == nil:
		err = fault.Newf(fault.Exists, "a node already exists")
	}
	p.release()
	return nil, p.fail(err)
}

// nodesBelow returns all nodes below a group. A group precedes its members.
func nodesBelow(ctx context.Context, g *zarr.Group) ([]zarr.Node, error) {
	var nodes []zarr.Node
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// copyNodes creates a group with the metadata of g, and creates the nodes below it. If g has
// consolidated metadata, copyNodes consolidates the new group.
func (c *createCmd) copyNodes(ctx context.Context, s *session, p *place, g *zarr.Group, nodes []zarr.Node) error {
	format := max(g.Format(), 2) // format 1 cannot be written
	to, err := createGroup(ctx, p.Store, p.path, zarr.Spec{Format: format, Attrs: g.Attrs()}, c.ExistOk, s.options()...)
	if err != nil {
		return p.fail(err)
	}
	for _, n := range nodes {
		path := joined(p.path, strings.TrimPrefix(strings.TrimPrefix(n.Path(), g.Path()), "/"))
		if a, ok := n.(*zarr.Array); ok {
			make := zarr.Create
			if c.ExistOk {
				make = zarr.OpenOrCreate
			}
			_, err = make(ctx, p.Store, path, a.Spec(), s.options()...)
		} else {
			_, err = createGroup(ctx, p.Store, path, zarr.Spec{Format: max(n.Format(), 2), Attrs: n.Attrs()}, c.ExistOk, s.options()...)
		}
		if err != nil {
			return p.fail(err)
		}
	}
	if g.Metadata().Consolidated != nil {
		if to, err = to.Consolidate(ctx); err != nil {
			return p.fail(err)
		}
	}
	return c.after(ctx, s, p, to)
}

// createGroup creates a group. If existOk is true, it opens an existing group of the same format.
func createGroup(ctx context.Context, st store.Store, path string, spec zarr.Spec, existOk bool, opts ...zarr.Option) (*zarr.Group, error) {
	g, err := zarr.CreateGroup(ctx, st, path, spec, opts...)
	if !existOk || !errors.Is(err, fault.Exists) {
		return g, err
	}
	g, err = zarr.OpenGroup(ctx, st, path, opts...)
	if err == nil && g.Format() != spec.Format {
		err = fault.Newf(fault.Conflict, "the group already exists with format v%d", g.Format())
	}
	return g, err
}

// joined joins the path of a group and a relative path.
func joined(group, path string) string {
	if group == "" || path == "" {
		return group + path
	}
	return group + "/" + path
}
