package rechunk

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TestSolutions checks the solutions of many small problems with wantStages, and compares their
// requests and bytes with those of bruteForce.
func TestSolutions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	solved, several := 0, 0
	for i := range 700 {
		p := random(r)
		best, one, err := Solve(p)
		if errors.Is(err, fault.Limit) {
			continue
		} else if err != nil {
			t.Fatal(p, err)
		}
		solved++
		if len(best.Stages) > 1 {
			several++
		}
		for _, s := range []Solution{best, one} {
			wantStages(t, p, s)
			var requests, bytes int64
			for i, st := range s.Stages {
				rows := -1
				if p.Parts && i == 0 {
					rows = slices.IndexFunc(clip(p.From, p.Shape), func(n int) bool { return n > 1 })
				}
				n, e := bruteForce(p.Shape, st, rows)
				requests += n
				bytes += e * int64(p.ItemSize)
			}
			if requests != s.Requests || bytes != s.Bytes {
				t.Errorf("%d requests and %d bytes, counted %d and %d", s.Requests, s.Bytes, requests, bytes)
			}
		}
		if len(one.Stages) != 1 {
			t.Errorf("one stage has %d", len(one.Stages))
		}
		if t.Failed() {
			t.Fatalf("problem %d: %+v\n%v\n%v", i, p, best, one)
		}
	}
	if solved < 500 || several < 50 {
		t.Errorf("%d problems solved, %d in several stages", solved, several)
	}
}

// TestSmallestMemory checks that the memory in an error suffices, and one byte less does not.
func TestSmallestMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		p := random(r)
		if p.Memory = 0; size(p.Shape, 1) == 0 {
			continue
		}
		_, _, err := Solve(p)
		var least int64
		if !errors.Is(err, fault.Limit) {
			t.Fatal(err)
		}
		if _, err := fmt.Sscanf(err.Error()[strings.Index(err.Error(), "at least"):], "at least %d", &least); err != nil {
			t.Fatal(err)
		}
		p.Memory = least - 1
		if _, _, err := Solve(p); !errors.Is(err, fault.Limit) {
			t.Errorf("%+v: %v", p, err)
		}
		p.Memory = least
		if _, one, err := Solve(p); err != nil || len(one.Stages) != 1 {
			t.Errorf("%+v: %v, %v", p, one, err)
		}
	}
}

// TestReanalysis compares the plan for ERA5, from maps to time series, with that of rechunker: two
// intermediates of 62,820 and 74,000 chunks with 1 GiB, one of 124,100 with 4 GiB.
func TestReanalysis(t *testing.T) {
	for _, c := range []struct {
		name   string
		memory int64
		pieces []int64
	}{{"1 GiB", 1 << 30, []int64{62820, 74000}}, {"4 GiB", 4 << 30, []int64{124100}}} {
		t.Run(c.name, func(t *testing.T) {
			p := reanalysis(c.memory)
			best, one, err := Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			wantStages(t, p, best)
			var got, want int64
			for _, st := range best.Stages[:len(best.Stages)-1] {
				n := int64(1)
				for a, w := range st.Write {
					n *= int64((p.Shape[a] + w - 1) / w)
				}
				got += n
			}
			for _, n := range c.pieces {
				want += n
			}
			if len(best.Stages) != len(c.pieces)+1 || 4*got > 5*want {
				t.Errorf("%d chunks between, rechunker %d\n%v", got, want, best)
			}
			if source := int64(p.Shape[0]); best.Requests > source+2*got+73*144+got/10 {
				t.Errorf("%d requests, %d chunks between", best.Requests, got)
			}
			if one.Requests < 100*best.Requests {
				t.Errorf("one stage: %d requests", one.Requests)
			}
		})
	}
}

func reanalysis(memory int64) Problem {
	return Problem{Shape: []int{350640, 721, 1440}, ItemSize: 4, From: []int{1, 721, 1440}, To: []int{350640, 10, 10}, Memory: memory}
}

// TestPrices checks that MinRead and MinIntermediate both count. If requests to the source are
// cheap, one stage with many reads is best.
func TestPrices(t *testing.T) {
	problem := Problem{Shape: []int{256, 1024, 1024}, ItemSize: 4, From: []int{1, 1024, 1024}, To: []int{256, 64, 64}, Parts: true, Memory: 80 << 20}
	for _, c := range []struct {
		get, request int64
		stages       int
		gets         int64
	}{
		{4 << 20, 4 << 20, 2, 256},
		{16 << 10, 4 << 20, 1, 16 * 256},
		{4 << 20, 16 << 10, 2, 256},
		{16 << 10, 16 << 10, 1, 16 * 256},
		{0, 16 << 10, 1, 16 * 256},
	} {
		p := problem
		p.MinRead, p.MinIntermediate = c.get, c.request
		best, one, err := Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		wantStages(t, p, best)
		if len(best.Stages) != c.stages || best.Gets != c.gets || one.Requests != one.Gets+256 {
			t.Errorf("%d and %d: %d gets\n%v", c.get, c.request, best.Gets, best)
		}
	}
}

// TestAligned checks that equal chunks, and chunks that are multiples of each other, are copied in
// one stage. It reads each chunk once, in the smallest blocks that allow this.
func TestAligned(t *testing.T) {
	for _, c := range []struct {
		name            string
		from, to, block []int
	}{
		{"equal", []int{10, 10}, []int{10, 10}, []int{10, 10}},
		{"multiple", []int{10, 10}, []int{50, 20}, []int{50, 20}},
		{"part", []int{50, 20}, []int{10, 10}, []int{50, 20}},
		{"across", []int{50, 10}, []int{10, 20}, []int{50, 20}},
		{"longer than the array", []int{2000, 10}, []int{10, 2000}, []int{1000, 1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			best, one, err := Solve(Problem{Shape: []int{1000, 1000}, ItemSize: 8, From: c.from, To: c.to, Memory: 1 << 30})
			if err != nil {
				t.Fatal(err)
			}
			want := Stage{c.from, c.to, c.block}
			if len(best.Stages) != 1 || !reflect.DeepEqual(best, one) || !reflect.DeepEqual(best.Stages[0], want) || best.Bytes != 16e6 {
				t.Errorf("got %v, want %v", best, want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	ok := Problem{Shape: []int{10, 10}, ItemSize: 1, From: []int{1, 10}, To: []int{10, 1}, Memory: 1 << 20}
	for _, c := range []struct {
		name   string
		change func(*Problem)
		want   error
	}{
		{"rank", func(p *Problem) { p.From = p.From[1:] }, fault.Selection},
		{"rank of the target", func(p *Problem) { p.To = append(p.To, 1) }, fault.Selection},
		{"chunk of none", func(p *Problem) { p.To = []int{0, 1} }, fault.Selection},
		{"negative chunk", func(p *Problem) { p.From = []int{1, -1} }, fault.Selection},
		{"negative shape", func(p *Problem) { p.Shape = []int{-1, 10} }, fault.Selection},
		{"items of none", func(p *Problem) { p.ItemSize = 0 }, fault.Selection},
		{"negative memory", func(p *Problem) { p.Memory = -1 }, fault.Selection},
		{"negative size", func(p *Problem) { p.MinIntermediate = -1 }, fault.Selection},
		{"negative size of what is read", func(p *Problem) { p.MinRead = -1 }, fault.Selection},
		{"no memory", func(p *Problem) { p.Memory = 29 }, fault.Limit},
		{"too large", func(p *Problem) { p.Shape, p.ItemSize = []int{1<<31 - 1, 1<<31 - 1}, 4 }, fault.Limit},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := ok
			c.change(&p)
			if best, one, err := Solve(p); !errors.Is(err, c.want) || best.Stages != nil || one.Stages != nil {
				t.Errorf("%v, %v, %v", best, one, err)
			}
		})
	}
	if _, _, err := Solve(ok); err != nil {
		t.Error(err)
	}
}

// TestSmallest checks an array without axes, which has one element, and arrays without elements,
// which need no requests.
func TestSmallest(t *testing.T) {
	if best, _, err := Solve(Problem{ItemSize: 4, Memory: 12}); err != nil || best.Requests != 2 || best.Bytes != 8 || len(best.Stages) != 1 {
		t.Errorf("no axes: %v, %v", best, err)
	}
	p := Problem{Shape: []int{0, 5}, ItemSize: 4, From: []int{1, 5}, To: []int{7, 1}}
	if best, _, err := Solve(p); err != nil || best.Requests != 0 || best.Bytes != 0 || len(best.Stages) != 1 {
		t.Errorf("no elements: %v, %v", best, err)
	} else {
		wantStages(t, p, best)
	}
}

var update = flag.Bool("update", false, "write testdata/plans.txt")

// TestPlans compares the plans of realistic problems with a golden file.
func TestPlans(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		name string
		p    Problem
	}{
		{"ERA5 into time series, 1 GiB", reanalysis(1 << 30)},
		{"ERA5 into time series, 4 GiB", reanalysis(4 << 30)},
		{"ERA5 back into maps, 1 GiB", Problem{Shape: []int{350640, 721, 1440}, ItemSize: 4, From: []int{8760, 10, 10}, To: []int{1, 721, 1440}, Memory: 1 << 30}},
		{"slices into columns, 64 MiB", Problem{Shape: []int{256, 1024, 1024}, ItemSize: 4, From: []int{1, 1024, 1024}, To: []int{256, 64, 64}, Memory: 64 << 20}},
		{"slices into columns, 64 MiB, rows that can be read alone", Problem{Shape: []int{256, 1024, 1024}, ItemSize: 4, From: []int{1, 64, 1024}, To: []int{256, 64, 64}, Memory: 80 << 20}},
		{"slices into columns, 64 MiB, on a local disk", Problem{Shape: []int{256, 1024, 1024}, ItemSize: 4, From: []int{1, 1024, 1024}, To: []int{256, 64, 64}, Memory: 64 << 20, MinIntermediate: 64 << 10}},
		{"slices into columns, 200 MiB, on a local disk, uncompressed", Problem{Shape: []int{256, 1024, 1024}, ItemSize: 4, From: []int{1, 1024, 1024}, To: []int{256, 64, 64}, Parts: true, Memory: 200 << 20, MinIntermediate: 16 << 10}},
		{"an image into shards, 512 MiB", Problem{Shape: []int{5, 3, 200, 20000, 20000}, ItemSize: 2, From: []int{1, 1, 1, 1024, 1024}, To: []int{1, 1, 64, 1024, 1024}, Memory: 512 << 20}},
		{"chunks that do not fit each other, 100 MB", Problem{Shape: []int{10000, 10000}, ItemSize: 8, From: []int{700, 300}, To: []int{256, 1024}, Memory: 100e6}},
		{"a table transposed, 100 MB", Problem{Shape: []int{1000000, 1000}, ItemSize: 8, From: []int{1000, 1000}, To: []int{1000000, 1}, Memory: 100e6}},
	} {
		best, one, err := Solve(c.p)
		if err != nil {
			t.Fatal(c.name, err)
		}
		wantStages(t, c.p, best)
		wantStages(t, c.p, one)
		fmt.Fprintf(&b, "# %s\n%s\none stage: %s\n\n", c.name, text(best), text(one))
	}
	const file = "testdata/plans.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || b.String() != string(want) {
		t.Errorf("%v, got\n%s", err, &b)
	}
}

// text returns the stages, one on each line, and their cost.
func text(s Solution) string {
	var b strings.Builder
	for _, st := range s.Stages {
		fmt.Fprintf(&b, "%v -> %v in blocks of %v\n", st.Read, st.Write, st.Block)
	}
	return fmt.Sprintf("%s%d requests, %d bytes", &b, s.Requests, s.Bytes)
}

// TestDeterministic checks that the same problem has the same solution.
func TestDeterministic(t *testing.T) {
	first, _, _ := Solve(reanalysis(1 << 30))
	if second, _, _ := Solve(reanalysis(1 << 30)); !reflect.DeepEqual(first, second) {
		t.Errorf("%v\n%v", first, second)
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, memory := range []int64{1 << 30, 4 << 30} {
		b.Run(fmt.Sprintf("memory=%dGiB", memory>>30), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Solve(reanalysis(memory)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
