package validate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

func from(st store.Store) validate.RepairOptions {
	o := everything
	o.From = &validate.Copy{Store: st}
	return o
}

func remove(t *testing.T, st store.Store, keys ...string) {
	t.Helper()
	for _, key := range keys {
		succeed(t, st.Delete(t.Context(), key, store.DeleteOptions{}))
	}
}

// TestRestore repairs each kind of damage from a copy: the objects are byte for byte the original
// ones, and a second run finds nothing. A dry run changes nothing and lists the same steps. Memory
// for objects is reserved.
func TestRestore(t *testing.T) {
	for _, d := range damages() {
		if d.rule != rule.Corrupt && d.rule != rule.MissingChunk && d.rule != rule.Metadata {
			continue
		}
		for name, open := range map[string]func() store.Store{"mem": func() store.Store { return mem.New() }, "dir": func() store.Store { return dir.New(t.TempDir()) }} {
			t.Run(fmt.Sprintf("%s/v%d/%s", d.name, d.format, name), func(t *testing.T) {
				st, spare, kept := open(), mem.New(), mem.New()
				site(t, st, d.format)
				whole := contents(t, st)
				for key, value := range whole {
					put(t, spare, key, value)
				}
				d.make(t, st)
				damaged := contents(t, st)

				o := from(spare)
				o.Limits = &concurrency.Limits{CPU: concurrency.NewCPU(0), Bytes: concurrency.NewBudget(64 << 20)}
				o.DryRun = true
				dry := repaired(t, st, o)
				if !equal(contents(t, st), damaged) {
					t.Fatal("a dry run changed something")
				}
				o.DryRun, o.Keep = false, kept
				r := repaired(t, st, o)
				if len(r.Steps) != 1 || r.Steps[0].State != validate.Repaired || r.Steps[0].Err != nil || r.Steps[0].Rule != d.rule || !strings.HasPrefix(r.Steps[0].Text, "restore: ") {
					t.Fatalf("%+v", r.Steps)
				}
				if len(dry.Steps) != 1 || dry.Steps[0].State != validate.Planned || dry.Steps[0].Text != r.Steps[0].Text || dry.Steps[0].Key != r.Steps[0].Key {
					t.Errorf("dry run: %+v", dry.Steps)
				}
				if !equal(contents(t, st), whole) || !equal(contents(t, spare), whole) {
					t.Error("it is not what it was")
				}
				if now, peak := o.Limits.Bytes.Used(); now != 0 || peak > 64<<20 || peak == 0 && d.rule != rule.Metadata {
					t.Errorf("%d bytes are reserved, %d were at most", now, peak)
				}
				if worst, broken := r.Left.Worst(rule.Note); broken {
					t.Errorf("left: %+v", worst)
				}
				if found := findings(t, st, true); len(found) > 0 {
					t.Errorf("after the repair: %+v", found)
				}
				for key, value := range damaged {
					if value == whole[key] {
						continue
					}
					was := slices.DeleteFunc(slices.Collect(func(yield func(string) bool) {
						for k, v := range contents(t, kept) {
							if strings.HasPrefix(k, key+"~") && v == value && !yield(k) {
								return
							}
						}
					}), func(k string) bool { return len(k) != len(key)+17 })
					if len(was) != 1 {
						t.Errorf("%s was not kept: %v", key, was)
					}
				}
			})
		}
	}
}

// TestDryRestoreUnseen: a dry run that would restore a document reports that the nodes or chunks
// below it are not checked yet. It reports this for documents only. The repair then checks them.
func TestDryRestoreUnseen(t *testing.T) {
	for _, tt := range []struct{ key, unseen string }{
		{"zarr.json", "below"}, {"g/zarr.json", "below"}, {"g/a/zarr.json", "chunks"}, {"g/a/c/0", ""},
	} {
		t.Run(tt.key, func(t *testing.T) {
			st, spare := mem.New(), mem.New()
			for _, s := range []store.Store{st, spare} {
				for _, path := range []string{"", "g"} {
					if _, err := zarr.CreateGroup(t.Context(), s, path, zarr.Spec{}); err != nil {
						t.Fatal(err)
					}
				}
				a, err := zarr.Create(t.Context(), s, "g/a", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.Gzip(1)}})
				if err == nil {
					err = zarr.Write(t.Context(), a, []byte{1, 2, 3, 4})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			whole := contents(t, st)
			change(t, st, "g/a/c/1", cutTo(5)) // additional damage, below most of the nodes
			change(t, st, tt.key, cutTo(5))
			o := from(spare)
			o.DryRun = true
			var named []string
			for _, s := range repaired(t, st, o).Steps {
				if s.Key == tt.key {
					named = append(named, s.Unseen)
				} else if s.Unseen != "" {
					t.Errorf("%+v", s)
				}
			}
			if len(named) != 1 || (named[0] == "") != (tt.unseen == "") || !strings.Contains(named[0], tt.unseen) {
				t.Errorf("dry run: %q", named)
			}
			o.DryRun = false
			for _, s := range repaired(t, st, o).Steps {
				if s.State != validate.Repaired || s.Unseen != "" {
					t.Errorf("%+v", s)
				}
			}
			if !equal(contents(t, st), whole) {
				t.Error("it is not what it was")
			}
		})
	}
}

// TestRestoreProgress checks that the count continues during the second check, after documents were
// restored, and during the restoring of objects.
func TestRestoreProgress(t *testing.T) {
	st, spare := mem.New(), mem.New()
	for _, s := range []store.Store{st, spare} {
		if _, err := zarr.CreateGroup(t.Context(), s, "", zarr.Spec{}); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"a", "b"} {
			a, err := zarr.Create(t.Context(), s, path, zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.Gzip(1)}})
			if err == nil {
				err = zarr.Write(t.Context(), a, []byte{1, 2, 3, 4})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	change(t, st, "a/zarr.json", cutTo(5))
	change(t, st, "b/c/1", cutTo(5))
	o := from(spare)
	var done []int64
	var last int64
	o.Progress = func(d, total int64) {
		if d > total {
			t.Errorf("%d of %d", d, total)
		}
		done, last = append(done, d), total
	}
	repaired(t, st, o)
	// There are two chunks of b, then four of both arrays, and the restored one.
	if !slices.IsSorted(done) || done[len(done)-1] != 7 || last != 7 {
		t.Errorf("%d, of %d", done, last)
	}
}

// damagedSite returns a store whose "plain" has one corrupt chunk, and a copy of the undamaged
// store.
func damagedSite(t *testing.T) (st, spare store.Store) {
	t.Helper()
	st, spare = mem.New(), mem.New()
	site(t, st, 3)
	site(t, spare, 3)
	change(t, st, "plain/c/1/1", cutTo(-3))
	return st, spare
}

// left checks that nothing was changed, and that the reason is why.
func left(t *testing.T, st store.Store, o validate.RepairOptions, why string, kind error) {
	t.Helper()
	before := contents(t, st)
	r := repaired(t, st, o)
	if len(r.Steps) != 1 || r.Steps[0].State != validate.Left || !strings.Contains(r.Steps[0].Text, why) || !errors.Is(r.Steps[0].Err, kind) {
		t.Errorf("%+v", r.Steps)
	}
	if r.Left.Counts[rule.Fault] == 0 || !equal(contents(t, st), before) {
		t.Errorf("left: %+v", r.Left.Counts)
	}
}

// TestRestoreLeaves checks that nothing is taken from a copy that is damaged, lacks the object, or
// has other data.
func TestRestoreLeaves(t *testing.T) {
	t.Run("corrupt there too", func(t *testing.T) {
		st, spare := damagedSite(t)
		change(t, spare, "plain/c/1/1", flip(-2))
		left(t, st, from(spare), "reading the copy: ", fault.Corrupt)
	})
	t.Run("missing there", func(t *testing.T) {
		st, spare := damagedSite(t)
		remove(t, spare, "plain/c/1/1")
		left(t, st, from(spare), `has no "plain/c/1/1" either`, nil)
	})
	t.Run("no such array there", func(t *testing.T) {
		st, spare := damagedSite(t)
		remove(t, spare, "plain/zarr.json")
		left(t, st, from(spare), "reading the copy: ", fault.NotFound)
	})
	t.Run("another data type", func(t *testing.T) {
		st, spare := damagedSite(t)
		set(t, spare, "plain/zarr.json", "data_type", `"int16"`)
		left(t, st, from(spare), "the copy has data type int16", nil)
	})
	t.Run("another fill value", func(t *testing.T) {
		st, spare := damagedSite(t)
		set(t, spare, "plain/zarr.json", "fill_value", `3`)
		left(t, st, from(spare), "a different fill value", nil)
	})
	t.Run("another shape within the chunk", func(t *testing.T) {
		st, spare := mem.New(), mem.New()
		site(t, st, 3)
		site(t, spare, 3)
		set(t, spare, "plain/zarr.json", "shape", `[5,4]`)
		change(t, st, "plain/c/2/1", cutTo(-3))
		left(t, st, from(spare), "another shape", nil)
	})
	t.Run("shorter", func(t *testing.T) {
		st, spare := mem.New(), mem.New()
		site(t, st, 3)
		site(t, spare, 3)
		set(t, spare, "plain/zarr.json", "shape", `[4,4]`)
		change(t, st, "plain/c/2/1", cutTo(-3))
		left(t, st, from(spare), "the copy is smaller", nil)
	})
	t.Run("other values of a shard", func(t *testing.T) {
		st, spare := mem.New(), mem.New()
		site(t, st, 3)
		site(t, spare, 3)
		a, err := zarr.OpenArray(t.Context(), spare, "shards")
		if err == nil {
			err = zarr.Write(t.Context(), a, []uint16{1000}, zarr.Range(3, 4), zarr.Range(3, 4))
		}
		if err != nil {
			t.Fatal(err)
		}
		change(t, st, "shards/c/0/0", flip(20)) // in the first inner chunk
		left(t, st, from(spare), "differ in the copy", nil)
	})
	t.Run("limit", func(t *testing.T) {
		st, spare := damagedSite(t)
		o := from(spare)
		o.From.Open = []zarr.Option{zarr.Limit(zarr.Limits{Metadata: 10})}
		left(t, st, o, "reading the copy: ", fault.Limit)
	})
	t.Run("unsupported here", func(t *testing.T) {
		st, spare := mem.New(), mem.New()
		site(t, st, 3)
		site(t, spare, 3)
		set(t, st, "plain/zarr.json", "codecs", `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"made-up"}]`)
		left(t, st, from(spare), "no repair is known", nil)
	})
	t.Run("a document of another kind", func(t *testing.T) {
		st, spare := mem.New(), mem.New()
		site(t, st, 3)
		put(t, st, "plain/zarr.json", `{"zarr_format":3,"node_type":"array"}`)
		put(t, spare, "plain/zarr.json", groupV3)
		left(t, st, from(spare), "another kind", nil)
	})
	t.Run("a document of another format", func(t *testing.T) {
		st, spare := mem.New(), mem.New()
		site(t, st, 3)
		site(t, spare, 2)
		put(t, st, "plain/zarr.json", "{")
		left(t, st, from(spare), "another format", nil)
	})
	t.Run("a document with a claim", func(t *testing.T) {
		st, spare := mem.New(), mem.New()
		site(t, st, 3)
		site(t, spare, 3)
		set(t, spare, "plain/zarr.json", "attributes", `{"zargo_claim":`+leftOver+`}`)
		put(t, st, "plain/zarr.json", "{")
		left(t, st, from(spare), "in progress in the copy", nil)
	})
}

// TestRestoreWhatIsReadable checks that a shard with readable inner chunks is restored if these
// have the same values in the copy.
func TestRestoreWhatIsReadable(t *testing.T) {
	st, spare := mem.New(), mem.New()
	site(t, st, 3)
	site(t, spare, 3)
	change(t, st, "shards/c/0/0", flip(20))
	if r := repaired(t, st, from(spare)); len(r.Steps) != 1 || r.Steps[0].State != validate.Repaired || !equal(contents(t, st), contents(t, spare)) {
		t.Errorf("%+v", r.Steps)
	}
}

// TestRestoreGrown checks that chunks are restored from a smaller copy if both arrays contain all
// of their elements.
func TestRestoreGrown(t *testing.T) {
	st, spare := damagedSite(t)
	set(t, st, "plain/zarr.json", "shape", `[9,4]`)
	if r := repaired(t, st, from(spare)); len(r.Steps) != 1 || r.Steps[0].State != validate.Repaired {
		t.Errorf("%+v", r.Steps)
	}
	if !bytes.Equal(get(t, st, "plain/c/1/1"), get(t, spare, "plain/c/1/1")) {
		t.Error("other bytes")
	}
}

// TestRestoreAcross encodes objects from the values of a copy in another format, with other chunks
// and codecs, and in shards.
func TestRestoreAcross(t *testing.T) {
	specs := map[string]zarr.Spec{
		"v2, other chunks":          {Format: 2, Shape: []int{6, 4}, Chunks: []int{3, 3}, DType: dtype.Uint16},
		"v2, the same chunks":       {Format: 2, Shape: []int{6, 4}, Chunks: []int{2, 2}, DType: dtype.Uint16, Codecs: []codec.Spec{codec.Zstd(1)}},
		"v2 of the other order":     {Format: 2, Shape: []int{6, 4}, Chunks: []int{2, 2}, DType: dtype.Uint16, Codecs: []codec.Spec{codec.Transpose(1, 0), codec.Zstd(1)}},
		"shards":                    {Shape: []int{6, 4}, Shards: []int{6, 4}, Chunks: []int{3, 2}, DType: dtype.Uint16},
		"one chunk, without codecs": {Shape: []int{6, 4}, Chunks: []int{6, 4}, DType: dtype.Uint16},
	}
	for name, spec := range specs {
		t.Run(name, func(t *testing.T) {
			st, spare := mem.New(), mem.New()
			site(t, st, 3)
			a, err := zarr.Create(t.Context(), spare, "plain", spec)
			if err != nil {
				t.Fatal(err)
			}
			values := make([]uint16, 24)
			for i := range values {
				values[i] = uint16(i + 1)
			}
			succeed(t, zarr.Write(t.Context(), a, values))
			change(t, st, "plain/c/2/1", cutTo(-3))
			r := repaired(t, st, from(spare))
			if len(r.Steps) != 1 || r.Steps[0].State != validate.Repaired || !strings.Contains(r.Steps[0].Text, "encode 4 elements") {
				t.Fatalf("%+v", r.Steps)
			}
			b, err := zarr.OpenArray(t.Context(), st, "plain")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := zarr.Read[uint16](t.Context(), b); err != nil || !slices.Equal(got, values) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	t.Run("nothing stored there", func(t *testing.T) {
		st, spare := damagedSite(t)
		set(t, spare, "plain/zarr.json", "codecs", `[{"name":"bytes","configuration":{"endian":"little"}}]`)
		for key := range contents(t, spare) {
			if strings.HasPrefix(key, "plain/c/") {
				remove(t, spare, key)
			}
		}
		left(t, st, from(spare), "the copy does not store its elements either", nil)
	})
	t.Run("texts", func(t *testing.T) {
		st, spare := mem.New(), mem.New()
		want := [][]byte{[]byte("one"), []byte("two"), {}, []byte("four")}
		for s, chunks := range map[store.Store]int{st: 2, spare: 4} {
			a, err := zarr.Create(t.Context(), s, "", zarr.Spec{Shape: []int{4}, Chunks: []int{chunks}, DType: dtype.String, Codecs: []codec.Spec{codec.Gzip(1)}})
			if err == nil {
				err = a.WriteItems(t.Context(), want)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		change(t, st, "c/1", cutTo(-3))
		r := repaired(t, st, from(spare))
		a, err := zarr.OpenArray(t.Context(), st, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.ReadItems(t.Context()); err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%q, %v, %+v", got, err, r.Steps)
		}
	})
}

// TestRestoreMany checks that every damaged object has its Step, even if no finding names it.
func TestRestoreMany(t *testing.T) {
	st, spare := mem.New(), mem.New()
	for _, s := range []store.Store{st, spare} {
		a, err := zarr.Create(t.Context(), s, "", zarr.Spec{Format: 2, Shape: []int{300}, Chunks: []int{1}, DType: dtype.Uint8, Fill: zarr.NoFill, Codecs: []codec.Spec{codec.Gzip(1)}})
		if err == nil {
			err = zarr.Write(t.Context(), a, bytes.Repeat([]byte{7}, 300))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 120 {
		change(t, st, fmt.Sprint(i), cutTo(5))
		remove(t, st, fmt.Sprint(150+i))
	}
	o := from(spare)
	o.DryRun = true
	if r := repaired(t, st, o); len(r.Steps) != 240 || r.Left.Counts[rule.Fault] != 101 || r.Left.Counts[rule.Warning] != 101 {
		t.Errorf("dry run: %d steps, left %v", len(r.Steps), r.Left.Counts)
	}
	remove(t, spare, "160")
	o.DryRun = false
	r := repaired(t, st, o)
	n := map[validate.State]int{}
	for _, s := range r.Steps {
		n[s.State]++
	}
	if n[validate.Repaired] != 239 || n[validate.Left] != 1 || r.Left.Counts[rule.Fault] != 0 || r.Left.Counts[rule.Warning] != 1 {
		t.Errorf("%v, left %v", n, r.Left.Counts)
	}
	if found := findings(t, st, true); len(found) != 1 || found[0].Key != "160" {
		t.Errorf("%+v", found)
	}
}

// TestRestoreBelow checks that all nodes below a group whose document is restored are checked and
// restored.
func TestRestoreBelow(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprintf("v%d", format), func(t *testing.T) {
			st, spare := mem.New(), mem.New()
			for _, s := range []store.Store{st, spare} {
				if _, err := zarr.CreateGroup(t.Context(), s, "", zarr.Spec{Format: format}); err != nil {
					t.Fatal(err)
				}
				in, err := store.Prefix(s, "in")
				if err != nil {
					t.Fatal(err)
				}
				site(t, in, format)
			}
			doc, attrs := "zarr.json", "zarr.json"
			if format == 2 {
				doc, attrs = ".zgroup", ".zattrs"
				put(t, spare, "in/plain/.zattrs", `{"a":1}`)
			}
			remove(t, st, doc, "in/"+doc)
			put(t, st, "in/plain/"+attrs, "[")
			chunk := map[int]string{2: "in/plain/1.1", 3: "in/plain/c/1/1"}[format]
			change(t, st, chunk, cutTo(-3))
			r := repaired(t, st, from(spare))
			if len(r.Steps) != 4 || slices.ContainsFunc(r.Steps, func(s validate.Step) bool { return s.State != validate.Repaired }) {
				t.Errorf("%+v", r.Steps)
			}
			if worst, broken := r.Left.Worst(rule.Note); broken || !equal(contents(t, st), contents(t, spare)) {
				t.Errorf("left: %+v", worst)
			}
		})
	}
}

// TestRestoreMeetsWriters checks that an object that another writer stores between the read and the
// put is kept, whether an object existed before or not, and that the same applies to a document.
func TestRestoreMeetsWriters(t *testing.T) {
	tests := []struct {
		name, key string
		format    int
		damage    func(t *testing.T, st store.Store)
		kind      error
	}{
		{"chunk", "plain/c/1/1", 3, func(t *testing.T, st store.Store) { change(t, st, "plain/c/1/1", cutTo(-3)) }, fault.Conflict},
		{"missing chunk", "undef/1.1", 2, func(t *testing.T, st store.Store) { remove(t, st, "undef/1.1") }, fault.Exists},
		{"document", "plain/zarr.json", 3, func(t *testing.T, st store.Store) { put(t, st, "plain/zarr.json", "{") }, fault.Conflict},
		{"missing document", "plain/zarr.json", 3, func(t *testing.T, st store.Store) { remove(t, st, "plain/zarr.json") }, fault.Exists},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st, spare := mem.New(), mem.New()
			site(t, st, tt.format)
			site(t, spare, tt.format)
			tt.damage(t, st)
			meddling := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				if c.Op == store.OpPut && c.Key == tt.key {
					put(t, st, tt.key, "another's")
				}
				return ctx, nil
			}})
			r := repaired(t, meddling, from(spare))
			if len(r.Steps) != 1 || r.Steps[0].State != validate.Left || !errors.Is(r.Steps[0].Err, tt.kind) {
				t.Errorf("%+v", r.Steps)
			}
			if got := string(get(t, st, tt.key)); got != "another's" {
				t.Errorf("lost: %q", got)
			}
		})
	}
}

// TestRestoreLong restores, in parts, a shard that is longer than the memory for it.
func TestRestoreLong(t *testing.T) {
	st, spare, kept := mem.New(), mem.New(), mem.New()
	values := make([]byte, 6<<20)
	for i := range values {
		values[i] = byte(i*i>>7 ^ i)
	}
	for _, s := range []store.Store{st, spare} {
		a, err := zarr.Create(t.Context(), s, "", zarr.Spec{Shape: []int{6 << 20}, Shards: []int{6 << 20}, Chunks: []int{1 << 20}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.CRC32C()}})
		if err == nil {
			err = zarr.Write(t.Context(), a, values)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	change(t, st, "c/0", flip(3<<20))
	damaged := get(t, st, "c/0")
	puts := 0
	counted := store.Observe(st, func(_ context.Context, e store.Event) {
		if e.Op == "put" {
			puts++
		}
	})
	o := from(spare)
	o.Keep = kept
	r := repaired(t, counted, o)
	if len(r.Steps) != 1 || r.Steps[0].State != validate.Repaired || puts > 0 {
		t.Errorf("%+v, %d puts", r.Steps, puts)
	}
	if !equal(contents(t, st), contents(t, spare)) {
		t.Error("other bytes")
	}
	for key, value := range contents(t, kept) {
		if !strings.HasPrefix(key, "c/0~") || value != string(damaged) {
			t.Errorf("kept %q", key)
		}
	}
	if n := len(contents(t, kept)); n != 1 {
		t.Errorf("%d are kept", n)
	}
}

// TestRestoreRequests checks the requests that restore a chunk.
func TestRestoreRequests(t *testing.T) {
	st, spare := damagedSite(t)
	var mine, theirs []string
	var mu sync.Mutex
	log := func(to *[]string) func(context.Context, store.Event) {
		return func(_ context.Context, e store.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e.Key == "plain/c/1/1" || strings.HasPrefix(e.Key, "plain/") && to == &theirs {
				*to = append(*to, string(e.Op)+" "+e.Key)
			}
		}
	}
	repaired(t, store.Observe(st, log(&mine)), from(store.Observe(spare, log(&theirs))))
	if want := []string{"get plain/c/1/1", "get plain/c/1/1", "put plain/c/1/1"}; !slices.Equal(mine, want) {
		t.Errorf("%q", mine)
	}
	if i := slices.Index(theirs, "get plain/c/1/1"); i != len(theirs)-1 || slices.ContainsFunc(theirs[:i], func(s string) bool { return strings.Contains(s, "/c/") || strings.HasPrefix(s, "put") }) {
		t.Errorf("%q", theirs)
	}
}
