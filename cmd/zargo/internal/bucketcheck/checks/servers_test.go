package checks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/bucketcheck"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/http"
)

var update = flag.Bool("update", false, "write what was found into testdata, and the table into docs/providers.md")

// place is a server to check. begin returns the options for a check of an empty prefix or of an
// existing key.
type place struct {
	name  string
	begin func(t *testing.T) bucketcheck.Options // sets Open and Above
}

func places() []place {
	in := func(name string, p bucket.Provider) place {
		return place{name: name, begin: func(t *testing.T) bucketcheck.Options {
			t.Helper()
			raw := p.URL(t)
			u, err := url.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			return bucketcheck.Options{Above: len(u.Path), Open: func(ctx context.Context, inFlight int) (store.Store, error) {
				return p.Open(ctx, raw, inFlight)
			}}
		}}
	}
	return []place{
		in("versitygw", bucket.S3()), in("MinIO", bucket.MinIO()), in("fake-gcs-server", bucket.GCS()), in("Azurite", bucket.Azure()),
		{name: "directory", begin: func(t *testing.T) bucketcheck.Options {
			t.Helper()
			folder := t.TempDir()
			return bucketcheck.Options{Open: func(context.Context, int) (store.Store, error) { return dir.New(folder), nil }}
		}},
		{name: "nginx", begin: func(t *testing.T) bucketcheck.Options {
			t.Helper()
			site := bucket.NewSite(t)
			if _, err := dir.New(site.Dir).Put(t.Context(), "t/c/0", bytes.Repeat([]byte("chunk"), 20_000), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			return bucketcheck.Options{Key: "t/c/0", Open: func(ctx context.Context, inFlight int) (store.Store, error) {
				return http.Open(ctx, site.URL, http.MaxInFlight(inFlight))
			}}
		}},
	}
}

// TestServers compares the results with testdata and the requests with the plan, and checks that no
// objects remain.
func TestServers(t *testing.T) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			o := p.begin(t)
			o.NoSpeed = true
			r, err := bucketcheck.Run(t.Context(), o)
			if err != nil || !r.Complete {
				t.Fatalf("%+v, %v", r, err)
			}
			within(t, r, o.Plan())
			empty(t, o)
			if *update {
				write(t, p.name, r)
				return
			}
			was, err := saved(p.name)
			if err != nil {
				t.Fatal(err)
			}
			got, want := verdicts(r), verdicts(&was.Report)
			if !slices.Equal(got, want) {
				t.Errorf("found\n%s\ntestdata has\n%s\n-update writes it anew", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestSpeed measures the speed. It compares only the number of requests with the plan.
func TestSpeed(t *testing.T) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			o := p.begin(t)
			o.Quick = true
			r, err := bucketcheck.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			within(t, r, o.Plan())
			empty(t, o)
			s := r.Speed
			if s.Get == nil || s.Get.P50 <= 0 || len(s.Reads) != 5 || (o.Key == "") != (len(s.Writes) == 5) {
				t.Errorf("%+v", s)
			}
			if wire := p.name != "directory"; wire != (s.Get.FirstByte > 0) || wire != (len(r.Tuning) > 0) {
				t.Errorf("%+v, %+v", s.Get, r.Tuning)
			}
		})
	}
}

// TestInterrupted interrupts a run while values and parts are in flight.
func TestInterrupted(t *testing.T) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			o := p.begin(t)
			if o.Key != "" {
				return // this check writes nothing
			}
			o.Quick, o.NoSpeed = true, true
			for _, at := range []string{"special characters", "list a part", "delete many"} {
				ctx, cancel := context.WithCancel(t.Context())
				o.Found = func(f bucketcheck.Finding) {
					if f.Name == at {
						cancel()
					}
				}
				r, err := bucketcheck.Run(ctx, o)
				if !errors.Is(err, context.Canceled) || r.Complete {
					t.Errorf("%v", err)
				}
				empty(t, o)
			}
		})
	}
}

func within(t *testing.T, r *bucketcheck.Report, p bucketcheck.Plan) {
	t.Helper()
	if r.Objects > p.Objects || r.Cost.Requests > p.Requests || r.Cost.Sent > p.Sent || r.Cost.Received > p.Received {
		t.Errorf("it took %d objects and %+v, the plan was %v", r.Objects, r.Cost, p)
	}
}

// empty checks that no objects of a run remain.
func empty(t *testing.T, o bucketcheck.Options) {
	t.Helper()
	if o.Key != "" {
		return
	}
	s, err := o.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for e, err := range s.List(t.Context(), "", store.ListOptions{}) {
		t.Errorf("left: %+v, %v", e, err)
	}
}

// verdicts returns the part of a report that the table shows.
func verdicts(r *bucketcheck.Report) []string {
	var lines []string
	for _, f := range r.Checks {
		line := f.Name + ": " + string(f.Verdict)
		if f.Verdict != bucketcheck.Holds {
			line += ": " + f.Seen
		}
		lines = append(lines, line)
	}
	return lines
}

// write stores the part of a report that the table shows, which is reproducible.
func write(t *testing.T, name string, r *bucketcheck.Report) {
	t.Helper()
	var lines []string
	for _, f := range r.Checks {
		b, err := json.Marshal(map[string]string{"name": f.Name, "verdict": string(f.Verdict), "seen": f.Seen})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, "  "+string(b))
	}
	text := "{\"checks\": [\n" + strings.Join(lines, ",\n") + "\n]}\n"
	if err := os.WriteFile(filepath.Join("testdata", name+".json"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
