package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// fill creates an array of 4 × 600 000 elements and writes the first six of its first row.
func fill(t *testing.T, st store.Store) *zarr.Array {
	t.Helper()
	a, err := zarr.Create(t.Context(), st, "", zarr.Spec{Shape: []int{4, 600_000}, Chunks: []int{2, 3}, DType: dtype.Float32, Fill: -1})
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(t.Context(), a, []float32{1, 2, 3, 4, 5, 6.5}, zarr.At(0), zarr.Range(0, 6)); err != nil {
		t.Fatal(err)
	}
	return a
}

// call sends JSON and decodes the response as Lambda's runtime does.
func call(t *testing.T, url, payload, want string) {
	t.Helper()
	f, err := open(t.Context(), url, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.array.Store().Close()
	got, err := lambda.NewHandler(f.answer).Invoke(t.Context(), []byte(payload))
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

const (
	payload = `{"region":"0:2,4:7"}`
	want    = `{"shape":[2,3],"dtype":"float32","values":[5,6.5,-1,-1,-1,-1]}`
)

func TestDirectory(t *testing.T) {
	root := t.TempDir()
	fill(t, dir.New(root))
	call(t, root, payload, want)
	call(t, "file://"+root, `{"region":"0,5"}`, `{"shape":[1,1],"dtype":"float32","values":[6.5]}`)
}

// TestMetadata checks that with configured metadata the array is opened without a request, even
// after zarr.json was removed.
func TestMetadata(t *testing.T) {
	root := t.TempDir()
	fill(t, dir.New(root))
	doc, err := os.ReadFile(filepath.Join(root, "zarr.json"))
	if err == nil {
		err = os.Remove(filepath.Join(root, "zarr.json"))
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := open(t.Context(), root, string(doc))
	if err != nil {
		t.Fatal(err)
	}
	got, err := lambda.NewHandler(f.answer).Invoke(t.Context(), []byte(payload))
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if _, err := open(t.Context(), root, "{"); !errors.Is(err, fault.Metadata) {
		t.Errorf("half a document: %v", err)
	}
}

func TestS3(t *testing.T) {
	url := bucket.URL(t)
	st, err := s3.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	fill(t, st)
	call(t, url, payload, want)
}

func TestRefuses(t *testing.T) {
	f := &function{fill(t, mem.New())}
	tests := []struct {
		name, region string
		kind         error
	}{
		{"outside", "9", fault.Selection},
		{"no region", "a:b", fault.Selection},
		{"too large an answer", "", fault.Limit},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := f.answer(t.Context(), event{test.region}); !errors.Is(err, test.kind) {
				t.Errorf("got %v, want %v", err, test.kind)
			}
		})
	}
	for _, url := range []string{"", t.TempDir()} {
		if _, err := open(t.Context(), url, ""); err == nil {
			t.Errorf("%q was opened", url)
		}
	}
}

// silent blocks reads of chunks until the context ends.
type silent struct{ store.Store }

func (s silent) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if strings.HasPrefix(key, "c/") {
		<-ctx.Done()
		return store.Value{}, context.Cause(ctx)
	}
	return s.Store.Get(ctx, key, o, buf)
}

// TestDeadline checks that a call returns before Lambda's deadline.
func TestDeadline(t *testing.T) {
	st := mem.New()
	fill(t, st) // not in the bubble, because codecs keep state between calls
	synctest.Test(t, func(t *testing.T) {
		a, err := zarr.OpenArray(t.Context(), silent{st}, "")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err = (&function{a}).answer(ctx, event{"0,0"})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if end, _ := ctx.Deadline(); time.Until(end) != margin {
			t.Errorf("%v before the end", time.Until(end))
		}
	})
}
