package arrow

import (
	"context"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// leastGroup is the least number of rows of a row group, except for the last. DuckDB and Spark
// read a row group in one thread, and DuckDB's own have 122,880 rows.
const leastGroup = 1 << 17

// parquetWriter returns a writer of Parquet.
func parquetWriter(w io.Writer, s *arrow.Schema) (writer, error) {
	stored := storable(s)
	props := parquet.NewWriterProperties(parquet.WithVersion(parquet.V2_LATEST), parquet.WithCompression(compress.Codecs.Zstd), parquet.WithMaxRowGroupLength(math.MaxInt32))
	to, err := pqarrow.NewFileWriter(stored, struct{ io.Writer }{w}, props, pqarrow.DefaultWriterProps()) // to would close an io.Closer
	if err != nil {
		return writer{}, err
	}
	rows := int64(-1) // of the row group
	return writer{func(b arrow.RecordBatch, first bool) error {
		if rows < 0 || first && rows >= leastGroup {
			if err := to.NewBufferedRowGroupChecked(); err != nil {
				return err
			}
			rows = 0
		}
		rows += b.NumRows()
		columns := make([]arrow.Array, b.NumCols())
		for i, c := range b.Columns() {
			var err error
			if columns[i], err = storedColumn(c); err != nil {
				return err
			}
			defer columns[i].Release()
		}
		converted := array.NewRecordBatch(stored, columns, b.NumRows())
		defer converted.Release()
		return to.WriteBuffered(converted)
	}, to.Close}, nil
}

// storedColumn returns a column with the type of [storable].
func storedColumn(c arrow.Array) (arrow.Array, error) {
	c.Retain()
	if d := dictionaryOf(c); d != nil {
		values, err := compute.TakeArray(context.Background(), d.Dictionary(), d.Indices())
		c.Release()
		if err != nil {
			return nil, err
		}
		c = values
	}
	if c.DataType().ID() == arrow.DURATION {
		d := array.NewData(arrow.PrimitiveTypes.Int64, c.Len(), c.Data().Buffers(), nil, c.NullN(), c.Data().Offset())
		defer d.Release()
		defer c.Release()
		return array.MakeFromData(d), nil
	}
	return c, nil
}

// storable returns a schema without dictionaries, which Parquet has as an encoding, and with
// integers in place of durations.
func storable(s *arrow.Schema) *arrow.Schema {
	fields := s.Fields()
	for i := range fields {
		if d, ok := fields[i].Type.(*arrow.DictionaryType); ok {
			fields[i].Type = d.ValueType
		}
		if fields[i].Type.ID() == arrow.DURATION {
			fields[i].Type = arrow.PrimitiveTypes.Int64
		}
	}
	return arrow.NewSchema(fields, nil)
}
