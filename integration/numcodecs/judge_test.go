package numcodecs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/numcodecs"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// pythons are the Python installations with numcodecs, in different versions, by environment
// variable. The first also has TensorStore.
var pythons = []struct {
	env, numcodecs string
	tensorstore    bool
}{
	{"ZARGO_PEERS_PYTHON", "0.16.6", true},
	{"ZARGO_PEERS_PYTHON313", "0.17.1", false},
}

// judges are the running Python processes by environment variable. The first test that needs one
// starts it, and TestMain stops it.
var judges struct {
	sync.Mutex
	up map[string]*numcodecs.Judge
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	defer func() {
		for env, j := range judges.up {
			if err := j.Close(); err != nil {
				fmt.Fprintln(os.Stderr, env, err)
				code = 1
			}
		}
	}()
	return m.Run()
}

// judge returns the Python process of an environment variable.
func judge(t *testing.T, env string) *numcodecs.Judge {
	t.Helper()
	python := os.Getenv(env)
	if python == "" {
		bucket.Lack(t, env+" does not name a Python with numcodecs")
	}
	judges.Lock()
	defer judges.Unlock()
	if j := judges.up[env]; j != nil {
		return j
	}
	j, err := numcodecs.Start(python, filepath.Join("python", "judge.py"))
	if err != nil {
		t.Fatal(err)
	}
	if judges.up == nil {
		judges.up = map[string]*numcodecs.Judge{}
	}
	judges.up[env] = j
	return j
}

// each runs a test with every version of numcodecs in parallel.
func each(t *testing.T, test func(t *testing.T, j *numcodecs.Judge, tensorstore bool)) {
	t.Helper()
	for _, p := range pythons {
		t.Run("numcodecs "+p.numcodecs, func(t *testing.T) {
			t.Parallel()
			j := judge(t, p.env)
			v, err := j.Versions()
			if err != nil {
				t.Fatal(err)
			}
			if v.Numcodecs != p.numcodecs {
				t.Errorf("it is numcodecs %s", v.Numcodecs)
			}
			test(t, j, p.tensorstore)
		})
	}
}

// full is set by `make cross-check`, which takes a quarter of an hour. Otherwise a few arrays of
// each kind are tested.
var full = flag.Bool("full", false, "try as many arrays as the tables say, not 8 of each kind")

// TestNumcodecs tests every id of the table.
func TestNumcodecs(t *testing.T) {
	each(t, tryIDs)
}

func tryIDs(t *testing.T, j *numcodecs.Judge, tensorstore bool) {
	for _, id := range append(ids(), filters()...) {
		if id.Library == numcodecs.TensorStore && !tensorstore {
			continue // equal in both versions
		}
		name := id.ID + id.Name
		t.Run(name, func(t *testing.T) {
			h := fnv.New64a()
			h.Write([]byte(name))
			r := rand.New(rand.NewPCG(1, h.Sum64()))
			cases := id.Cases
			if !*full {
				cases = min(cases, 8)
			}
			for i := range cases {
				try(t, j, id, r)
				if t.Failed() {
					t.Fatalf("case %d of %d", i, cases)
				}
			}
		})
	}
}

// try creates one array and checks that numcodecs and zargo encode and decode it.
func try(t *testing.T, j *numcodecs.Judge, id numcodecs.ID, r *rand.Rand) {
	t.Helper()
	name := id.Types[r.IntN(len(id.Types))]
	typ, _ := v2Type(t, name)
	q := numcodecs.Question{Config: config(id, r, typ), DType: name, Library: id.Library}
	array := make([]byte, id.Length(r)*typ.Size())
	id.Fill(r, typ, array)
	tryArray(t, j, id, q, array)
}

// tryArray encodes and decodes an array in memory form with numcodecs and zargo. It returns the
// encoded bytes of each.
func tryArray(t *testing.T, j *numcodecs.Judge, id numcodecs.ID, q numcodecs.Question, array []byte) (theirs, ours []byte) {
	t.Helper()
	typ, order := v2Type(t, q.DType)
	in := codec.Repr{Shape: []int{len(array) / typ.Size()}, Type: typ}
	typ.Canon(array)

	serial := codec.Bytes(order)
	plain := encode(t, in, array, serial)
	about := func(what string, err error) {
		t.Helper()
		t.Errorf("%s of %d %s, %s %s: %v", what, in.Shape[0], q.DType, q.Config, q.Split, err)
	}

	theirs, err := j.Encode(q, plain)
	if err != nil {
		about("the judge encodes", err)
		return
	}
	back, err := j.Decode(q, theirs)
	switch {
	case err != nil:
		about("the judge decodes its own", err)
		return
	case !id.Lossy && !bytes.Equal(back, plain):
		about("the judge decodes its own", errors.New("the array is another one"))
		return
	}
	want := decode(t, in, back, serial)

	chain, err := codec.Builtin().Chain([]codec.Spec{serial, codec.FromNumcodecs(id.ID, q.Config)}, in)
	if err != nil {
		about("chain", err)
		return
	}
	got := make([]byte, len(array))
	if err := chain.Decode(codec.Block{Bytes: got}, theirs, nil); err != nil || !bytes.Equal(got, want) {
		about("zargo decodes the judge's", errors.Join(err, differ(got, want)))
	}
	if id.ReadOnly {
		return
	}
	ours, err = chain.Encode(nil, codec.Block{Bytes: array}, nil)
	if err != nil {
		about("zargo encodes", err)
		return
	}
	if id.Exact && !bytes.Equal(ours, theirs) {
		about("zargo encodes", differ(ours, theirs))
	}
	if got, err := j.Decode(q, ours); err != nil || !bytes.Equal(got, back) {
		about("the judge decodes zargo's", errors.Join(err, differ(got, back)))
	}
	return theirs, ours
}

// v2Type parses a data type of v2 metadata.
func v2Type(t *testing.T, name string) (dtype.Type, dtype.Order) {
	t.Helper()
	raw, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	typ, order, err := dtype.ParseV2(raw)
	if err != nil {
		t.Fatal(err)
	}
	return typ, order
}

func config(id numcodecs.ID, r *rand.Rand, t dtype.Type) json.RawMessage {
	if id.Config == nil {
		return numcodecs.Config{}.JSON(id.ID)
	}
	return id.Config(r, t).JSON(id.ID)
}

func encode(t *testing.T, in codec.Repr, array []byte, s codec.Spec) []byte {
	t.Helper()
	c, err := codec.Builtin().Chain([]codec.Spec{s}, in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Encode(nil, codec.Block{Bytes: array}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t *testing.T, in codec.Repr, stored []byte, s codec.Spec) []byte {
	t.Helper()
	c, err := codec.Builtin().Chain([]codec.Spec{s}, in)
	if err != nil {
		t.Fatal(err)
	}
	n, err := in.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, n)
	if err := c.Decode(codec.Block{Bytes: b}, stored, nil); err != nil {
		t.Fatal(err)
	}
	return b
}

// differ returns the first difference between two memory forms, or nil.
func differ(got, want []byte) error {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	if i == len(got) && i == len(want) {
		return nil
	}
	return fmt.Errorf("byte %d differs: %x of %d bytes, want %x of %d", i, got[i:min(i+8, len(got))], len(got), want[i:min(i+8, len(want))], len(want))
}
