package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// wantHist is a histogram that numpy computed (testdata/summary/make.py).
type wantHist struct {
	Low, High    float64
	Edges        []float64
	Counts       []int64
	Below, Above int64
}

// wantStats are the statistics that numpy computed.
type wantStats struct {
	Elements, Missing, NaN, Infinite, Count int64
	Min, Max                                json.Number
	Mean, Std                               float64
	Hist                                    wantHist
	Range                                   *wantHist
}

// numpyStats returns the statistics of the arrays in testdata/summary/data.zip.
func numpyStats(t testing.TB) map[string]wantStats {
	t.Helper()
	var all map[string]wantStats
	succeed(t, json.Unmarshal([]byte(golden(t, "testdata/summary/want.json")), &all))
	return all
}

// near reports whether the relative difference of two numbers is at most 1e-13.
func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-13*max(math.Abs(a), math.Abs(b)) }

// TestStats compares statistics with those of numpy.
func TestStats(t *testing.T) {
	p := newProgram()
	for name, want := range numpyStats(t) {
		t.Run(name, func(t *testing.T) {
			line := "stats --json testdata/summary/data.zip|zip:" + name
			text := do(t, p, line)
			if again := do(t, p, line+" --inflight 1"); again != text {
				t.Error("two runs differ")
			}
			var got wantStats
			doJSON(t, p, line, &got)
			if got.Elements != want.Elements || got.Missing != want.Missing || got.NaN != want.NaN || got.Infinite != want.Infinite || got.Count != want.Count {
				t.Errorf("%+v\nwant %+v", got, want)
			}
			if g, w := exactNumber(t, got.Min)+" "+exactNumber(t, got.Max), exactNumber(t, want.Min)+" "+exactNumber(t, want.Max); g != w {
				t.Errorf("%s, want %s", g, w)
			}
			if !near(got.Mean, want.Mean) || math.Abs(got.Std-want.Std) > 1e-11*max(want.Std, math.Abs(want.Mean)*1e-6) {
				t.Errorf("mean %v, std %v, want %v, %v", got.Mean, got.Std, want.Mean, want.Std)
			}
		})
	}
}

// exactNumber returns the digits of an integer, or a normalized form of a float.
func exactNumber(t testing.TB, n json.Number) string {
	t.Helper()
	if !strings.ContainsAny(n.String(), ".eE") {
		return n.String()
	}
	f, err := n.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// TestHist compares histograms with those of numpy.
func TestHist(t *testing.T) {
	p := newProgram()
	check := func(t *testing.T, line string, want wantHist) {
		t.Helper()
		var got wantHist
		doJSON(t, p, line, &got)
		if !slices.Equal(got.Counts, want.Counts) || got.Below != want.Below || got.Above != want.Above || !slices.Equal(got.Edges, want.Edges) {
			t.Errorf("%s: %+v\nwant %+v", line, got, want)
		}
	}
	for name, want := range numpyStats(t) {
		t.Run(name, func(t *testing.T) {
			url := "testdata/summary/data.zip|zip:" + name
			check(t, "hist --json "+url, want.Hist)
			if r := want.Range; r != nil {
				check(t, fmt.Sprintf("hist --json --bins 7 --range %v:%v %s", r.Low, r.High, url), *r)
			}
		})
	}
}

// TestSelectedStats checks that a selection of all elements does not change the result, and that
// the counts of consecutive parts have the right sum.
func TestSelectedStats(t *testing.T) {
	p := newProgram()
	const url = " testdata/summary/data.zip|zip:packed"
	all := do(t, p, "stats --json"+url)
	if got := do(t, p, "stats --json --sel 0:280,:"+url); got != all {
		t.Error(got)
	}
	var rows int64
	for _, sel := range []string{"0:7", "7:279", "-1", "0:0"} {
		var got wantStats
		doJSON(t, p, "stats --json --sel "+sel+url, &got)
		rows += got.Count + got.Missing
	}
	if rows != 140_000 {
		t.Error(rows)
	}
}

// TestHistRequests checks that hist and stats request each object once if a row of objects exceeds a
// band.
func TestHistRequests(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, s := range map[string]zarr.Spec{"chunks": {Chunks: []int{40, 1 << 17}}, "shards": {Chunks: []int{5, 1 << 16}, Shards: []int{40, 1 << 17}}} {
		s.Shape, s.DType = []int{40, 1 << 20}, dtype.Uint8
		err := zarr.Write(t.Context(), must(zarr.Create(t.Context(), dir.New(name), "", s)), bytes.Repeat([]uint8{1, 2, 3, 3}, 10<<20))
		r := zargo(t, newProgram(), "-v hist --json --range 0:4 --bins 4 "+name)
		if want := `"counts":[0,10485760,10485760,20971520]`; err != nil || !strings.Contains(r.err, " 11 gets") || !strings.Contains(strings.Join(strings.Fields(r.out), ""), want) {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
		if r := zargo(t, newProgram(), "-v stats --json "+name); !strings.Contains(r.err, " 11 gets") || !strings.Contains(r.out, `"mean": 2.25`) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
