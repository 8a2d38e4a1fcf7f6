package creating

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// NewArray creates the array, or opens it if the flags allow an existing one. The caller closes the
// place.
func NewArray(ctx context.Context, s *session.Session, url string, spec zarr.Spec, f SpecFlags) (*session.Place, *zarr.Array, error) {
	if err := checkSpec(ctx, spec); err != nil {
		return nil, nil, exit.At(session.Where(url), err)
	}
	p, err := s.LocateNew(ctx, url, f.Root)
	if err != nil {
		return nil, nil, err
	}
	make := zarr.Create
	if f.ExistOk {
		make = zarr.OpenOrCreate
	}
	a, err := make(ctx, p.Store, p.Path, spec, s.Options()...)
	if err != nil {
		p.Release()
		return nil, nil, p.Fail(err)
	}
	if err := f.After(ctx, s, p, a); err != nil {
		p.Release()
		return nil, nil, err
	}
	return p, a, nil
}

func (c *Create) group(ctx context.Context, s *session.Session) error {
	if c.Shape != nil || c.DType != "" || c.Chunks != "" || c.Shards != "" || c.ChunkEdges != "" || c.ShardEdges != "" || c.Chooses() || c.Codec != nil || c.Fill != "" || c.Dims != "" || s.Given["order"] || s.Given["separator"] {
		return exit.Usagef("--group cannot be combined with a shape, data type, chunks, shards, codecs, fill value, order, separator or dimensions")
	}
	attrs, err := argument.Attrs(c.Attrs)
	if err != nil {
		return err
	}
	p, err := s.LocateNew(ctx, c.URL, c.Root)
	if err != nil {
		return err
	}
	defer p.Release()
	g, err := createGroup(ctx, p.Store, p.Path, zarr.Spec{Format: c.ZFormat, Attrs: attrs}, c.ExistOk, s.Options()...)
	if err != nil {
		return p.Fail(err)
	}
	return c.After(ctx, s, p, g)
}

// Create is the command create.
type Create struct {
	URL   string  `arg:"" name:"url" help:"The array or group to create."`
	Shape *string `help:"Elements along each axis: 10,20. Empty for a scalar." placeholder:"N,…"`
	DType string  `name:"dtype" help:"Data type: bool, int8 to int64, uint8 to uint64, float16 to float64, complex64, complex128, string, bytes, bfloat16, float8_e4m3fn and so on; NumPy's <f4, >i2, S5, U4, datetime64[ms]; or JSON as in metadata." placeholder:"TYPE"`
	Group bool    `help:"Create a group."`
	Like  string  `help:"Create the same array or group as at this URL, with all nodes below it, but without values. Or create the dataset that a CDL file describes, such as the output of dump or ncdump -h, or a JSON file with xarray's Dataset.to_dict(data=False); - is standard input." placeholder:"URL|FILE|-"`
	SpecFlags
}

// Run creates an array or a group.
func (c *Create) Run(ctx context.Context, s *session.Session) error {
	if c.Like != "" {
		return c.like(ctx, s)
	}
	if c.Group {
		return c.group(ctx, s)
	}
	if c.Shape == nil || c.DType == "" {
		return exit.Usagef("an array requires --shape and --dtype; use --group to create a group")
	}
	shape, err := argument.Integers("--shape", *c.Shape)
	if err != nil {
		return err
	}
	t, err := argument.Type("--dtype", c.DType)
	if err != nil {
		return err
	}
	spec, err := c.Spec(shape, t, strings.HasPrefix(c.DType, ">"))
	if err != nil {
		return err
	}
	p, _, err := NewArray(ctx, s, c.URL, spec, c.SpecFlags)
	if err != nil {
		return err
	}
	p.Release()
	return nil
}

// like creates a node with the metadata of another node, or of a CDL or JSON file.
func (c *Create) like(ctx context.Context, s *session.Session) error {
	lower := strings.ToLower(c.Like)
	isFile := c.Like == "-" || strings.HasSuffix(lower, ".cdl") || strings.HasSuffix(lower, ".json")
	f := c.SpecFlags
	if c.Shape != nil || c.DType != "" || c.Group || f.Chunks != "" || f.Shards != "" || f.ChunkEdges != "" || f.ShardEdges != "" || f.Chooses() ||
		f.Fill != "" || f.Dims != "" || f.Attrs != "" || s.Given["separator"] || s.Given["order"] {
		return exit.Usagef("--like cannot be combined with a shape, data type, chunks, shards, fill value, order, separator, dimensions or attributes")
	}
	if isFile {
		return c.fromFile(ctx, s)
	}
	if f.Codec != nil || s.Given["format"] {
		return exit.Usagef("--codec and --format require a CDL or JSON file after --like; the node of a URL is created with its codecs and format")
	}
	from, n, err := s.OpenStored(ctx, c.Like)
	if err != nil {
		return err
	}
	defer from.Release()
	if a, ok := n.(*zarr.Array); ok {
		p, _, err := NewArray(ctx, s, c.URL, a.Spec(), f)
		if err != nil {
			return err
		}
		p.Release()
		return nil
	}
	g, _ := n.(*zarr.Group)
	nodes, err := nodesBelow(ctx, g)
	if err != nil {
		return from.Fail(err)
	}
	p, err := vacant(ctx, s, c.URL, f)
	if err != nil {
		return err
	}
	defer p.Release()
	return c.copyNodes(ctx, s, p, g, nodes)
}

// maxDescription is the maximum length of a CDL or JSON file in bytes. A typical header has a few
// kilobytes.
const maxDescription = 16 << 20

// readFile reads the file of --like, or standard input for "-".
func (c *Create) readFile(s *session.Session) (string, error) {
	in := s.In
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
func vacant(ctx context.Context, s *session.Session, url string, f SpecFlags) (*session.Place, error) {
	p, err := s.LocateNew(ctx, url, f.Root)
	if err != nil || f.ExistOk {
		return p, err
	}
	switch _, err = zarr.Open(ctx, p.Store, p.Path, s.Options()...); {
	case errors.Is(err, fault.NotFound):
		return p, nil
	case err == nil:
		err = fault.Newf(fault.Exists, "a node already exists")
	}
	p.Release()
	return nil, p.Fail(err)
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
func (c *Create) copyNodes(ctx context.Context, s *session.Session, p *session.Place, g *zarr.Group, nodes []zarr.Node) error {
	format := max(g.Format(), 2) // format 1 cannot be written
	to, err := createGroup(ctx, p.Store, p.Path, zarr.Spec{Format: format, Attrs: g.Attrs()}, c.ExistOk, s.Options()...)
	if err != nil {
		return p.Fail(err)
	}
	for _, n := range nodes {
		path := session.Joined(p.Path, strings.TrimPrefix(strings.TrimPrefix(n.Path(), g.Path()), "/"))
		if a, ok := n.(*zarr.Array); ok {
			make := zarr.Create
			if c.ExistOk {
				make = zarr.OpenOrCreate
			}
			_, err = make(ctx, p.Store, path, a.Spec(), s.Options()...)
		} else {
			_, err = createGroup(ctx, p.Store, path, zarr.Spec{Format: max(n.Format(), 2), Attrs: n.Attrs()}, c.ExistOk, s.Options()...)
		}
		if err != nil {
			return p.Fail(err)
		}
	}
	if g.Metadata().Consolidated != nil {
		if to, err = to.Consolidate(ctx); err != nil {
			return p.Fail(err)
		}
	}
	return c.After(ctx, s, p, to)
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
