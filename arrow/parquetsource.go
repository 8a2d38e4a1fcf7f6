package arrow

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/zargo-io/zargo/zarr/fault"
)

// parquet opens a Parquet file. Columns that are not read cost nothing.
func (s *stored) parquet() error {
	open := func(mem memory.Allocator) (*file.Reader, *pqarrow.FileReader, error) {
		props := parquet.NewReaderProperties(mem)
		props.BufferedStreamEnabled = true // or whole row groups are in memory
		props.MaxCompressedPageSize, props.MaxUncompressedPageSize = maxBatch()/4, maxBatch()/4
		r, err := file.NewParquetReader(s.section(), file.WithReadProps(props))
		if err != nil {
			return nil, nil, err
		}
		of, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{BatchSize: maxRows / 4}, mem)
		return r, of, err
	}
	r, of, err := open(newBounded())
	if err != nil {
		return err
	}
	if s.schema, err = of.Schema(); err != nil {
		return err
	}
	rows := int64(0)
	for i := range r.NumRowGroups() {
		n := r.MetaData().RowGroup(i).NumRows()
		if n < 0 || rows+n < rows {
			return fault.Newf(fault.Corrupt, "row group %d has %d rows", i, n)
		}
		rows += n
	}
	s.begin = func(ctx context.Context, mem memory.Allocator, columns []int) (func() (arrow.RecordBatch, error), func(), error) {
		r, of, err := open(mem)
		if err != nil {
			return nil, func() {}, err
		}
		left, end := rows, func() { _ = r.Close() }
		if rows == 0 {
			return func() (arrow.RecordBatch, error) { return nil, nil }, end, nil
		}
		leaves := make([]int, len(columns)) // columns are not nested: see Import
		for i, c := range columns {
			leaves[i] = of.Manifest.Fields[c].ColIndex
		}
		batches, err := of.GetRecordReader(ctx, leaves, nil)
		if err != nil {
			return nil, end, err
		}
		return func() (arrow.RecordBatch, error) {
			b, err := batches.Read()
			switch {
			case errors.Is(err, io.EOF) && left == 0:
				return nil, nil
			case errors.Is(err, io.EOF) || err == nil && b == nil:
				return nil, fault.Newf(fault.Corrupt, "the file lacks %d of %d rows", left, rows)
			case err != nil:
				return nil, err
			}
			if left -= b.NumRows(); left < 0 || b.NumRows() == 0 {
				return nil, fault.Newf(fault.Corrupt, "the file does not have %d rows", rows)
			}
			b.Retain()
			return b, nil
		}, func() { batches.Release(); end() }, nil
	}
	return r.Close()
}
