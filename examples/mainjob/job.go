package mainjob

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// Job describes one run of the job.
type Job struct {
	Path  string        // size of the values, rounded up to a multiple of 8
	MiB   int           // size of the values; rounded up to a multiple of 8
	Delay time.Duration // if not 0, the array is read again with each request delayed
	Out   io.Writer     // receives the report
}

// The array is divided into square chunks of side × side values, which are 1 MiB of float32. It is
// processed in bands of side rows and all columns. Bands consist of whole chunks, so no two bands
// write to the same chunk.
const (
	side = 512
	wide = 8 // chunks in a band
	cols = wide * side
)

// Run runs the job on a store. It does not remove the array.
func (j Job) Run(ctx context.Context, st store.Store) error {
	bands := max((j.MiB+wide-1)/wide, 1)
	m := &meter{Store: st}
	a, err := zarr.Create(ctx, m, j.Path, zarr.Spec{
		Shape: []int{bands * side, cols}, Chunks: []int{side, side}, DType: dtype.Float32, Dims: []string{"y", "x"},
		Codecs: []codec.Spec{codec.Zstd(1)}, // encodes twice as fast as the default
	})
	if err != nil {
		return err
	}
	created := m.take().requests
	codecs := make([]string, 0, 2)
	for _, c := range a.Codecs() {
		codecs = append(codecs, c.Name)
	}
	fmt.Fprintf(j.Out, "%d × %d %v in %d chunks of %d × %d (1 MiB), codecs %s, in %s\n\n", bands*side, cols, a.DType(), bands*wide, side, side,
		strings.Join(codecs, ", "), store.Name(st))
	fmt.Fprint(j.Out, header)

	// The second pass writes different values. It shows that whole chunks are replaced without
	// being read.
	writes := []pass{{"write, one chunk at a time", a, m, bands, 1, 1, writeBand}, {"write, many at once", a, m, bands, 2, 0, writeBand}}
	for _, p := range writes {
		if err := p.run(ctx, j.Out); err != nil {
			return err
		}
	}
	if a, err = zarr.OpenArray(ctx, m, j.Path); err != nil {
		return err
	}
	opened := m.take().requests
	reads := []pass{{"read, one chunk at a time", a, m, bands, 2, 1, checkBand}, {"read, many at once", a, m, bands, 2, 0, checkBand}}
	for _, p := range reads {
		if err := p.run(ctx, j.Out); err != nil {
			return err
		}
	}
	if j.Delay > 0 {
		fmt.Fprintf(j.Out, "with %v added to every request, as if the store were far away:\n", j.Delay)
		m.delay = j.Delay
		for _, p := range reads {
			if err := p.run(ctx, j.Out); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(j.Out, "\nEvery value was right. Creating took %d requests, opening %d. Times include computing and checking the values.\n",
		created, opened)
	return nil
}

// pass is one pass over the array, band by band.
type pass struct {
	name  string
	array *zarr.Array
	meter *meter
	bands int
	seed  uint32
	limit int // maximum chunks in flight; 0 is the store's limit
	band  func(ctx context.Context, a *zarr.Array, n int, seed uint32, buf []float32) error
}

func (p pass) run(ctx context.Context, out io.Writer) error {
	var report zarr.Report
	opts := []zarr.Option{zarr.WithReport(&report)}
	atOnce := 1
	if p.limit > 0 {
		opts = append(opts, zarr.Limit(zarr.Limits{InFlight: p.limit}))
	} else {
		// Process enough bands concurrently to use all cores, and all requests that the store
		// permits.
		atOnce = max(runtime.GOMAXPROCS(0), store.TuningOf(p.meter).Requests/wide)
	}
	a, err := p.array.With(opts...)
	if err != nil {
		return err
	}
	buffers := make(chan []float32, atOnce)
	for range atOnce {
		buffers <- make([]float32, side*cols)
	}
	p.meter.take()
	start := time.Now()
	err = concurrency.EachN(ctx, atOnce, p.bands, func(ctx context.Context, n int) error {
		buf := <-buffers
		defer func() { buffers <- buf }()
		return p.band(ctx, a, n, p.seed, buf)
	})
	if err != nil {
		return err
	}
	took := time.Since(start).Seconds()
	used := p.meter.take()
	values := float64(p.bands*side*cols) * 4
	fmt.Fprintf(out, row, p.name, took, values/1e6/took, report.Chunks.Load(), used.requests, used.peak, float64(used.bytes)/(1<<20))
	return nil
}

const (
	header = "                             seconds    MB/s  chunks  requests  in flight  MiB stored\n"
	row    = "%-27s %8.2f %7.0f %7d %9d %10d %11.1f\n"
)

func writeBand(ctx context.Context, a *zarr.Array, n int, seed uint32, buf []float32) error {
	fill(buf, seed, n*side)
	return zarr.Write(ctx, a, buf, zarr.Range(n*side, (n+1)*side))
}

func checkBand(ctx context.Context, a *zarr.Array, n int, seed uint32, buf []float32) error {
	if err := zarr.ReadInto(ctx, a, buf, zarr.Range(n*side, (n+1)*side)); err != nil {
		return err
	}
	return check(buf, seed, n*side)
}
