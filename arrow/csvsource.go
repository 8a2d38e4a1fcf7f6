package arrow

import (
	"context"
	lines "encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/fault"
)

// maxLine is the maximum number of bytes of a line of CSV.
const maxLine = 16 << 20

// short is a reader that fails if a line is too long. left is set again for each line.
type short struct {
	io.Reader
	left int
}

func (s *short) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if s.left -= n; s.left < 0 {
		return 0, fault.Newf(fault.Limit, "a line of CSV has more than %d bytes", maxLine)
	}
	return n, err
}

// lines returns the names of the columns, and a function that returns the cells of the next line.
func (s *stored) lines() (names []string, next func() ([]string, error), err error) {
	limit := &short{s.section(), maxLine}
	r := lines.NewReader(limit)
	if names, err = r.Read(); err != nil {
		return nil, nil, fault.Newf(fault.Corrupt, "the line with the names of columns cannot be read: %w", err)
	}
	names[0] = strings.TrimPrefix(names[0], "\ufeff")
	r.ReuseRecord = true
	return names, func() ([]string, error) {
		limit.left = maxLine
		return r.Read()
	}, nil
}

// csv determines the types of the columns of a CSV file from all cells.
func (s *stored) csv() error {
	names, next, err := s.lines()
	if err != nil {
		return err
	}
	if len(names) > maxFields {
		return fault.Newf(fault.Limit, "the table has %d columns, more than %d", len(names), maxFields)
	}
	guesses := make([]guess, len(names))
	for {
		cells, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		for i, cell := range cells {
			guesses[i].add(cell)
		}
	}
	fields := make([]arrow.Field, len(names))
	for i, name := range names {
		fields[i] = arrow.Field{Name: name, Type: guesses[i].typ(), Nullable: true}
	}
	s.schema = arrow.NewSchema(fields, nil)
	s.begin = func(_ context.Context, mem memory.Allocator, columns []int) (func() (arrow.RecordBatch, error), func(), error) {
		_, next, err := s.lines()
		if err != nil {
			return nil, func() {}, err
		}
		of := make([]arrow.Field, len(columns))
		for i, c := range columns {
			of[i] = s.schema.Field(c)
		}
		b := array.NewRecordBuilder(mem, arrow.NewSchema(of, nil))
		return func() (arrow.RecordBatch, error) {
			bytes := 0
			for n := 0; n < maxRows/4 && bytes < maxLine; n++ {
				cells, err := next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					return nil, err
				}
				for i, c := range columns {
					bytes += len(cells[c])
					if err := appendCell(b.Field(i), cells[c]); err != nil {
						return nil, fault.Newf(fault.Corrupt, "column %q: %w", of[i].Name, err)
					}
				}
			}
			batch := b.NewRecordBatch()
			if batch.NumRows() == 0 {
				batch.Release()
				return nil, nil
			}
			return batch, nil
		}, b.Release, nil
	}
	return nil
}

// appendCell appends a cell to a column.
func appendCell(b array.Builder, cell string) error {
	if cell == "" {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
	case *array.StringBuilder: // whose AppendValueFromString takes (null) for null
		b.Append(cell)
	case *array.TimestampBuilder:
		t, ok := instant(cell)
		stamp, in := times{b.Type().(*arrow.TimestampType).Unit}.stamp(t)
		if !ok || !in {
			return fault.Newf(fault.Limit, "%q is out of the range of %v", cell, b.Type())
		}
		b.Append(stamp)
	default:
		return b.AppendValueFromString(cell)
	}
	return nil
}

// instant parses a time in ISO 8601, with at least a day.
func instant(cell string) (time.Time, bool) {
	if len(cell) < len("2000-01-01") || !strings.Contains(cell[1:], "-") {
		return time.Time{}, false
	}
	p, err := cf.ParsePeriod(cell, cf.ProlepticGregorian)
	if err != nil {
		return time.Time{}, false
	}
	return p.First.Std()
}

// guess excludes types of the cells of a column.
type guess struct {
	some                                      bool
	noInt, noUint, noFloat, noBool, notInTime bool
	unit                                      arrow.TimeUnit // of the finest time
}

func (g *guess) add(cell string) {
	if cell == "" {
		return
	}
	g.some = true
	digits := strings.TrimLeft(cell, "+-")
	code := len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' // such as 0042
	if !g.noInt {
		_, err := strconv.ParseInt(cell, 10, 64)
		g.noInt = err != nil || code
	}
	if !g.noUint {
		_, err := strconv.ParseUint(cell, 10, 64)
		g.noUint = err != nil || code
	}
	if !g.noFloat {
		_, err := strconv.ParseFloat(cell, 64)
		g.noFloat = err != nil || code
	}
	if !g.noBool {
		g.noBool = cell != "true" && cell != "false" && cell != "True" && cell != "False"
	}
	if !g.notInTime {
		t, ok := instant(cell)
		g.notInTime = !ok
		for ok && g.unit < arrow.Nanosecond && t.Nanosecond()%int(g.unit.Multiplier()) != 0 {
			g.unit++
		}
	}
}

// typ returns the first type that all cells have.
func (g *guess) typ() arrow.DataType {
	switch {
	case !g.some:
		return arrow.Null
	case !g.noInt:
		return arrow.PrimitiveTypes.Int64
	case !g.noUint:
		return arrow.PrimitiveTypes.Uint64
	case !g.noFloat:
		return arrow.PrimitiveTypes.Float64
	case !g.noBool:
		return arrow.FixedWidthTypes.Boolean
	case !g.notInTime:
		return &arrow.TimestampType{Unit: g.unit}
	}
	return arrow.BinaryTypes.String
}
