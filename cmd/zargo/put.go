package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/npy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

type putCmd struct {
	URL    string  `arg:"" name:"url" help:"The array."`
	File   string  `arg:"" name:"file.npy" help:"The file to write; - is standard input."`
	As     string  `help:"Convert the numbers in the file to this data type, which must be that of the array. Numbers are rounded to the nearest; a number out of range is an error." placeholder:"TYPE"`
	Create bool    `help:"Create the array, with the shape of the file and its data type or that of --as."`
	Shape  *string `help:"With --create and --sel: the shape of the array." placeholder:"N,…"`
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
	if err := c.check(); err != nil {
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
	convert, err := c.conversion(h.Type)
	if err != nil {
		return err
	}
	p, a, err := c.open(ctx, s, h.Shape, convert.to)
	if err != nil {
		return err
	}
	defer p.release()
	r, err := s.chosen(ctx, p, a, items)
	if err != nil {
		return p.fail(err)
	}
	if !dtype.Equal(a.DType(), convert.to) {
		what := fmt.Sprintf("%s has %v: convert it with --as %v", name, h.Type, a.DType())
		if c.As != "" {
			what = fmt.Sprintf("--as is %v", convert.to)
		}
		return p.fail(fault.Newf(fault.Type, "the array has data type %v, but %s", a.DType(), what))
	}
	if !slices.Equal(r.shape(), h.Shape) {
		return p.fail(fault.Newf(fault.Selection, "the selection has shape %v, but %s has shape %v", r.shape(), name, h.Shape))
	}
	s.far.writing(a, r, &s.report)
	return putFile(ctx, s.far, a, r, in, h, name, convert, p.fail)
}

// putFile writes the data after the header of a .npy file into a region of an array. fail adds the
// array's URL to errors.
func putFile(ctx context.Context, far *progress, a *zarr.Array, r region, in io.Reader, h npy.Header, name string, convert *conversion, fail func(error) error) error {
	parts, err := bandsToWrite(ctx, a, r)
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
		size := b.bytes / a.DType().Size() * h.Type.Size()
		if cap(buf) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if err := h.ReadData(in, buf); err != nil {
			return at(name, err)
		}
		values, err := convert.of(buf)
		if err != nil {
			return at(name, err)
		}
		if err := a.WriteBytes(ctx, values, b.selections()...); err != nil {
			return fail(err)
		}
		far.add(int64(b.bytes))
	}
	return nil
}

// check rejects flags that describe a new array if --create is not set, because they would have no
// effect.
func (c *putCmd) check() error {
	f := c.specFlags
	given := f.chooses() || f.Chunks != "" || f.Shards != "" || f.ChunkEdges != "" || f.ShardEdges != "" || f.Codec != nil || f.Fill != "" || f.Dims != "" || f.Attrs != "" || f.Root != "" ||
		f.ExistOk || f.Consolidate || f.Order != "C" || f.ZFormat != 3 || c.Shape != nil
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

// conversion returns the conversion of a file's elements to the type in --as.
func (c *putCmd) conversion(from dtype.Type) (*conversion, error) {
	if c.As == "" {
		return newConversion(from, from)
	}
	to, err := parseType("--as", c.As)
	if err != nil {
		return nil, err
	}
	convert, err := newConversion(from, to)
	return convert, at("--as", err)
}

// open opens the array, or creates it with the shape and type of the file.
func (c *putCmd) open(ctx context.Context, s *session, shape []int, t dtype.Type) (*place, *zarr.Array, error) {
	if !c.Create {
		return c.openOld(ctx, s)
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

// openOld opens an existing array. If the stored chunks have keys of another layout than writes
// would use, it returns an error that requires --separator, because an array with chunks in both
// layouts cannot be read completely.
func (c *putCmd) openOld(ctx context.Context, s *session) (*place, *zarr.Array, error) {
	p, a, err := s.openArray(ctx, c.URL, separatorFlag{c.Separator}.options()...)
	if err != nil {
		return nil, nil, err
	}
	if a, err = c.of(a); err != nil {
		p.release()
		return nil, nil, p.fail(err)
	}
	if c.Separator != "" || !a.Metadata().NoSeparator {
		return p, a, nil
	}
	l, err := upkeep.CheckKeys(ctx, a)
	switch {
	case errors.Is(err, fault.Refused): // write permission does not imply permission to list
		return p, a, nil
	case err == nil && l.Other() != "":
		err = usagef("%v: pass --separator %s or --separator %s", l, l.Other(), l.Separator)
	}
	if err != nil {
		p.release()
		return nil, nil, p.fail(err)
	}
	return p, a, nil
}

// inOrder reads all elements of a file in Fortran order and returns them in C order. It holds the
// elements in memory twice.
func inOrder(in io.Reader, h npy.Header) (io.Reader, error) {
	n, err := h.Bytes()
	if err != nil {
		return nil, err
	}
	if limit := concurrency.Memory() / 4; n > limit {
		return nil, fault.Newf(fault.Limit, "the file is in Fortran order and has %[2]d bytes, more than the %[1]d that can be reordered in memory", limit, n)
	}
	src, dst := make([]byte, n), make([]byte, n)
	if err := h.ReadData(in, src); err != nil {
		return nil, err
	}
	npy.FromFortran(dst, src, h.Shape, h.Type.Size())
	return bytes.NewReader(dst), nil
}
