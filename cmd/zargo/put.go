package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/npy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

type putCmd struct {
	URL    string  `arg:"" name:"url" help:"The array."`
	File   string  `arg:"" name:"file.npy" help:"The file to write; - is standard input."`
	Create bool    `help:"Create the array, with the shape of the file and its data type or that of --as. Values are encoded by the attributes in --attrs."`
	Shape  *string `help:"With --create and --sel: the shape of the array." placeholder:"N,…"`
	encodeFlags
	selFlags
	specFlags
	fieldFlag
}

// Run writes a .npy file into a selection of an array.
func (c *putCmd) Run(ctx context.Context, s *session) error {
	items, err := c.items()
	if err != nil {
		return err
	}
	if err := c.check(s); err != nil {
		return err
	}
	in, name := s.in, "standard input"
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
		return at(name, err)
	}
	to, err := c.target(h.Type)
	if err != nil {
		return err
	}
	p, a, err := c.open(ctx, s, h.Shape, to)
	if err != nil {
		return err
	}
	defer p.release()
	r, err := s.chosen(ctx, p, a, items)
	if err != nil {
		return p.fail(err)
	}
	flags := c.encodeFlags
	flags.Raw = flags.Raw || c.Field != "" // the attributes describe the structure
	attrs, err := s.attrsOf(ctx, p, a)
	if err != nil {
		return p.fail(err)
	}
	e, err := flags.encoder(s, a, attrs, h.Type, name, lastSegment(p.where))
	if err != nil {
		return p.fail(err)
	}
	if !slices.Equal(r.shape(), h.Shape) {
		return p.fail(fault.Newf(fault.Selection, "the selection has shape %v, but %s has shape %v", r.shape(), name, h.Shape))
	}
	if !c.Create {
		if err := s.written(ctx, c.URL, p, a); err != nil {
			return err
		}
	}
	s.far.writing(a, r, &s.report)
	return putFile(ctx, s.far, a, r, in, h, name, e, p.fail)
}

// putFile writes the data after the header of a .npy file into a region of an array. fail adds the
// array's URL to errors.
func putFile(ctx context.Context, far *progress, a *zarr.Array, r region, in io.Reader, h npy.Header, name string, e *encoder, fail func(error) error) error {
	each := max(a.DType().Size(), h.Type.Size())
	if h.Fortran {
		if err := reorderable(h, r, each); err != nil {
			return at(name, err)
		}
	}
	parts, err := bandsToWrite(ctx, a, r, each)
	if err != nil {
		return fail(err)
	}
	if h.Fortran {
		if in, err = inOrder(in, h); err != nil {
			return at(name, err)
		}
		h.Order = dtype.Little
	}
	var buf []byte
	for b := range parts {
		n := b.bytes / each
		size := n * h.Type.Size()
		if cap(buf) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if err := h.ReadData(in, buf); err != nil {
			return at(name, err)
		}
		if e.items != nil {
			if err := a.WriteItems(ctx, e.items(buf), b.selections()...); err != nil {
				return fail(err)
			}
			continue
		}
		values, err := e.of(buf)
		if err != nil {
			return at(name, err)
		}
		if err := a.WriteBytes(ctx, values, b.selections()...); err != nil {
			return fail(err)
		}
		far.add(int64(n * a.DType().Size()))
	}
	return nil
}

// check rejects flags that describe a new array if --create is not set, because they would have no
// effect.
func (c *putCmd) check(s *session) error {
	f := c.specFlags
	given := f.chooses() || f.Chunks != "" || f.Shards != "" || f.ChunkEdges != "" || f.ShardEdges != "" || f.Codec != nil || f.Fill != "" || f.Dims != "" || f.Attrs != "" || f.Root != "" ||
		f.ExistOk || f.Consolidate || s.given["order"] || s.given["format"] || c.Shape != nil
	if given && !c.Create {
		return usagef("flags that describe a new array require --create")
	}
	if c.Field != "" && c.Create {
		return usagef("--field and --create cannot be combined")
	}
	if c.given() && c.Create && c.Shape == nil {
		return usagef("--create with --sel requires --shape, because the file is only a part of the array")
	}
	return nil
}

// open opens the array, or creates it with the shape and type of the file.
func (c *putCmd) open(ctx context.Context, s *session, shape []int, t dtype.Type) (*place, *zarr.Array, error) {
	if !c.Create {
		return s.openToWrite(ctx, c.URL, separatorFlag{c.Separator}, c.fieldFlag)
	}
	if c.Shape != nil {
		var err error
		if shape, err = parseInts("--shape", *c.Shape); err != nil {
			return nil, nil, err
		}
	}
	spec, err := c.spec(shape, t, strings.HasPrefix(c.As, ">"))
	if err != nil {
		return nil, nil, err
	}
	return s.create(ctx, c.URL, spec, c.specFlags)
}

// reorderable returns fault.Limit if a file in Fortran order is too large to be reordered in memory.
// The error contains the memory limit that suffices for a put of the file into region r, of an array
// with elements of each bytes.
func reorderable(h npy.Header, r region, each int) error {
	n, err := h.Bytes()
	if err != nil {
		return err
	}
	memory := concurrency.Memory()
	if n <= memory/4 {
		return nil
	}
	total, err := r.bytes(each)
	if err != nil {
		return err
	}
	return fault.Newf(fault.Limit, "the file is in Fortran order and has %d bytes, more than a quarter of the memory limit of %d: set GOMEMLIMIT to at least %d", n, memory, capped(4*max(n, total), outsideHeap))
}

// inOrder reads all elements of a file in Fortran order and returns them in C order. It holds the
// elements in memory twice.
func inOrder(in io.Reader, h npy.Header) (io.Reader, error) {
	n, err := h.Bytes()
	if err != nil {
		return nil, err
	}
	src, dst := make([]byte, n), make([]byte, n)
	if err := h.ReadData(in, src); err != nil {
		return nil, err
	}
	npy.FromFortran(dst, src, h.Shape, h.Type.Size())
	return bytes.NewReader(dst), nil
}
