package peers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// duty is the set of rows that a peer writes or reads at a place: the matrix or the sample.
type duty struct {
	peer string
	rows int // number of rows that must succeed
	of   func() []Row
}

// writers returns the peers that write for zargo, by place. For the web server they write to the
// served directory.
func writers() map[string][]duty {
	return map[string][]duty{
		"dir": {
			{"zarr-python/local", 378, Matrix}, {"tensorstore", 364, Matrix}, {"zarr-python-2", 164, Matrix}, {"zarrs", 374, Matrix},
			{"zarr-python/obstore", 30, Sample}, {"zarr-python/fsspec", 30, Sample}, {"zarr-python-3.4/local", 378, Matrix},
		},
		"s3":    {{"zarr-python/obstore", 378, Matrix}, {"tensorstore", 29, Sample}, {"zarr-python/fsspec", 30, Sample}, {"zarr-python-3.4/obstore", 30, Sample}},
		"gcs":   {{"zarr-python/fsspec", 30, Sample}, {"tensorstore", 29, Sample}},
		"azure": {{"zarr-python/obstore", 30, Sample}, {"zarr-python/fsspec", 30, Sample}},
		"http":  {{"zarr-python/local", 30, Sample}, {"tensorstore", 29, Sample}},
	}
}

// readers returns the peers that read the rows of zargo, by place.
func readers() map[string][]duty {
	return map[string][]duty{
		"dir": {
			{"zarr-python/local", 252, ours}, {"tensorstore", 238, ours}, {"zarr-python-2", 110, ours}, {"zarrs", 237, ours},
			{"zarr-python/obstore", 29, oursSample}, {"zarr-python/fsspec", 29, oursSample}, {"zarr-python-3.4/local", 252, ours},
		},
		"s3":    {{"zarr-python/obstore", 252, ours}, {"tensorstore", 28, oursSample}, {"zarr-python/fsspec", 29, oursSample}, {"zarr-python-3.4/obstore", 29, oursSample}},
		"gcs":   {{"zarr-python/obstore", 29, oursSample}, {"zarr-python/fsspec", 29, oursSample}, {"tensorstore", 28, oursSample}},
		"azure": {{"zarr-python/obstore", 29, oursSample}, {"zarr-python/fsspec", 29, oursSample}},
		"http":  {{"zarr-python/obstore", 29, oursSample}, {"zarr-python/fsspec", 29, oursSample}, {"tensorstore", 28, oursSample}},
	}
}

// ours returns the rows that zargo writes.
func ours() []Row       { return writable(Matrix()) }
func oursSample() []Row { return sample(ours()) }

func writable(rows []Row) []Row {
	return slices.DeleteFunc(rows, func(r Row) bool { return r.ReadOnly })
}

// probe is the row with which the entries of lacks are tested.
const probe = "v3/int32/raw"

func TestPeersWriteWeRead(t *testing.T) {
	t.Parallel()
	everywhere(t, func(_ *testing.T, name string, at place) (jobs []job) {
		for _, d := range writers()[name] {
			for _, r := range d.of() {
				jobs = append(jobs, job{Do: "write", Peer: d.peer, Place: at.in, Path: d.peer + "/" + r.Name, Row: &r})
			}
		}
		return append(jobs, tries(name, "write", at.out, "lack/")...)
	}, func(t *testing.T, name string, at place, jobs []job, answers []said) {
		did := judge(t, name, jobs, answers)
		each(t, len(did), func(ctx context.Context, i int) error {
			j := jobs[did[i]]
			return holds(j, readRow(ctx, at.reads, j.Path, *j.Row, j.Peer, answers[did[i]]))
		})
		did = slices.DeleteFunc(did, func(i int) bool { return refusalOf(jobs[i]) != nil })
		count(t, writers()[name], jobs, did)
	})
}

func TestWeWritePeersRead(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, name string, at place) (jobs []job) {
		rows := map[string]bool{probe: true}
		for _, d := range readers()[name] {
			for _, r := range d.of() {
				rows[r.Name] = true
				jobs = append(jobs, job{Do: "read", Peer: d.peer, Place: at.out, Path: r.Name, Row: &r})
			}
		}
		wanted := slices.DeleteFunc(Matrix(), func(r Row) bool { return !rows[r.Name] })
		each(t, len(wanted), func(ctx context.Context, i int) error { return writeRow(ctx, at.writes, wanted[i]) })
		return append(jobs, tries(name, "read", at.out, "")...)
	}, func(t *testing.T, name string, _ place, jobs []job, answers []said) {
		did := judge(t, name, jobs, answers)
		for _, i := range did {
			if answers[i].SHA256 != digest(jobs[i].Row.Expected()) {
				t.Errorf("%s read %s and has other bytes than we expect", jobs[i].Peer, jobs[i].Row.Name)
			}
		}
		count(t, readers()[name], jobs, did)
	})
}

// tries returns jobs for the entries of lacks at a place.
func tries(name, verb, url, below string) (jobs []job) {
	r := byName(Matrix(), probe)
	for _, l := range lacks {
		if l.place == name && l.verb == verb && !strings.HasPrefix(l.peer, "xarray/") {
			jobs = append(jobs, job{Do: verb, Peer: l.peer, Place: url, Path: below + r.Name, Row: &r, lack: true})
		}
	}
	return jobs
}

// judge returns the indexes of the successful jobs. It compares failures and wrong results with
// lacks and refusals.
func judge(t *testing.T, name string, jobs []job, answers []said) (did []int) {
	t.Helper()
	for i, j := range jobs {
		s := answers[i]
		if j.lack {
			lackOf(name, j.Peer, j.Do).check(t, s)
			continue
		}
		f := refusalOf(j)
		switch {
		case f != nil && f.wrong && j.Do == "read":
			var trouble error
			if !s.done() {
				trouble = errors.New(s.Error + s.Differs)
			}
			if err := holds(j, trouble); err != nil {
				t.Error(err)
			}
		case s.Differs != "":
			t.Errorf("%s reads %s: %s", j.Peer, j.Row.Name, s.Differs)
		case (f == nil || f.wrong) && s.Error != "":
			t.Errorf("%s, %s: %s", j.Peer, j.Row.Name, s.Error)
		case f == nil || f.wrong:
			did = append(did, i)
		case s.Error == "":
			t.Errorf("%s does %s now: take it out of refusals and of docs/evidence/interoperability.md", j.Peer, j.Row.Name)
		case !strings.Contains(s.Error, f.says):
			t.Errorf("%s refuses %s by %q, want %q", j.Peer, j.Row.Name, s.Error, f.says)
		}
	}
	return did
}

// holds returns an error if a known defect of a peer is fixed or shows a different error.
func holds(j job, trouble error) error {
	f := refusalOf(j)
	switch {
	case f == nil || !f.wrong:
		return trouble
	case trouble == nil:
		return fmt.Errorf("%s is right in %s now: take it out of refusals and of docs/evidence/interoperability.md", j.Peer, j.Row.Name)
	case !strings.Contains(trouble.Error(), f.says):
		return fmt.Errorf("%s of %s: %w, want %q", j.Peer, j.Row.Name, trouble, f.says)
	}
	return nil
}

// count checks the number of rows that each peer processed.
func count(t *testing.T, duties []duty, jobs []job, did []int) {
	t.Helper()
	done := map[string]int{}
	for _, i := range did {
		done[jobs[i].Peer]++
	}
	for _, d := range duties {
		if done[d.peer] != d.rows {
			t.Errorf("%s did %d rows, want %d", d.peer, done[d.peer], d.rows)
		}
		t.Logf("%s: %d arrays", d.peer, done[d.peer])
	}
}

// TestRoundTrip writes and reads the rows with zargo alone, including those that no peer supports.
func TestRoundTrip(t *testing.T) {
	st := mem.New()
	rows := ours()
	each(t, len(rows), func(ctx context.Context, i int) error {
		r := rows[i]
		if err := writeRow(ctx, st, r); err != nil {
			return err
		}
		return readRow(ctx, st, r.Name, r, "", said{SHA256: digest(r.Expected())})
	})
}

// each runs jobs 0 to n-1, several at a time, and reports every error.
func each(t *testing.T, n int, job func(ctx context.Context, i int) error) {
	t.Helper()
	err := concurrency.EachN(t.Context(), 16, n, func(ctx context.Context, i int) error {
		if err := job(ctx, i); err != nil {
			t.Error(err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// readRow reads a row that a peer wrote and compares every element, the fill value and the
// attributes.
func readRow(ctx context.Context, st store.Store, path string, r Row, peer string, s said) error {
	a, err := zarr.OpenArray(ctx, st, path)
	if err != nil {
		return err
	}
	want := r.Expected()
	if s.SHA256 != digest(want) {
		return fmt.Errorf("%s: the peer wrote other bytes than we expect", path)
	}
	if a.Format() != r.Format || a.DType() != r.Type() || !slices.Equal(a.Shape(), r.Shape) || !slices.Equal(a.Chunks(), r.Chunks) {
		return fmt.Errorf("%s: got %v", path, a)
	}
	if fill := a.Fill(); (fill == nil) != (r.Fill == nil) || fill != nil && !bytes.Equal(fill, r.FillBytes()) {
		return fmt.Errorf("%s: fill value %x, want %x", path, fill, r.FillBytes())
	}
	if r.Dims != nil && !slices.Equal(a.Dims(), r.Dims) {
		return fmt.Errorf("%s: dimension names %q, want %q", path, a.Dims(), r.Dims)
	}
	if r.Attrs != nil && !(peer == "tensorstore" && r.Format == 2) { // TensorStore does not store attributes in v2
		got, err := json.Marshal(a.Attrs())
		if err != nil {
			return err
		}
		if want, err := json.Marshal(r.Attrs); err != nil || !bytes.Equal(got, want) {
			return fmt.Errorf("%s: attributes %s, want %s (%v)", path, got, want, err)
		}
	}
	got := bytes.Repeat([]byte{0xa5}, len(want))
	if err := a.ReadBytes(ctx, got); err != nil {
		return err
	}
	if i := differ(got, want); i >= 0 {
		size := r.Type().Size()
		i -= i % size
		return fmt.Errorf("%s: element %d is %x, want %x", path, i/size, got[i:i+size], want[i:i+size])
	}
	return nil
}

// writeRow writes a row as a user would: in one call, or chunk by chunk if some chunks are omitted.
func writeRow(ctx context.Context, st store.Store, r Row) error {
	spec := zarr.Spec{
		Format: r.Format, Shape: r.Shape, Chunks: r.Chunks, DType: r.Type(), Fill: zarr.NoFill, Codecs: codecs(r),
		Separator: r.Separator, Dims: r.Dims, Attrs: r.Attrs,
	}
	if r.Fill != nil {
		fill, err := r.Type().FormatFill(r.FillBytes(), r.Format)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		spec.Fill = fill
	}
	if r.Transpose != nil && r.Format == 2 {
		spec.Order = "F"
	}
	a, err := zarr.Create(ctx, st, r.Name, spec)
	if err != nil {
		return err
	}
	full := r.Full()
	if !r.Missing {
		return a.WriteBytes(ctx, full)
	}
	for _, b := range r.Written() {
		sel := make([]zarr.Selection, len(b.Lo))
		for i := range sel {
			sel[i] = zarr.Range(b.Lo[i], b.Hi[i])
		}
		if err := a.WriteBytes(ctx, r.Part(full, b), sel...); err != nil {
			return err
		}
	}
	return nil
}

// codecs returns the row's codecs for zargo, with the codec bytes for the byte order.
func codecs(r Row) []codec.Spec {
	var out []codec.Spec
	if r.Transpose != nil && r.Format == 3 {
		out = append(out, codec.Transpose(r.Transpose...))
	}
	if r.Type().HasOrder() {
		out = append(out, codec.Bytes(map[string]dtype.Order{"little": dtype.Little, "big": dtype.Big}[r.Order]))
	} else {
		out = append(out, codec.Bytes(dtype.NoOrder))
	}
	for _, c := range r.Codecs {
		switch c.Name {
		case "gzip":
			out = append(out, codec.Gzip(*c.Level))
		case "zlib":
			out = append(out, codec.FromNumcodecs("zlib", json.RawMessage(fmt.Sprintf(`{"level":%d}`, *c.Level))))
		case "zstd":
			out = append(out, codec.Zstd(*c.Level))
		case "crc32c":
			out = append(out, codec.CRC32C())
		case "blosc":
			out = append(out, codec.Blosc(codec.BloscOptions{Cname: c.Cname, Level: *c.Clevel, Shuffle: c.Shuffle}))
		}
	}
	return out
}

func byName(rows []Row, name string) Row {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name })
	if i < 0 {
		panic("there is no row " + name)
	}
	return rows[i]
}

func digest(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// differ returns the first index at which two slices of equal length differ, or -1.
func differ(a, b []byte) int {
	for i := range b {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// TestMatrix checks the number of rows, their names, and the lengths of the expected elements.
func TestMatrix(t *testing.T) {
	rows := Matrix()
	names := map[string]bool{}
	for _, r := range rows {
		names[r.Name] = true
		if n := len(r.Expected()); n != r.Len()*r.Type().Size() {
			t.Errorf("%s: %d bytes", r.Name, n)
		}
	}
	if len(rows) != 378 || len(names) != len(rows) {
		t.Errorf("%d rows with %d names", len(rows), len(names))
	}
}

// TestSample checks that a sample has every property that occurs in its rows.
func TestSample(t *testing.T) {
	for name, rows := range map[string][]Row{"all": Matrix(), "ours": ours()} {
		got := map[string]bool{}
		s := sample(rows)
		for _, r := range s {
			for _, f := range facets(r) {
				got[f] = true
			}
		}
		for _, r := range rows {
			for _, f := range facets(r) {
				if !got[f] {
					t.Errorf("%s: no %s", name, f)
				}
			}
		}
		t.Logf("%s: %d rows for %d choices", name, len(s), len(got))
	}
}

// TestNoPeerIsForgotten checks that each peer has, at each place, either a duty or an entry in
// lacks.
func TestNoPeerIsForgotten(t *testing.T) {
	has := func(duties []duty, peer string) bool {
		return slices.ContainsFunc(duties, func(d duty) bool { return d.peer == peer })
	}
	for _, p := range placeNames {
		for _, peer := range []string{"zarr-python/obstore", "zarr-python/fsspec", "tensorstore"} {
			writes := p.name != "http" && has(writers()[p.name], peer) // for the web server they write to a directory
			if lacks := lackOf(p.name, peer, "write") != nil; lacks == writes {
				t.Errorf("%s at %s: writes %v, lacks it %v", peer, p.name, writes, lacks)
			}
			reads := has(readers()[p.name], peer)
			if lacks := lackOf(p.name, peer, "read") != nil; lacks == reads {
				t.Errorf("%s at %s: reads %v, lacks it %v", peer, p.name, reads, lacks)
			}
		}
	}
}
