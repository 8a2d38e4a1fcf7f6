package arrow

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Source is a table that [Import] reads, several times.
type Source interface {
	Schema() *arrow.Schema

	// Rows yields all rows in order, with the columns of the given indexes. A batch is valid until
	// the next one. The first error ends the loop.
	Rows(ctx context.Context, columns []int) iter.Seq2[arrow.RecordBatch, error]
}

// OpenSource returns the table in a file of size bytes. Package arrow does not trust the file: the
// error is fault.Corrupt for a malformed file, and fault.Limit for one whose batches or pages
// exceed a quarter of the memory of the process. A CSV file has a line with the names of columns,
// and is read to determine their types: see the documentation of the package.
func OpenSource(r io.ReaderAt, size int64, f Format) (Source, error) {
	if r == nil || size < 0 {
		return nil, fault.Newf(fault.Selection, "a source needs a file of at least 0 bytes, and has %d", size)
	}
	open := map[Format]func(*stored) error{File: (*stored).file, Stream: (*stored).stream, Parquet: (*stored).parquet, CSV: (*stored).csv}[f]
	if open == nil {
		return nil, fault.Newf(fault.Selection, "there is no format %q of tables; there are %q", string(f), Formats())
	}
	s := &stored{at: r, size: size}
	return s, guard(func() error { return open(s) })
}

// stored is the table in a file. It implements Source.
type stored struct {
	at     io.ReaderAt
	size   int64
	schema *arrow.Schema
	// begin starts to read columns. next returns the next batch, which the caller
	// releases, or nil at the end.
	begin func(ctx context.Context, mem memory.Allocator, columns []int) (next func() (arrow.RecordBatch, error), end func(), err error)
}

func (s *stored) Schema() *arrow.Schema { return s.schema }

func (s *stored) Rows(ctx context.Context, columns []int) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		var next func() (arrow.RecordBatch, error)
		end := func() {}
		err := guard(func() (err error) {
			next, end, err = s.begin(ctx, newBounded(), columns)
			return err
		})
		defer func() { _ = guard(func() error { end(); return nil }) }()
		for err == nil {
			var b arrow.RecordBatch
			if err = ctx.Err(); err == nil {
				err = guard(func() (err error) {
					b, err = next()
					return err
				})
			}
			if err == nil {
				if b == nil {
					return
				}
				more := yield(b, nil)
				if b.Release(); !more {
					return
				}
			}
		}
		yield(nil, err)
	}
}

// section returns a reader of the whole file.
func (s *stored) section() *io.SectionReader { return io.NewSectionReader(s.at, 0, s.size) }

// maxBatch is the maximum memory of a batch of rows, with the pages that it is decoded from.
func maxBatch() int64 { return max(concurrency.Default().Bytes.Size()/4, 64<<20) }

// errBatch is the panic of bounded.
var errBatch = fault.Newf(fault.Limit, "the batches, pages or dictionaries of the table need too much memory")

// bounded is an allocator that panics with errBatch rather than exceed a limit.
type bounded struct {
	memory.GoAllocator
	left atomic.Int64
}

func newBounded() *bounded {
	b := &bounded{}
	b.left.Store(maxBatch())
	return b
}

func (b *bounded) Allocate(n int) []byte {
	b.take(n)
	return b.GoAllocator.Allocate(n)
}

func (b *bounded) Reallocate(n int, old []byte) []byte {
	b.take(n - len(old))
	return b.GoAllocator.Reallocate(n, old)
}

func (b *bounded) Free(old []byte) { b.left.Add(int64(len(old))) }

func (b *bounded) take(n int) {
	if b.left.Add(-int64(n)) < 0 {
		b.left.Add(int64(n))
		panic(errBatch)
	}
}

// guard calls a function that decodes a file. Errors and panics of Arrow become fault.Corrupt.
func guard(decode func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			err = p
		default:
			err = fault.Newf(fault.Corrupt, "the table cannot be decoded: %v", p)
		}
		var own fault.Kind
		if err != nil && !errors.As(err, &own) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			err = fault.Newf(fault.Corrupt, "the table cannot be decoded: %w", err)
		}
	}()
	return decode()
}
