// Command zargo-beam runs a plan of "zargo transfer plan" on Apache Beam:
//
//	zargo-beam --plan=s3://bucket/plan.json --runner=universal --endpoint=host:8099 --environment_type=EXTERNAL --environment_config=host:50000
//	zargo-beam --plan=plan.json                                  runs in this process, on Prism
//
// The flags other than --plan, --runner and --workers are those of Beam's Go SDK.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/zargo-io/zargo/beam"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr/store"
)

func main() {
	plan := flag.String("plan", "", "path or URL of the plan")
	runner := flag.String("runner", "prism", "runner: prism, or universal for an endpoint")
	workers := flag.Int("workers", 0, "number of workers of the runner; each uses its share of the request rate that a provider accepts from a new client; 0: unknown")
	flag.Parse()
	beam.Register()
	sdk.Init() // in a worker process this call does not return
	if err := run(context.Background(), *plan, *runner, *workers); err != nil {
		fmt.Fprintln(os.Stderr, "zargo-beam:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, runner string, workers int) error {
	b, err := read(ctx, url)
	if err != nil {
		return err
	}
	p, err := transfer.Decode(b)
	if err != nil {
		return err
	}
	pipeline, scope := sdk.NewPipelineWithRoot()
	beam.Transfer(scope, p, workers)
	if _, err := sdk.Run(ctx, runner, pipeline); err != nil {
		return err
	}
	// A runner's job status does not prove that objects are stored, so check the objects.
	missing, err := transfer.Verify(ctx, p, beam.Open)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%d tasks are not done, beginning with task %d", len(missing), missing[0])
	}
	return err
}

// maxPlan is the maximum size of a plan in bytes.
const maxPlan = 1 << 30

// read returns the value at a URL.
func read(ctx context.Context, url string) ([]byte, error) {
	dir, name := path.Split(url)
	if dir == "" {
		dir = "."
	}
	st, err := beam.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	v, err := st.Get(ctx, name, store.GetOptions{Max: maxPlan}, nil)
	return v.Bytes, err
}
