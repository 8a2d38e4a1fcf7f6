package peers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// place is where both sides meet.
type place struct {
	name string
	open func(t *testing.T) (st store.Store, url string)
}

var places = []place{
	{"dir", func(t *testing.T) (store.Store, string) { d := t.TempDir(); return dir.New(d), d }},
	{"s3", func(t *testing.T) (store.Store, string) { u := bucket.URL(t); return bucket.Open(t, u), u }},
}

func TestPeersWriteWeRead(t *testing.T) {
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			st, url := p.open(t)
			rows := Matrix()
			answers := newTally()
			jobs := ask(t, "write.py", rows, url)
			jobs = slices.DeleteFunc(jobs, func(s said) bool { return !answers.add(t, byName(rows, s.Name), s) })
			each(t, len(jobs), func(ctx context.Context, i int) error {
				return readRow(ctx, st, byName(rows, jobs[i].Name), jobs[i])
			})
			answers.want(t, map[string]int{"zarr-python": 378, "tensorstore": 364}, map[string]int{"tensorstore: numcodecs.zlib": 14})
		})
	}
}

func TestWeWritePeersRead(t *testing.T) {
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			st, url := p.open(t)
			rows := slices.DeleteFunc(Matrix(), func(r Row) bool { return r.ReadOnly })
			each(t, len(rows), func(ctx context.Context, i int) error { return writeRow(ctx, st, rows[i]) })
			answers := newTally()
			for _, s := range ask(t, "read.py", rows, url) {
				r := byName(rows, s.Name)
				if answers.add(t, r, s) && s.SHA256 != digest(r.Expected()) {
					t.Errorf("%s read %s and has other bytes than we expect", s.Peer, r.Name)
				}
			}
			answers.want(t, map[string]int{"zarr-python": 252, "tensorstore": 238}, map[string]int{"tensorstore: numcodecs.zlib": 14})
		})
	}
}

// TestRoundTrip writes and reads the rows with zargo alone: what the peers cannot see, it sees without them.
func TestRoundTrip(t *testing.T) {
	st := mem.New()
	rows := slices.DeleteFunc(Matrix(), func(r Row) bool { return r.ReadOnly })
	each(t, len(rows), func(ctx context.Context, i int) error {
		r := rows[i]
		if err := writeRow(ctx, st, r); err != nil {
			return err
		}
		return readRow(ctx, st, r, said{SHA256: digest(r.Expected())})
	})
}

// each runs all of the jobs, some at a time, and reports every error.
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

// readRow reads what a peer wrote and compares every element, the fill value and the attributes.
func readRow(ctx context.Context, st store.Store, r Row, s said) error {
	path := r.Name
	if s.Peer != "" {
		path = s.Peer + "/" + r.Name
	}
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
	if r.Attrs != nil && !(s.Peer == "tensorstore" && r.Format == 2) { // which has none there
		got, err := json.Marshal(a.Attrs())
		if err != nil {
			return err
		}
		if want, err := json.Marshal(r.Attrs); err != nil || !bytes.Equal(got, want) {
			return fmt.Errorf("%s: attributes %s, want %s (%v)", path, got, want, err)
		}
	}
	got := bytes.Repeat([]byte{0xa5}, len(want))
	if err := zarr.ReadBytes(ctx, a, got); err != nil {
		return err
	}
	if i := differ(got, want); i >= 0 {
		size := r.Type().Size()
		i -= i % size
		return fmt.Errorf("%s: element %d is %x, want %x", path, i/size, got[i:i+size], want[i:i+size])
	}
	return nil
}

// writeRow writes a row the way a user would: whole, or chunk by chunk when some are left out.
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
		return zarr.WriteBytes(ctx, a, full)
	}
	for _, b := range r.Written() {
		sel := make([]zarr.Selection, len(b.Lo))
		for i := range sel {
			sel[i] = zarr.Range(b.Lo[i], b.Hi[i])
		}
		if err := zarr.WriteBytes(ctx, a, r.Part(full, b), sel...); err != nil {
			return err
		}
	}
	return nil
}

// codecs are the row's codecs as zargo takes them, bytes among them for the byte order.
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
		panic("no row " + name)
	}
	return rows[i]
}

func digest(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// differ is the first index at which two slices of one length differ, or -1.
func differ(a, b []byte) int {
	for i := range b {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// TestMatrix holds the matrix to what is asked of it.
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
