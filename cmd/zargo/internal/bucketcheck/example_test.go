package bucketcheck_test

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/cmd/zargo/internal/bucketcheck"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func ExampleRun() {
	ctx, st := context.Background(), mem.New()
	o := bucketcheck.Options{
		Open:    func(context.Context, int) (store.Store, error) { return st, nil },
		Quick:   true,
		NoSpeed: true,
	}
	fmt.Println(o.Plan())
	r, err := bucketcheck.Run(ctx, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range r.Checks[8:10] {
		fmt.Printf("%s: %s (%s)\n", f.Name, f.Verdict, f.Seen)
	}
	// Output:
	// at most 118 objects, 1220 requests, 17 MiB sent and 18 MiB received
	// get if not version: holds (unchanged before the replacement, read after it)
	// put if absent: holds (the second put was refused, and the first value stays)
}
