package plan

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/grid"
)

func key(coord []int) string {
	var b strings.Builder
	b.WriteByte('c')
	for _, c := range coord {
		b.WriteByte('/')
		b.WriteString(strconv.Itoa(c))
	}
	return b.String()
}

// TestTranscripts compares the requests of plans with testdata/*.txt: a line "read shape=… chunks=… sel=start:step:count,…",
// "----", the requests, an empty line.
func TestTranscripts(t *testing.T) {
	b, err := os.ReadFile("testdata/plans.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(strings.TrimSpace(string(b)), "\n\n")
	if len(cases) < 6 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		head, want, ok := strings.Cut(c, "\n----\n")
		if !ok {
			head, want = strings.TrimSuffix(c, "\n----"), ""
		}
		t.Run(head, func(t *testing.T) {
			p := parse(t, head)
			if got := strings.TrimSuffix(p.String(), "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func parse(t *testing.T, head string) Plan {
	t.Helper()
	p := Plan{Layout: Layout{Key: key}}
	for _, f := range strings.Fields(head)[1:] {
		name, value, _ := strings.Cut(f, "=")
		for _, v := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' }) {
			switch name {
			case "shape", "chunks":
				n, err := strconv.Atoi(v)
				if err != nil {
					t.Fatal(err)
				}
				if name == "shape" {
					p.Shape = append(p.Shape, n)
				} else {
					p.Chunks = append(p.Chunks, n)
				}
			case "sel":
				var s grid.Slice
				if _, err := fmt.Sscanf(v, "%d:%d:%d", &s.Start, &s.Step, &s.Count); err != nil {
					t.Fatal(err)
				}
				p.Region = append(p.Region, s)
			default:
				t.Fatalf("unknown word %q", f)
			}
		}
	}
	return p
}

func TestLenIsTheNumberOfFetches(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		p := Plan{Layout: Layout{Key: key}}
		for range 1 + r.IntN(3) {
			n := 1 + r.IntN(12)
			step, start := 1+r.IntN(5), r.IntN(n)
			p.Shape = append(p.Shape, n)
			p.Chunks = append(p.Chunks, 1+r.IntN(n+2))
			p.Region = append(p.Region, grid.Slice{Start: start, Step: step, Count: r.IntN((n-start-1)/step + 2)})
		}
		n := 0
		for range p.Fetches() {
			n++
		}
		if p.Len() != n {
			t.Fatalf("%v of %v in %v: Len is %d, there are %d", p.Region, p.Shape, p.Chunks, p.Len(), n)
		}
	}
}
