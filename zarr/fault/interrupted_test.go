package fault_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
)

func ExampleInterrupted() {
	err := error(&fault.Interrupted{Err: context.DeadlineExceeded, Last: fault.Newf(fault.Throttled, "SlowDown")})
	fmt.Println(err)
	fmt.Println(errors.Is(err, context.DeadlineExceeded), errors.Is(err, fault.Throttled))
	// Output:
	// context deadline exceeded (last failure: throttled: SlowDown)
	// true true
}
