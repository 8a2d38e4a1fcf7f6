package arrow

import (
	"context"
	"io"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/fault"
)

// MediaType returns the media type of a format, as IANA registers it. With the method Write, a
// Format is a serve.Format:
//
//	serve.Options{Formats: map[string]serve.Format{"arrow": arrow.Stream}}
func (f Format) MediaType() string {
	return map[Format]string{
		File: "application/vnd.apache.arrow.file", Stream: "application/vnd.apache.arrow.stream",
		Parquet: "application/vnd.apache.parquet", CSV: "text/csv",
	}[f]
}

// Write writes the selected elements of variables of d as a table. The other variables must have
// the dimensions of the first. Coordinates are columns if they are among the variables, or are
// those of dimensions.
func (f Format) Write(ctx context.Context, w io.Writer, d *dataset.Dataset, vars []*dataset.Variable) error {
	if len(vars) == 0 {
		return fault.Newf(fault.Selection, "a table needs a variable")
	}
	t := &Table{ds: d, lead: vars[0].Name()}
	for _, v := range vars {
		t.names = append(t.names, v.Name())
	}
	t, err := t.build()
	if err != nil {
		return err
	}
	for _, x := range t.findings {
		return fault.Newf(fault.Type, "%s", x.Text)
	}
	return t.Write(ctx, w, f)
}
