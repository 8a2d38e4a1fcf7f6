package arrow

import (
	"context"
	lines "encoding/csv"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/csv"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Write writes all rows to w in a format, in the order of Reader. It does not close w. After an
// error, w has a part of the rows.
func (t *Table) Write(ctx context.Context, w io.Writer, f Format) (err error) {
	if w == nil {
		return fault.Newf(fault.Selection, "the writer of a table is nil")
	}
	r, err := t.reader(ctx)
	if err != nil {
		return err
	}
	defer r.Release()
	to, err := f.writer(w, t.schema)
	if err != nil {
		return err
	}
	for r.Next() {
		if err := to.write(r.RecordBatch(), r.first); err != nil {
			return err
		}
	}
	if r.Err() != nil {
		return r.Err()
	}
	return to.close()
}

// Format is a file format for tables.
type Format string

// The formats of tables.
const (
	File   Format = "arrow"  // the Arrow IPC file format, also called Feather
	Stream Format = "stream" // the Arrow IPC streaming format
	// Parquet has one row group for each block of chunks (see Table.Reader), or for several blocks
	// of together at least 131,072 rows. Columns are compressed with zstd. Durations are stored as
	// integers in ns, since Parquet lacks them.
	Parquet Format = "parquet"
	// CSV has a line with the names of columns. Missing values are empty, and so are empty texts.
	// Times have the form 2006-01-02T15:04:05, and durations are integers in ns.
	CSV Format = "csv"
)

// Formats returns all formats.
func Formats() []Format { return []Format{File, Stream, Parquet, CSV} }

// FormatOf returns the format that the ending of a file's name means: .arrow, .feather, .arrows,
// .parquet or .csv.
func FormatOf(name string) (f Format, ok bool) {
	f, ok = map[string]Format{
		".arrow": File, ".feather": File, ".arrows": Stream, ".parquet": Parquet, ".csv": CSV,
	}[strings.ToLower(filepath.Ext(name))]
	return f, ok
}

// writer writes record batches. first reports that a batch is the first of a block.
type writer struct {
	write func(b arrow.RecordBatch, first bool) error
	close func() error
}

// writer returns a writer of a format.
func (f Format) writer(w io.Writer, s *arrow.Schema) (writer, error) {
	switch f {
	case File:
		to, err := ipc.NewFileWriter(w, ipc.WithSchema(s))
		if err != nil {
			return writer{}, err
		}
		return writer{func(b arrow.RecordBatch, _ bool) error { return to.Write(b) }, to.Close}, nil
	case Stream:
		to := ipc.NewWriter(w, ipc.WithSchema(s))
		return writer{func(b arrow.RecordBatch, _ bool) error { return to.Write(b) }, to.Close}, nil
	case Parquet:
		return parquetWriter(w, s)
	case CSV:
		return csvWriter(w, s)
	}
	return writer{}, fault.Newf(fault.Selection, "there is no format %q of tables; there are %q", string(f), Formats())
}

// csvWriter returns a writer of texts. A table without rows has the line of names.
func csvWriter(w io.Writer, s *arrow.Schema) (writer, error) {
	var names []string
	for _, f := range s.Fields() {
		names = append(names, f.Name)
	}
	head := lines.NewWriter(w)
	if err := head.Write(names); err != nil {
		return writer{}, err
	}
	head.Flush()
	to := csv.NewWriter(w, s, csv.WithNullWriter(""), csv.WithCustomTypeConverter(cells))
	return writer{func(b arrow.RecordBatch, _ bool) error { return to.Write(b) }, to.Flush}, head.Error()
}

// cells returns the texts of columns whose type package csv formats differently or not at all.
func cells(t arrow.DataType, col arrow.Array) ([]string, bool) {
	switch t.ID() {
	case arrow.DICTIONARY, arrow.TIMESTAMP, arrow.DURATION:
	default:
		return nil, false
	}
	out, d := make([]string, col.Len()), dictionaryOf(col)
	known := map[int]string{} // of the codes in this batch
	for i := range out {
		if col.IsNull(i) {
			continue
		}
		if d == nil {
			out[i] = cell(col, i)
			continue
		}
		code := d.GetValueIndex(i)
		text, ok := known[code]
		if !ok {
			text = cell(d.Dictionary(), code)
			known[code] = text
		}
		out[i] = text
	}
	return out, true
}

// dictionaryOf returns a column of codes, or nil.
func dictionaryOf(col arrow.Array) *array.Dictionary {
	d, _ := col.(*array.Dictionary)
	return d
}

// cell returns the text of an element.
func cell(a arrow.Array, i int) string {
	switch a := a.(type) {
	case *array.Timestamp:
		return a.Value(i).ToTime(a.DataType().(*arrow.TimestampType).Unit).UTC().Format("2006-01-02T15:04:05.999999999")
	case *array.Duration:
		return strconv.FormatInt(int64(a.Value(i))*int64(a.DataType().(*arrow.DurationType).Unit.Multiplier()/time.Nanosecond), 10)
	}
	return a.ValueStr(i)
}
