package main

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// TestDuRequests checks that one listing counts everything, and that consolidated metadata
// determines the nodes.
func TestDuRequests(t *testing.T) {
	b, p := newBucket(t), newProgram()
	do(t, p, "create "+b.at("b", "w.zarr")+" --group")
	for _, name := range []string{"x", "y", "g/z"} {
		do(t, p, "create "+b.at("b", "w.zarr/"+name)+" --shape 4,3 --chunks 1,1 --dtype int16")
		if r := zargoArgs(t, p, numpyFile(t, "int16"), "put", b.at("b", "w.zarr/"+name), "-", "--sel", "1:3"); r.code != 0 {
			t.Fatal(r.err)
		}
	}
	do(t, p, "consolidate "+b.at("b", "w.zarr"))
	var lists, chunks, all atomic.Int64
	b.refuse = func(r *http.Request) (int, string) {
		all.Add(1)
		if r.URL.Query().Has("list-type") {
			lists.Add(1)
		}
		if strings.Contains(r.URL.Path, "/c/") {
			chunks.Add(1)
		}
		return 0, ""
	}
	got := do(t, p, "du "+b.at("b", "w.zarr"))
	if lists.Load() != 1 || chunks.Load() != 0 || all.Load() > 5 {
		t.Errorf("%d requests, %d listings, %d of chunks", all.Load(), lists.Load(), chunks.Load())
	}
	for _, want := range []string{"x    array  6 objects", "g    group  7 objects", "g/z  array  6 objects", ".    group  20 objects"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestLsOfABucket checks that ls lists the entries of a bucket with their kinds.
func TestLsOfABucket(t *testing.T) {
	b, p := newBucket(t), newProgram()
	do(t, p, "create "+b.at("b", "w.zarr")+" --group")
	do(t, p, "create "+b.at("b", "deep/down/a")+" --shape 1 --dtype int8")
	b.objects["README.md"] = []byte("text")
	if got, want := do(t, p, "ls "+b.at("b", "")), "README.md  object\ndeep       folder\nw.zarr     group\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := do(t, p, "ls -r "+b.at("b", "deep")), "deep\n└── down/\n    └── a\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	fails(t, zargo(t, p, "ls "+b.at("b", "nothing")), 3, "s3://b/nothing", "not found")
	b.refuse = func(r *http.Request) (int, string) {
		if r.URL.Query().Has("list-type") {
			return 403, "AccessDenied"
		}
		return 0, ""
	}
	fails(t, zargo(t, p, "ls "+b.at("b", "deep")), 8, "s3://b/deep", "AccessDenied")
}

// TestDryRunLists checks that a dry run of rm counts the stored objects and the requests to delete
// them with the two listings of the removal, and that it deletes nothing.
func TestDryRunLists(t *testing.T) {
	b, p := newBucket(t), newProgram()
	do(t, p, "create "+b.at("b", "w.zarr")+" --group")
	do(t, p, "create "+b.at("b", "w.zarr/x")+" --shape 4,3 --chunks 1,1 --dtype int16")
	if r := zargoArgs(t, p, numpyFile(t, "int16"), "put", b.at("b", "w.zarr/x"), "-", "--sel", "1:3"); r.code != 0 {
		t.Fatal(r.err)
	}
	do(t, p, "consolidate "+b.at("b", "w.zarr"))
	b.objects["stray/text"] = []byte("text")
	var lists, deletes atomic.Int64
	b.refuse = func(r *http.Request) (int, string) {
		if r.URL.Query().Has("list-type") && !r.URL.Query().Has("delimiter") {
			lists.Add(1)
		}
		if r.Method == http.MethodDelete || r.URL.Query().Has("delete") {
			deletes.Add(1)
		}
		return 0, ""
	}
	for _, tt := range []struct{ url, want, puts string }{
		{b.at("b", "w.zarr"), "7 objects to delete\n", "puts 0 5 5 5"},
		{b.at("b", "w.zarr/x"), "6 objects to delete\n", "puts 0 4 4 4"},
		{b.at("b", "stray"), "1 object to delete\n", "puts 0 1 1 1"},
	} {
		lists.Store(0)
		got := do(t, p, "rm --dry-run "+tt.url)
		if lists.Load() != 2 || deletes.Load() != 0 || !strings.Contains(got, tt.want) || !strings.Contains(strings.Join(strings.Fields(got), " "), tt.puts) {
			t.Errorf("%d listings, %d deletes, %s", lists.Load(), deletes.Load(), got)
		}
	}
}
