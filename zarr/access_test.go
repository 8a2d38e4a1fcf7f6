package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// recorder is a store that records its requests, their conditions, and their results. It has its
// own settings, and can leave out features that some stores lack.
type recorder struct {
	store.Store
	tuning                           store.Tuning
	noVersions, noTails, noCondition bool
	sums                             bool                 // also record hashes of stored values
	before                           func(op, key string) // called before each request; must use another store

	mu    sync.Mutex
	lines []string
}

func (s *recorder) Provide(target any) bool {
	t, ok := target.(*store.Tuning)
	if ok {
		*t = s.tuning
	}
	return ok
}

func (s *recorder) ask(op, key string) {
	if s.before != nil {
		s.before(op, key)
	}
}

func (s *recorder) note(err error, parts ...string) {
	line := strings.Join(parts, "")
	for kind, name := range map[error]string{fault.NotFound: "absent", fault.Exists: "exists", fault.Conflict: "conflict", fault.Unchanged: "unchanged",
		fault.Limit: "too long", errors.ErrUnsupported: "unsupported"} {
		if errors.Is(err, kind) {
			line, err = line+": "+name, nil
		}
	}
	if err != nil {
		line += ": " + err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
}

// short returns a key without the name of the array, as in recorded lines.
func short(key string) string { return strings.TrimPrefix(key, "x/") }

// given formats a condition for a recorded line.
func given(name string, v store.Version) string {
	if v == "" {
		return ""
	}
	return " " + name
}

func (s *recorder) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
	s.ask("get", key)
	part := ""
	if !o.Range.IsWhole() {
		part = " " + o.Range.String()
	}
	if _, tail := o.Range.IsSuffix(); tail && s.noTails {
		err = &zarr.KeyError{Op: "get", Key: key, Kind: errors.ErrUnsupported}
	} else if v, err = s.Store.Get(ctx, key, o, buf); s.noVersions {
		v.Version = ""
	}
	s.note(err, "get ", short(key), part, given("of the version", o.IfVersion), given("unless of the version", o.IfNotVersion))
	return v, err
}

func (s *recorder) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (v store.Version, err error) {
	s.ask("put", key)
	if s.noCondition && (o.IfAbsent || o.IfVersion != "") {
		err = &zarr.KeyError{Op: "put", Key: key, Kind: errors.ErrUnsupported}
	} else {
		v, err = s.Store.Put(ctx, key, b, o)
	}
	size := fmt.Sprintf(" %d bytes", len(b))
	if s.sums {
		size += fmt.Sprintf(" %08x", crc32.ChecksumIEEE(b))
	}
	absent := ""
	if o.IfAbsent {
		absent = " if absent"
	}
	s.note(err, "put ", short(key), size, absent, given("over the version", o.IfVersion))
	return v, err
}

func (s *recorder) Delete(ctx context.Context, key string, o store.DeleteOptions) (err error) {
	s.ask("delete", key)
	if s.noCondition && o.IfVersion != "" {
		err = &zarr.KeyError{Op: "delete", Key: key, Kind: errors.ErrUnsupported}
	} else {
		err = s.Store.Delete(ctx, key, o)
	}
	s.note(err, "delete ", short(key), given("of the version", o.IfVersion))
	return err
}

// take returns the lines since the last call: in order of time, or sorted.
func (s *recorder) take(inOrder bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	if !inOrder {
		slices.Sort(lines)
	}
	return lines
}

// cloud returns the settings of package s3 for a store behind a network.
func cloud() store.Tuning {
	t := store.Local()
	t.Requests, t.RangeGap, t.RangeMax = 128, 1<<20, 16<<20
	return t
}

// scene runs the steps of one case: an array that is stored in backing, and read and written
// through st.
type scene struct {
	*testing.T
	backing *mem.Store
	st      *recorder
	opts    []zarr.Option // options for opening arrays
	inOrder bool          // steps send one request at a time, and their order is compared
	steps   []sceneStep
}

type sceneStep struct {
	name  string
	lines []string
}

func (s *scene) open(opts ...zarr.Option) *zarr.Array {
	s.Helper()
	a, err := zarr.OpenArray(s.Context(), s.st, "x", slices.Concat(s.opts, opts)...)
	if err != nil {
		s.Fatal(err)
	}
	s.st.take(false)
	return a
}

// create makes the array x and opens it.
func (s *scene) create(spec zarr.Spec, opts ...zarr.Option) *zarr.Array {
	s.Helper()
	mustCreate(s.T, s.backing, "x", spec)
	return s.open(opts...)
}

// others returns the array as another process would open it. Its requests are not recorded.
func (s *scene) others() *zarr.Array {
	s.Helper()
	a, err := zarr.OpenArray(s.Context(), s.backing, "x")
	if err != nil {
		s.Fatal(err)
	}
	return a
}

func (s *scene) step(name string, f func() error) {
	s.Helper()
	s.st.take(false)
	if err := f(); err != nil {
		s.Fatalf("%s: %v", name, err)
	}
	s.steps = append(s.steps, sceneStep{name, s.st.take(s.inOrder)})
}

// fails runs a step that must end with an error of a kind.
func (s *scene) fails(name string, kind error, f func() error) {
	s.Helper()
	s.step(name, func() error {
		if err := f(); !errors.Is(err, kind) {
			return fmt.Errorf("%v, want %w", err, kind)
		}
		s.st.note(nil, "(the call ends: ", kind.Error(), ")")
		return nil
	})
}

// once calls f before the next request of a kind for a chunk.
func (s *scene) once(op, what string, f func() error) {
	var one sync.Once
	s.st.before = func(now, key string) {
		if now == op && strings.HasPrefix(key, "x/c/") {
			one.Do(func() {
				s.st.note(nil, "("+what+")")
				if err := f(); err != nil {
					s.Error(err)
				}
			})
		}
	}
}

// TestAccess compares the requests of each kind of read and write with testdata/access.txt. The
// file has a line "# case: step", then its requests, sorted unless the case sends one at a time.
// Each case runs with the settings of local stores and of cloud stores. If their requests differ,
// the file has the step twice.
func TestAccess(t *testing.T) {
	var out strings.Builder
	for _, c := range accesses {
		var runs [2][]sceneStep
		for i, tuning := range []store.Tuning{store.Local(), cloud()} {
			t.Run(c.name, func(t *testing.T) {
				backing := mem.New()
				s := &scene{T: t, backing: backing, st: &recorder{Store: backing, tuning: tuning}}
				c.do(s)
				runs[i] = s.steps
			})
		}
		if t.Failed() {
			return
		}
		if len(runs[1]) != len(runs[0]) {
			t.Fatalf("%s: %d steps and %d", c.name, len(runs[0]), len(runs[1]))
		}
		for i, step := range runs[0] {
			at := ""
			far := runs[1][i].lines
			if !slices.Equal(step.lines, far) {
				at = ", local"
			}
			for _, w := range []struct {
				at    string
				lines []string
			}{{at, step.lines}, {", cloud", far}} {
				fmt.Fprintf(&out, "# %s: %s%s\n", c.name, step.name, w.at)
				for _, l := range w.lines {
					out.WriteString(l + "\n")
				}
				out.WriteByte('\n')
				if at == "" {
					break
				}
			}
		}
	}
	held(t, "testdata/access.txt", out.String())
}

// held compares a text with a file, line by line.
func held(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		succeed(t, os.WriteFile(file, []byte(got), 0o666))
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(b), "\n\n")
	now := strings.Split(got, "\n\n")
	for i := range max(len(want), len(now)) {
		switch {
		case i >= len(want):
			t.Fatalf("%s ends before\n%s", file, now[i])
		case i >= len(now):
			t.Fatalf("%s goes on with\n%s", file, want[i])
		case want[i] != now[i]:
			t.Errorf("%s has\n%s\nit is now\n%s", file, want[i], now[i])
		}
	}
}
