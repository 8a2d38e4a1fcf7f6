package arrow

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
)

// maxRows is the maximum number of rows of a record batch. It is the batch size of DataFusion's
// readers, and a multiple of DuckDB's vectors of 2,048 rows.
const maxRows = 1 << 16

// blockBytes is the maximum number of bytes of stored elements of a block. The columns of a block
// take as much again.
const blockBytes = 16 << 20

// Reader returns the rows as record batches of at most 65,536 rows. It reads the coordinates that
// are dictionaries, and Next reads the variables block by block, one block ahead (see
// dataset.BlocksOf). A block consists of whole chunks.
//
// The rows of a block are in C order of the dimensions, and the blocks too. All rows are in C order
// if a block extends over all dimensions but the first, and in the order of chunks otherwise.
//
// The caller must call Release, which cancels requests in flight and waits for them. A batch stays
// valid after the call of Next that follows, if the caller retains it. The reader must not be used
// by several goroutines at a time, except for Retain and Release.
func (t *Table) Reader(ctx context.Context) (array.RecordReader, error) { return t.reader(ctx) }

// reader implements array.RecordReader.
type reader struct {
	refs  atomic.Int64
	table *Table
	held  []*labels // of each column; nil for elements
	next  func() (block, error, bool)
	stop  func()

	block block
	from  int64 // first row of the block that was not yet returned
	first bool  // the batch is the first of its block
	batch arrow.RecordBatch
	err   error
}

// block is a part of the rows: those of a box of the dimensions of the table.
type block struct {
	at, shape []int
	rows      int64
	arrays    []arrow.Array // of the columns that are elements, in order
}

func (t *Table) reader(ctx context.Context) (*reader, error) {
	r := &reader{table: t, held: make([]*labels, len(t.columns))}
	err := concurrency.EachN(ctx, len(t.columns)+1, len(t.columns), func(ctx context.Context, i int) (err error) {
		if t.columns[i].dim != "" {
			r.held[i], err = t.readLabels(ctx, t.columns[i])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	blocks, err := t.blocks(ctx)
	if err != nil {
		return nil, err
	}
	r.refs.Store(1)
	r.next, r.stop = iter.Pull2(blocks)
	return r, nil
}

// Retain increases the number of references by one.
func (r *reader) Retain() { r.refs.Add(1) }

// Release decreases the number of references by one. Without references the reader ends.
func (r *reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.stop()
	}
}

// drop releases the current batch.
func (r *reader) drop() {
	if r.batch != nil {
		r.batch.Release()
	}
	r.batch = nil
}

// Schema returns the names and types of the columns.
func (r *reader) Schema() *arrow.Schema { return r.table.schema }

// RecordBatch returns the current batch, until the following call of Next.
func (r *reader) RecordBatch() arrow.RecordBatch { return r.batch }

// Record is RecordBatch, for the interface.
func (r *reader) Record() arrow.RecordBatch { return r.batch }

// Err returns the error that ended the reader.
func (r *reader) Err() error { return r.err }

// Next prepares the next batch. It reports false at the end, and after an error.
func (r *reader) Next() bool {
	r.drop()
	for r.err == nil && r.from >= r.block.rows {
		b, err, ok := r.next()
		if r.err = err; err != nil || !ok {
			return false
		}
		r.block, r.from = b, 0
	}
	if r.err != nil {
		return false
	}
	n := min(maxRows, r.block.rows-r.from)
	columns, elements := make([]arrow.Array, len(r.held)), r.block.arrays
	for i, x := range r.held {
		if x == nil {
			columns[i], elements = array.NewSlice(elements[0], r.from, r.from+n), elements[1:]
			continue
		}
		k, stride := r.table.axis(r.table.columns[i].dim), int64(1)
		for _, s := range r.block.shape[k+1:] {
			stride *= int64(s)
		}
		columns[i] = x.rows(r.block.at[k], r.block.shape[k], stride, r.from, int(n))
	}
	r.batch, r.first = array.NewRecordBatch(r.table.schema, columns, n), r.from == 0
	r.from += n
	for _, c := range columns {
		c.Release()
	}
	return true
}

// source is an array whose elements are a column, in the place of the column among those.
type source struct {
	v    *dataset.Variable
	kind kind // nil for an array that only determines the blocks
	at   int
}

// sources returns the arrays of the columns that are elements, and how many columns these are. The
// first array has all dimensions of the table. It is not read if it is not a column.
func (t *Table) sources() (out []source, n int, err error) {
	for _, c := range t.columns {
		if c.dim == "" {
			out = append(out, source{c.array, c.kind, n})
			n++
		}
	}
	slices.SortStableFunc(out, func(a, b source) int { return len(b.v.Dims()) - len(a.v.Dims()) })
	if n == 0 || len(out[0].v.Dims()) < len(t.dims) {
		lead, err := t.ds.Var(t.lead)
		if err != nil {
			return nil, 0, err
		}
		out = slices.Insert(out, 0, source{v: lead})
	}
	return out, n, nil
}

// blocks returns the parts of the table, in order.
func (t *Table) blocks(ctx context.Context) (iter.Seq2[block, error], error) {
	from, columns, err := t.sources()
	if err != nil {
		return nil, err
	}
	vars := make([]*dataset.Variable, len(from))
	for i, s := range from {
		vars[i] = s.v
	}
	budget := vars[0].Array().Limits().Shared.Bytes.Size()
	all := dataset.BlocksOf(ctx, vars, max(min(blockBytes, budget/8), 1), func(ctx context.Context, parts []*dataset.Variable) (block, error) {
		dims := make([]dataset.Dim, len(t.dims))
		for _, d := range parts[0].Dims() {
			dims[t.axis(d.Name)] = d
		}
		b := block{shape: lengths(dims), rows: int64(parts[0].Len()), arrays: make([]arrow.Array, columns)}
		err := concurrency.EachN(ctx, len(from), len(from), func(ctx context.Context, i int) (err error) {
			if s := from[i]; s.kind != nil {
				b.arrays[s.at], err = s.kind.read(ctx, parts[i], layoutOf(dims, parts[i].Dims()))
			}
			return err
		})
		return b, err
	})
	return func(yield func(block, error) bool) {
		for part, err := range all {
			b := part.Values
			b.at = make([]int, len(t.dims))
			if err == nil {
				for i, d := range part.Dims() {
					b.at[t.axis(d.Name)] = part.At[i]
				}
			}
			if !yield(b, err) {
				return
			}
		}
	}, nil
}

// axis returns the number of a dimension of the table.
func (t *Table) axis(name string) int {
	return slices.IndexFunc(t.dims, func(d dataset.Dim) bool { return d.Name == name })
}

// lengths returns the lengths of dimensions.
func lengths(dims []dataset.Dim) []int {
	out := make([]int, len(dims))
	for i, d := range dims {
		out[i] = d.Len
	}
	return out
}
