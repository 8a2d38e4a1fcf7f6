package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/examples/region"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr"
)

func main() {
	f, err := open(context.Background(), os.Getenv("ARRAY_URL"), os.Getenv("ARRAY_METADATA"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "lambda:", err)
		os.Exit(1)
	}
	log.Printf("%v; %d MiB in flight at most", f.array, concurrency.Default().Bytes.Size()>>20)
	lambda.Start(f.answer)
}

const (
	// most is the maximum number of elements in a response. Lambda limits responses to 6 MB, and a
	// number may take 25 characters.
	most = 240_000
	// margin is the time between the end of a read and the function's timeout. A call uses it to
	// return an error.
	margin = 250 * time.Millisecond
)

// function is the state shared by calls.
type function struct{ array *zarr.Array }

type event struct {
	Region string `json:"region"`
}

func open(ctx context.Context, url, metadata string) (*function, error) {
	if url == "" {
		return nil, errors.New("ARRAY_URL is not set")
	}
	stores := openurl.Mux{"s3": openurl.With(s3.Open), "file": openurl.Dir()}
	st, err := stores.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	var opts []zarr.Option
	if metadata != "" { // the first request is for a chunk
		opts = append(opts, zarr.Documents(map[string][]byte{"zarr.json": []byte(metadata)}))
	}
	a, err := zarr.OpenArray(ctx, st, "", opts...)
	if err != nil {
		return nil, err
	}
	return &function{a}, nil
}

// answer handles one call. The deadline of ctx is that of the function.
func (f *function) answer(ctx context.Context, e event) (region.Answer, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-margin))
		defer cancel()
	}
	r, err := region.Parse(e.Region, f.array.Shape())
	if err != nil {
		return region.Answer{}, err
	}
	return region.Read(ctx, f.array, r, most)
}
