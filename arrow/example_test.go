package arrow_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/zargo-io/zargo/arrow"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func Example() {
	ctx, st := context.Background(), mem.New()
	if err := weather(ctx, st); err != nil {
		log.Fatal(err)
	}
	d, err := dataset.Open(ctx, st, "", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	t, err := arrow.New(d, "time", "lat")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Count(), "rows")

	t, err = t.Where("lat", 45, 55) // chunks of other rows are not read
	if err != nil {
		log.Fatal(err)
	}
	if err := t.Write(ctx, os.Stdout, arrow.CSV); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 6 rows
	// time,lat,t2m
	// 2020-01-01T00:00:00,50,280.5
	// 2020-01-01T06:00:00,50,
}

func ExampleTables() {
	ctx, st := context.Background(), mem.New()
	if err := weather(ctx, st); err != nil {
		log.Fatal(err)
	}
	d, err := dataset.Open(ctx, st, "", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	tables, err := arrow.Tables(d)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tables {
		fmt.Println(t.Count(), "rows:", t.Schema().NumFields(), "columns")
	}
	// Output: 6 rows: 3 columns
}

// ExampleTable_Reader counts the missing values of a column.
func ExampleTable_Reader() {
	ctx, st := context.Background(), mem.New()
	if err := weather(ctx, st); err != nil {
		log.Fatal(err)
	}
	d, err := dataset.Open(ctx, st, "", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	t, err := arrow.New(d)
	if err != nil {
		log.Fatal(err)
	}
	r, err := t.Reader(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	rows, missing := 0, 0
	for r.Next() {
		column := r.RecordBatch().Column(2)
		rows, missing = rows+column.Len(), missing+column.NullN()
	}
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows, "rows,", missing, "missing")
	// Output: 6 rows, 1 missing
}

// weather creates a dataset with a packed variable.
func weather(ctx context.Context, st *mem.Store) error {
	d, err := dataset.Create(ctx, st, "", dataset.Spec{Vars: []dataset.VarSpec{
		{Name: "time", Spec: zarr.Spec{Shape: []int{2}, Dims: []string{"time"}, DType: dtype.Int32, Attrs: map[string]any{"units": "hours since 2020-01-01"}}},
		{Name: "lat", Spec: zarr.Spec{Shape: []int{3}, Dims: []string{"lat"}, DType: dtype.Float64}},
		{Name: "t2m", Missing: -1, Spec: zarr.Spec{Shape: []int{2, 3}, Dims: []string{"time", "lat"}, DType: dtype.Int16, Attrs: map[string]any{"scale_factor": 0.5}}},
	}}, dataset.Options{})
	if err != nil {
		return err
	}
	_, err = d.Write(ctx, dataset.Stored("time", []int32{0, 6}), dataset.Floats("lat", []float64{60, 50, 40}),
		dataset.Stored("t2m", []int16{560, 561, 562, 570, -1, 572}))
	return err
}

// ExampleFormat_Write serves the values of a dataset as Arrow streams.
func ExampleFormat_Write() {
	ctx, st := context.Background(), mem.New()
	if err := weather(ctx, st); err != nil {
		log.Fatal(err)
	}
	s, err := serve.New(serve.Options{Formats: map[string]serve.Format{"arrow": arrow.Stream}}, serve.Dataset{ID: "weather", Store: st})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	web := httptest.NewServer(s) // or s.Serve(ctx, listener, grace)
	defer web.Close()

	resp, err := http.Get(web.URL + "/datasets/weather/slice?var=t2m&lat=50:40&f=arrow")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	r, err := ipc.NewReader(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		fmt.Println(r.RecordBatch().NumRows(), "rows,", r.RecordBatch().ColumnName(2), r.RecordBatch().Column(2))
	}
	fmt.Println(resp.Header.Get("Content-Type"), r.Err())
	// Output:
	// 4 rows, t2m [280.5 281 (null) 286]
	// application/vnd.apache.arrow.stream <nil>
}

// ExampleImport creates a dataset from a table of stations.
func ExampleImport() {
	ctx, st := context.Background(), mem.New()
	text := "time,station,t\n2020-01-02,b,1.5\n2020-01-01,a,2.5\n"
	table, err := arrow.OpenSource(strings.NewReader(text), int64(len(text)), arrow.CSV)
	if err != nil {
		log.Fatal(err)
	}
	d, err := arrow.Import(ctx, st, "", arrow.ImportOptions{Labels: []string{"time", "station"}}, table)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Dims())
	// Output: [{station 2} {time 2}]
}
