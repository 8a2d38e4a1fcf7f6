package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// The prefix of a check is random, and a directory is listed in the order of its file system.
var (
	anyPlace = regexp.MustCompile(`zargo-check-[a-z0-9]{12}`)
	anyOrder = regexp.MustCompile(`in (no order|the order of their bytes)`)
)

// TestBucketTables checks the output for a store in memory and for a directory. The output contains
// no times.
func TestBucketTables(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "data/x", []byte("0123456789"))
	for _, c := range []struct{ name, line string }{
		{"mem", "bucket check mem://m/folder --no-speed"},
		{"dir", "bucket check new/folder --quick --no-speed"},
		{"read", "bucket check data --read-only --key x --no-speed"},
		{"json", "bucket check mem://m/folder --quick --no-speed --json"},
		{"plan", "bucket check s3://bucket?region=us-east-1 --dry-run"},
		{"planjson", "bucket check s3://bucket?region=us-east-1 --read-only --key x --quick --dry-run --json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "dir" && runtime.GOOS == "windows" {
				t.Skip("SKIPPED: names of files are fewer on Windows")
			}
			file := filepath.Join(here, "testdata/bucket", c.name+".txt")
			got := anyOrder.ReplaceAllString(anyPlace.ReplaceAllString(do(t, newProgram(), c.line), "zargo-check-…"), "in any order")
			if *update {
				succeed(t, os.WriteFile(file, []byte(got), 0o666))
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if w := strings.ReplaceAll(string(want), "\r\n", "\n"); got != w {
				t.Errorf("it printed\n%s\nwant\n%s", got, w)
			}
		})
	}
	if got := files(t); !slices.Equal(got, []string{"data/x"}) {
		t.Errorf("files are left: %q", got)
	}
	if _, err := os.Lstat("new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder is left: %v", err)
	}
}

// TestBucketSpeed checks the output of a run with speed, except its times. It also checks that the
// run takes no more requests and bytes than its dry run announces.
func TestBucketSpeed(t *testing.T) {
	var got struct {
		Checks []struct{ Verdict string }
		Speed  struct {
			Get, Put *struct {
				Requests int
				P50      int64 `json:"p50_ns"`
			}
			Reads, Writes []struct {
				InFlight int `json:"in_flight"`
				Requests int
			}
			Note string
		}
		Cost, Plan struct {
			Requests int64
			Sent     int64 `json:"bytes_sent"`
			Received int64 `json:"bytes_received"`
		}
		Objects int
	}
	for _, flag := range []string{"", " --dry-run"} {
		doJSON(t, newProgram(), "bucket check mem://m/ --quick --json"+flag, &got)
	}
	s := got.Speed
	if s.Get.Requests != 15 || s.Put.P50 <= 0 || len(s.Reads) != 5 || len(s.Writes) != 5 || s.Reads[4].InFlight != 256 || s.Writes[0].Requests == 0 || !strings.Contains(s.Note, "no network") {
		t.Errorf("%+v", s)
	}
	if got.Cost.Requests > got.Plan.Requests || got.Cost.Sent > got.Plan.Sent || got.Cost.Received > got.Plan.Received {
		t.Errorf("%+v beyond %+v", got.Cost, got.Plan)
	}
	if text := do(t, newProgram(), "bucket check mem://m/ --quick"); !strings.Contains(text, "256 writes in flight") || !strings.Contains(text, "one connection") {
		t.Error(text)
	}
}

// withStore returns a program that opens st for every mem:// URL.
func withStore(st store.Store) *program {
	return &program{openurl.Mux{"mem": func(_ context.Context, l openurl.Location) (store.Store, error) { return store.Prefix(st, l.Path) }}}
}

func TestBucketExitCodes(t *testing.T) {
	t.Run("a failed check", func(t *testing.T) {
		m := mem.New()
		ignores := store.Around(m, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) { return ctx, nil }})
		r := zargo(t, withStore(absentIgnored{ignores}), "bucket check mem://m/x --quick --no-speed")
		fails(t, r, 13, "mem://m/x", "checks failed: 2 of 30")
		if !strings.Contains(r.out, "put if absent, race    does not hold") || !strings.Contains(r.out, "IfAbsent is ignored") {
			t.Error(r.out)
		}
	})
	t.Run("something is left", func(t *testing.T) {
		m := mem.New()
		keeps := store.Around(m, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if c.Op == store.OpDelete {
				return ctx, &fault.KeyError{Op: "delete", Key: c.Key, Kind: fault.Refused}
			}
			return ctx, nil
		}})
		r := zargo(t, withStore(keeps), "bucket check mem://m/x --quick --no-speed")
		fails(t, r, 8, "could not be deleted", "zargo-check-", "refused")
		if strings.Contains(r.err, "--read-only") || !strings.Contains(r.out, " left below zargo-check-") {
			t.Errorf("%s\n%s", r.out, r.err)
		}
	})
	t.Run("no permission to write", func(t *testing.T) {
		b := newBucket(t)
		b.refuse = func(r *http.Request) (int, string) {
			if r.Method == "PUT" {
				return 403, "AccessDenied"
			}
			return 0, ""
		}
		r := zargo(t, newProgram(), "bucket check "+b.at("b", "x")+" --quick --no-speed")
		fails(t, r, 8, "s3://b/x", "AccessDenied", "--read-only --key KEY")
		if !strings.Contains(r.out, "put and get            refused") {
			t.Error(r.out)
		}
	})
	p := newProgram()
	t.Run("no such bucket", func(t *testing.T) {
		b := newBucket(t)
		fails(t, zargo(t, p, "bucket check "+b.at("nob", "")+" --quick"), 8, "s3://nob", "NoSuchBucket")
	})
	fails(t, zargo(t, p, "bucket check mem://m/x --read-only"), 2, "--key KEY")
	fails(t, zargo(t, p, "bucket check mem://m/x --key x"), 2, "--read-only")
	fails(t, zargo(t, p, "bucket check mem://m/x --read-only --key x"), 3, "mem://m/x", "not found")
	fails(t, zargo(t, p, "bucket check mem://m/x --read-only --key ../x"), 4, "unsafe path")
	fails(t, zargo(t, p, "bucket check nonsense://m/x"), 6, "nonsense")
	fails(t, zargo(t, p, "bucket check http://127.0.0.1:1/x"), 12, "read-only", "--key KEY")
	fails(t, zargo(t, p, "bucket"), 2)
}

// absentIgnored is a store that ignores IfAbsent.
type absentIgnored struct{ store.Store }

func (s absentIgnored) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	o.IfAbsent = false
	return s.Store.Put(ctx, key, value, o)
}

// TestBucketInterrupted checks that an interrupted check deletes the written objects and prints the
// results so far.
func TestBucketInterrupted(t *testing.T) {
	m := mem.New()
	ctx, cancel := context.WithCancel(t.Context())
	stops := store.Around(m, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		if strings.Contains(c.Key, "/many/") {
			cancel()
		}
		return ctx, nil
	}})
	var out, errOut strings.Builder
	code := withStore(stops).run(ctx, []string{"bucket", "check", "mem://m/x"}, nil, &out, &errOut)
	if code != 130 || errOut.String() != "zargo: interrupted\n" || !strings.Contains(out.String(), "list a part            holds") || !strings.Contains(out.String(), " written and deleted") {
		t.Errorf("exit %d, %s\n%s", code, errOut.String(), out.String())
	}
	for e, err := range m.List(t.Context(), "", store.ListOptions{}) {
		t.Errorf("left: %+v, %v", e, err)
	}
}
