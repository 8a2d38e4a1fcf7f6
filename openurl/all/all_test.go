package all_test

import (
	"errors"
	"testing"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/http"
)

// urls returns one URL for each provider.
func urls() []string {
	return []string{
		"s3://bucket/a?region=eu-central-1&anonymous=true",
		"gs://bucket/a?anonymous=true",
		"azblob://container/a?storage_account=account&anonymous=true",
		"http://example.com/a",
		"https://example.com/a",
	}
}

// TestCommon checks that every provider applies the common options and rejects invalid values.
func TestCommon(t *testing.T) {
	for _, url := range urls() {
		t.Run(url, func(t *testing.T) {
			st, err := all.With(all.Options{MaxInFlight: 7, Hedge: true}).Open(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			if got := store.TuningOf(st).Requests; got != 7 {
				t.Errorf("%d requests in flight, want 7", got)
			}
			for _, bad := range []all.Options{{MaxInFlight: -1}, {RequestRate: -1}, {ByteRate: -1}} {
				var usage *s3.UsageError // one type for all providers
				if _, err := all.With(bad).Open(t.Context(), url); !errors.As(err, &usage) {
					t.Errorf("%+v: %v", bad, err)
				}
			}
		})
	}
}

// TestOwn checks that the options of one provider override the common ones.
func TestOwn(t *testing.T) {
	stores := all.With(all.Options{
		MaxInFlight: 7,
		S3:          []s3.Option{s3.MaxInFlight(3)},
		GCS:         []gcs.Option{gcs.MaxInFlight(3)},
		Azure:       []azure.Option{azure.MaxInFlight(3)},
		HTTP:        []http.Option{http.MaxInFlight(3)},
	})
	for _, url := range urls() {
		st, err := stores.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if got := store.TuningOf(st).Requests; got != 3 {
			t.Errorf("%s: %d requests in flight, want 3", url, got)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
}
