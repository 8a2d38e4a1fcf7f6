package ratios

import (
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/lengths"
)

// few selects the cases of a normal run: a short one of each codec and level and, at level 3, the
// benchmark's three-dimensional field.
func few(c lengths.Case) bool {
	switch {
	case c.Set == "float32-3d":
		return c.Level == 3 || c.Codec == "lz4"
	case strings.HasPrefix(c.Codec, "blosc"):
		return c.Set == "int16" && c.Shuffle == c.Level%3
	}
	return c.Set == "text"
}

// slow selects the cases of few for which numcodecs needs most of the time.
func slow(c lengths.Case) bool {
	return c.Codec == "zstd" && c.Level > 12 || c.Codec == "blosc zstd" && c.Level == 9
}

// TestRecord checks that the sets have not changed and that the record has every case. With -update
// it writes a new record instead.
func TestRecord(t *testing.T) {
	if *update {
		write(t)
		return
	}
	r, err := lengths.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	sets := Sets()
	if got := sums(sets); !slices.Equal(got, r.Sums) {
		t.Errorf("the sets are\n%v, recorded are\n%v: make ratios", got, r.Sums)
	}
	var cases []lengths.Case
	for _, l := range r.Lengths {
		cases = append(cases, l.Case)
	}
	if want := Cases(sets); !slices.Equal(cases, want) {
		t.Errorf("recorded are %d cases, of %d, or in another order: make ratios", len(cases), len(want))
	}
}

// TestZargo encodes a few cases and compares the lengths with the record.
func TestZargo(t *testing.T) {
	hold(t, few, "zargo", func(l lengths.Length) int { return l.Zargo }, func(c lengths.Case, s Set) int {
		n, _ := zargo(t, c, s)
		return n
	})
}

// TestNumcodecs encodes a few cases with numcodecs and compares the lengths with the record. It
// omits lzma, and it omits gzip and zlib if the version of zlib differs: Python uses these
// libraries of the machine, and other versions write other bytes.
func TestNumcodecs(t *testing.T) {
	r, err := lengths.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	j := judge(t)
	v, err := j.Versions()
	if err != nil {
		t.Fatal(err)
	}
	if v.Numcodecs != r.Numcodecs {
		t.Fatalf("numcodecs is %s, recorded is %s: make ratios", v.Numcodecs, r.Numcodecs)
	}
	other := v.Zlib != r.Zlib
	if other {
		t.Logf("gzip and zlib are not compared: Python has zlib %s, recorded is %s", v.Zlib, r.Zlib)
	}
	which := func(c lengths.Case) bool {
		return few(c) && !slow(c) && c.Codec != "lzma" && !(other && (c.Codec == "gzip" || c.Codec == "zlib"))
	}
	hold(t, which, "numcodecs", func(l lengths.Length) int { return l.Numcodecs }, func(c lengths.Case, s Set) int {
		n, _ := theirs(t, j, c, s)
		return n
	})
}

// hold encodes the selected cases and compares the lengths with the record.
func hold(t *testing.T, which func(lengths.Case) bool, who string, want func(lengths.Length) int, encode func(lengths.Case, Set) int) {
	t.Helper()
	r, err := lengths.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	sets, n := Sets(), 0
	for _, l := range r.Lengths {
		if !which(l.Case) {
			continue
		}
		n++
		if got := encode(l.Case, find(t, sets, l.Set)); got != want(l) {
			t.Errorf("%v: %s makes %d bytes, recorded are %d: make ratios", l.Case, who, got, want(l))
		}
	}
	if n < len(methods()) {
		t.Errorf("only %d cases", n)
	}
}
