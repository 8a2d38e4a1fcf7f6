package tables

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/lengths"
)

func length(codec string, level int, set string, zargo, theirs int) lengths.Length {
	return lengths.Length{Case: lengths.Case{Codec: codec, Level: level, Set: set}, Zargo: zargo, Numcodecs: theirs}
}

// TestLengths checks the rows and outliers of a record: gzip is combined with zlib, and levels with
// the same lengths are combined.
func TestLengths(t *testing.T) {
	r := lengths.Record{
		Sums: []lengths.Sum{{Set: "a", Bench: true}, {Set: "b", Bench: true}, {Set: "c"}},
		Lengths: []lengths.Length{
			length("gzip", 1, "a", 1000, 1000), length("gzip", 1, "b", 990, 1000), length("gzip", 1, "c", 1030, 1000),
			length("zlib", 1, "a", 10000, 10001), length("zlib", 1, "b", 980, 1000), length("zlib", 1, "c", 1031, 1000),
			length("x", 1, "a", 1, 1), length("x", 2, "a", 1, 1), length("x", 3, "a", 1040, 1000), length("x", 3, "b", 1050, 1000),
			length("x", 4, "a", 1041, 1000), length("x", 4, "c", 2, 1),
		},
		Times: []lengths.Time{{Codec: "gzip", Level: 1, Ratio: 0.5}, {Codec: "zlib", Level: 1, Ratio: 2}, {Codec: "x", Level: 1, Ratio: 3}, {Codec: "x", Level: 2, Ratio: 4},
			{Codec: "x", Level: 3, Ratio: 1}, {Codec: "x", Level: 4, Ratio: 1}},
	}
	_, rows, _ := strings.Cut(lengthRows(r), "|---|---|---|---|---|---|\n")
	if want := `| gzip, zlib | 1 | -2.0 … 0.0 | -2.0 … +3.1 | 1 of 6 | 0.5 … 2 |
| x | 1, 2 | 0.0 … 0.0 | 0.0 … 0.0 | 0 of 1 | 3 … 4 |
| x | 3 | +4.0 … +5.0 | +4.0 … +5.0 | 2 of 2 | 1 |
| x | 4 | +4.1 … +4.1 | +4.1 … +100.0 | 2 of 2 | 1 |
`; rows != want {
		t.Errorf("%s\nwant\n%s", rows, want)
	}
	if got, want := farRows(r), `| codec | level | array | difference, % |
|---|---|---|---|
| x | 3 | `+"`b`"+` | +5.0 |
| x | 4 | `+"`a`"+` | +4.1 |
| gzip, zlib | 1 | `+"`c`"+` | +3.1 |
| x | 4 | `+"`c`"+` | +100.0 |
`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := farRows(lengths.Record{}), "No encoding of a benchmark array is more than 3 % longer.\n"; got != want {
		t.Errorf("without lengths: %q, want %q", got, want)
	}
}

// TestEveryLongerIsTold checks that the list has every recorded encoding that is much longer than
// C's on the benchmark's data.
func TestEveryLongerIsTold(t *testing.T) {
	r, err := lengths.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	list, err := lengthList()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range measured(r) {
		if m.bench.most <= near {
			continue
		}
		line := fmt.Sprintf(`(?m)^\| %s \| %d \| .* \| %s \|$`, m.name, m.level, regexp.QuoteMeta(percent(m.bench.most)))
		if !regexp.MustCompile(line).MatchString(list) {
			t.Errorf("%s at %d is not in\n%s", m.name, m.level, list)
		}
	}
}
