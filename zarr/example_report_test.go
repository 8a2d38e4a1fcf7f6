package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// The example counts the requests of a group and of the program in one Report.
func ExampleOption_Count() {
	ctx := context.Background()
	var report zarr.Report
	count := zarr.WithReport(&report)
	st, _ := count.Count(mem.New())
	if _, err := zarr.CreateGroup(ctx, st, "weather", zarr.Spec{}, count); err != nil {
		log.Fatal(err)
	}
	before := report.Puts.Load()
	if _, err := st.Put(ctx, "weather/README", []byte("hourly"), store.PutOptions{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(before, "puts by the group,", report.Puts.Load()-before, "by the program")
	// Output: 2 puts by the group, 1 by the program
}
