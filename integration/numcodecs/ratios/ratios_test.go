package ratios

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/numcodecs"
	"github.com/zargo-io/zargo/internal/test/lengths"
)

var update = flag.Bool("update", false, "encode every case with both programs and write the record anew, which takes minutes")

// pythonEnv is the environment variable that names the Python with numcodecs.
const pythonEnv = "ZARGO_PEERS_PYTHON"

// recordFile is the record of internal/test/lengths.
var recordFile = filepath.Join("..", "..", "..", "internal", "lengths", "record.txt")

func sums(sets []Set) (all []lengths.Sum) {
	for _, s := range sets {
		sum := sha256.Sum256(s.Bytes)
		all = append(all, lengths.Sum{Set: s.Name, Bench: s.Bench, Bytes: len(s.Bytes), SHA256: hex.EncodeToString(sum[:])})
	}
	return all
}

// judge starts a Python process that uses one CPU, like zargo for one chain of codecs.
func judge(t *testing.T) *numcodecs.Judge {
	t.Helper()
	python := os.Getenv(pythonEnv)
	if python == "" {
		bucket.Lack(t, pythonEnv+" does not name a Python with numcodecs")
	}
	t.Setenv("BLOSC_NTHREADS", "1")
	j, err := numcodecs.Start(python, filepath.Join("..", "python", "judge.py"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

// zargo encodes a case, and returns the encoded length and the time.
func zargo(t *testing.T, c lengths.Case, s Set) (n int, took time.Duration) {
	t.Helper()
	for _, p := range Pieces(c, s) {
		begun := time.Now()
		stored, err := Encode(c, s, p)
		took += time.Since(begun)
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		n += len(stored)
	}
	return n, took
}

// theirs encodes a case with numcodecs, and returns the encoded length and the time.
func theirs(t *testing.T, j *numcodecs.Judge, c lengths.Case, s Set) (n int, took time.Duration) {
	t.Helper()
	_, config := Config(c)
	for _, p := range Pieces(c, s) {
		stored, d, err := j.Timed(numcodecs.Question{Config: config, DType: s.DType}, p)
		if err != nil {
			t.Fatalf("%v: numcodecs: %v", c, err)
		}
		n, took = n+len(stored), took+d
	}
	return n, took
}

func find(t *testing.T, sets []Set, name string) Set {
	t.Helper()
	i := slices.IndexFunc(sets, func(s Set) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no set is named %q", name)
	}
	return sets[i]
}

// write writes a new record. The tests of internal/test/tables generate the pages from it.
func write(t *testing.T) {
	t.Helper()
	if os.Getenv(pythonEnv) == "" {
		t.Fatal(pythonEnv + " does not name a Python with numcodecs")
	}
	j, sets := judge(t), Sets()
	v, err := j.Versions()
	if err != nil {
		t.Fatal(err)
	}
	r := lengths.Record{Numcodecs: v.Numcodecs, Zlib: v.Zlib, Sums: sums(sets)}
	var ours, others time.Duration
	for _, c := range Cases(sets) {
		s := find(t, sets, c.Set)
		n, a := zargo(t, c, s)
		m, b := theirs(t, j, c, s)
		l := lengths.Length{Case: c, Zargo: n, Numcodecs: m}
		t.Logf("%-13s %3d  %-10s %d %9d %9d %+6.1f %%  %8.1f / %8.1f ms", c.Codec, c.Level, c.Set, c.Shuffle, n, m, l.More(), ms(a), ms(b))
		if k := len(r.Lengths); k > 0 && (r.Lengths[k-1].Codec != c.Codec || r.Lengths[k-1].Level != c.Level) {
			timed(&r, ours, others)
			ours, others = 0, 0
		}
		ours, others, r.Lengths = ours+a, others+b, append(r.Lengths, l)
	}
	timed(&r, ours, others)
	if err := os.WriteFile(recordFile, []byte(r.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// timed adds the times of the last codec and level.
func timed(r *lengths.Record, ours, theirs time.Duration) {
	last := r.Lengths[len(r.Lengths)-1]
	r.Times = append(r.Times, lengths.Time{Codec: last.Codec, Level: last.Level, Ratio: ours.Seconds() / theirs.Seconds()})
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
