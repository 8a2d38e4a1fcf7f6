package writing

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/coding"
	"github.com/zargo-io/zargo/cmd/zargo/internal/creating"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Put is the command put.
type Put struct {
	URL    string  `arg:"" name:"url" help:"The array."`
	File   string  `arg:"" name:"file.npy" help:"The file to write; - is standard input."`
	Create bool    `help:"Create the array, with the shape of the file and its data type or that of --as. Values are encoded by the attributes in --attrs."`
	Shape  *string `help:"With --create and --sel: the shape of the array." placeholder:"N,…"`
	coding.EncodeFlags
	selection.Flags
	creating.SpecFlags
	session.FieldFlag
}

// Run writes a .npy file into a selection of an array.
func (c *Put) Run(ctx context.Context, s *session.Session) error {
	items, err := c.Items()
	if err != nil {
		return err
	}
	if err := c.check(s); err != nil {
		return err
	}
	in, name := s.In, "standard input"
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // opened for reading only
		in, name = f, c.File
	}
	h, err := npy.ReadHeader(in)
	if err != nil {
		return exit.At(name, err)
	}
	to, err := c.Target(h.Type)
	if err != nil {
		return err
	}
	p, a, err := c.open(ctx, s, h.Shape, to)
	if err != nil {
		return err
	}
	defer p.Release()
	r, err := selection.Chosen(ctx, s, p, a, items)
	if err != nil {
		return p.Fail(err)
	}
	flags := c.EncodeFlags
	flags.Raw = flags.Raw || c.Field != "" // the attributes describe the structure
	attrs, err := selection.AttrsOf(ctx, s, p, a)
	if err != nil {
		return p.Fail(err)
	}
	e, err := flags.Encoder(s, a, attrs, h.Type, name, session.LastSegment(p.Where))
	if err != nil {
		return p.Fail(err)
	}
	if !slices.Equal(r.Shape(), h.Shape) {
		return p.Fail(fault.Newf(fault.Selection, "the selection has shape %v, but %s has shape %v", r.Shape(), name, h.Shape))
	}
	if !c.Create {
		if err := written(ctx, s, c.URL, p, a); err != nil {
			return err
		}
	}
	selection.ShowWriting(s.Far, a, r, &s.Report)
	return putFile(ctx, s.Far, a, r, in, h, name, e, p.Fail)
}

// putFile writes the data after the header of a .npy file into a region of an array. fail adds the
// array's URL to errors.
func putFile(ctx context.Context, far *progress.Display, a *zarr.Array, r selection.Region, in io.Reader, h npy.Header, name string, e *coding.Encoder, fail func(error) error) error {
	each := max(a.DType().Size(), h.Type.Size())
	if h.Fortran {
		if err := reorderable(h, r, each); err != nil {
			return exit.At(name, err)
		}
	}
	parts, err := selection.BandsToWrite(ctx, a, r, each)
	if err != nil {
		return fail(err)
	}
	if h.Fortran {
		if in, err = inOrder(in, h); err != nil {
			return exit.At(name, err)
		}
		h.Order = dtype.Little
	}
	var buf []byte
	for b := range parts {
		n := b.Bytes / each
		size := n * h.Type.Size()
		if cap(buf) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if err := h.ReadBytes(in, buf); err != nil {
			return exit.At(name, err)
		}
		if e.Items != nil {
			if err := a.WriteItems(ctx, e.Items(buf), b.Selections()...); err != nil {
				return fail(err)
			}
			continue
		}
		values, err := e.Of(buf)
		if err != nil {
			return exit.At(name, err)
		}
		if err := a.WriteBytes(ctx, values, b.Selections()...); err != nil {
			return fail(err)
		}
		far.Add(int64(n * a.DType().Size()))
	}
	return nil
}

// check rejects flags that describe a new array if --create is not set, because they would have no
// effect.
func (c *Put) check(s *session.Session) error {
	f := c.SpecFlags
	given := f.Chooses() || f.Chunks != "" || f.Shards != "" || f.ChunkEdges != "" || f.ShardEdges != "" || f.Codec != nil || f.Fill != "" || f.Dims != "" || f.Attrs != "" || f.Root != "" ||
		f.ExistOk || f.Consolidate || s.Given["order"] || s.Given["format"] || c.Shape != nil
	if given && !c.Create {
		return exit.Usagef("flags that describe a new array require --create")
	}
	if c.Field != "" && c.Create {
		return exit.Usagef("--field and --create cannot be combined")
	}
	if c.Given() && c.Create && c.Shape == nil {
		return exit.Usagef("--create with --sel requires --shape, because the file is only a part of the array")
	}
	return nil
}

// open opens the array, or creates it with the shape and type of the file.
func (c *Put) open(ctx context.Context, s *session.Session, shape []int, t dtype.Type) (*session.Place, *zarr.Array, error) {
	if !c.Create {
		return s.OpenToWrite(ctx, c.URL, session.SeparatorFlag{Separator: c.Separator}, c.FieldFlag)
	}
	if c.Shape != nil {
		var err error
		if shape, err = argument.Integers("--shape", *c.Shape); err != nil {
			return nil, nil, err
		}
	}
	spec, err := c.Spec(shape, t, strings.HasPrefix(c.As, ">"))
	if err != nil {
		return nil, nil, err
	}
	return creating.NewArray(ctx, s, c.URL, spec, c.SpecFlags)
}

// reorderable returns fault.Limit if a file in Fortran order is too large to be reordered in
// memory. The error contains the memory limit that suffices for a put of the file into region r, of
// an array with elements of each bytes.
func reorderable(h npy.Header, r selection.Region, each int) error {
	n, err := h.Bytes()
	if err != nil {
		return err
	}
	memory := concurrency.Memory()
	if n <= memory/4 {
		return nil
	}
	total, err := r.Bytes(each)
	if err != nil {
		return err
	}
	return fault.Newf(fault.Limit, "the file is in Fortran order and has %d bytes, more than a quarter of the memory limit of %d: set GOMEMLIMIT to at least %d", n, memory, progress.Capped(4*max(n, total), session.OutsideHeap))
}

// inOrder reads all elements of a file in Fortran order and returns them in C order. It holds the
// elements in memory twice.
func inOrder(in io.Reader, h npy.Header) (io.Reader, error) {
	n, err := h.Bytes()
	if err != nil {
		return nil, err
	}
	src, dst := make([]byte, n), make([]byte, n)
	if err := h.ReadBytes(in, src); err != nil {
		return nil, err
	}
	npy.FromFortran(dst, src, h.Shape, h.Type.Size())
	return bytes.NewReader(dst), nil
}
