package transfer

import (
	"context"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Bounds are the minimum and the maximum of an amount.
type Bounds struct{ Least, Most store.Amount }

func (b Bounds) and(c Bounds) Bounds { return Bounds{b.Least.Add(c.Least), b.Most.Add(c.Most)} }

// TaskRequests are the requests of the tasks of a plan.
type TaskRequests struct {
	Objects Bounds // reads and writes of objects
	Markers Bounds // puts of markers, and gets that confirm them; fewer if the tasks are fast
	Clean   Bounds // those of [Clean] for markers and temporary arrays
}

// Requests returns the requests of all tasks of a plan that one process runs. It lists the arrays
// of the source, because requests for absent objects depend on how many there are. A [Run] with
// RunOptions.Rehearse, [Save] and Clean send all other requests. The bounds include neither
// repeated requests nor the effects of other processes. opts are as for [Open].
func (p *Plan) Requests(ctx context.Context, open Opener, opts ...zarr.Option) (r TaskRequests, err error) {
	w, err := openWith(ctx, p, open, nil, opts)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	costs, err := p.Costs(opts...)
	if err != nil {
		return r, err
	}
	least, most, temporary := int64(0), int64(0), int64(0)
	for _, c := range costs {
		if c.Step.Kind == Finish || c.Tasks == 0 {
			continue
		}
		b, all, err := w.requests(ctx, c)
		if err != nil {
			return r, err
		}
		r.Objects = r.Objects.and(b)
		most += int64(c.Tasks)
		if c.Stage < p.copying()-1 { // the tasks of the last stage need no markers
			if least++; all {
				least += int64(c.Tasks) - 1
			}
		}
		if c.Step.To.In == Temporary {
			temporary += c.Writes
		}
	}
	shortest, longest, err := claimed.Sizes(w.claim.Plan, p.Encode())
	if err != nil {
		return r, err
	}
	// A get of the claim confirms the markers put so far, in each stage with markers at least once.
	// The first time, a put may change the state instead. A claim with all members is less than 64
	// bytes longer.
	gets, long := max(min(least, int64(p.copying()-1))-1, 0), int64(longest+64)
	r.Markers.Least = store.Amount{Gets: gets, Puts: least, BytesRead: gets * int64(shortest)}
	r.Markers.Most = store.Amount{Gets: most, Puts: most + 1, BytesRead: most * long, BytesWritten: long}
	r.Clean.Least.Puts = store.DeleteRequests(w.dst, least)
	r.Clean.Most = store.Amount{Puts: store.DeleteRequests(w.dst, most+temporary), Lists: 1 + morePages(most+temporary)}
	return r, nil
}

// pageKeys is the number of keys in a page of most listings.
const pageKeys = 1000

// morePages returns the maximum number of pages of a listing of n keys, without the first page. A
// concurrent listing may send twice as many requests as there are pages.
func morePages(n int64) int64 { return n / pageKeys * 2 }

// sourceObjects are the stored objects that a step reads.
type sourceObjects struct {
	known   bool  // the source was listed
	n       int64 // number of objects
	bytes   int64
	unsized bool  // there are objects without a size
	pages   int64 // maximum number of pages of another listing, without the first
	large   int64 // maximum number of additional requests for long objects
	most    int64 // maximum of bytes, if bytes lacks the sizes of some objects
}

// requests returns the requests for the objects of a step. all reports that each task copies an
// object.
func (w *Worker) requests(ctx context.Context, c Cost) (b Bounds, all bool, err error) {
	s := c.Step
	if s.Kind == Objects {
		o, err := w.sourceObjects(ctx, s.From.Path, 0, func(string) bool { return true })
		pages := Bounds{store.Amount{Lists: 1}, store.Amount{Lists: 1 + o.pages}}
		return w.moves(o, o.n).and(pages), true, err
	}
	from, to, err := w.arrays.both(ctx, s)
	if err != nil {
		return b, false, err
	}
	objects := walk.Overlapping(from, sourceBox(s.Start, walk.Box{At: make([]int, len(s.Grid)), Shape: to.Shape()}))
	n := objects.Bytes(1)
	var o sourceObjects
	if s.From.In == Source {
		keys := from.Metadata().Keys
		o, err = w.sourceObjects(ctx, s.From.Path, needOf(s, from, to).work, func(name string) bool {
			coord, ok := keys.Parse(name, len(s.Grid))
			for d := range coord {
				ok = ok && coord[d] >= objects.At[d] && coord[d]-objects.At[d] < objects.Shape[d]
			}
			return ok
		})
		if err != nil {
			return b, false, err
		}
	}
	all = o.n == n
	if s.Kind == Encoded {
		if !o.known || o.unsized {
			if o.most, err = longest(from, n); err != nil {
				return b, false, err
			}
		}
		b = w.moves(o, n)
	} else if b, err = blocksRequests(c, from, to, o, all); err != nil {
		return b, false, err
	}
	if !all { // requests for absent objects, and a listing that replaces them
		b.Most.Lists += 2 * (1 + o.pages)
	}
	return b, all, nil
}

// sourceObjects lists the objects below a path of the source whose names match accepts. Objects of
// more than buffer bytes take additional requests.
func (w *Worker) sourceObjects(ctx context.Context, path string, buffer int64, match func(name string) bool) (o sourceObjects, err error) {
	keys := int64(0)
	for e, err := range store.ListAll(ctx, w.src, path, store.ListOptions{}) {
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fault.Refused) {
			return sourceObjects{}, nil
		}
		if err != nil {
			return o, err
		}
		keys++
		if !match(strings.TrimPrefix(strings.TrimPrefix(e.Key, path), "/")) {
			continue
		}
		o.n++
		o.unsized = o.unsized || e.Size < 0
		switch {
		case e.Size > streamAbove:
			o.large += e.Size/piece + 4
		case e.Size > buffer:
			o.large++
		}
		o.bytes = sum(o.bytes, max(e.Size, 0))
	}
	o.known, o.pages = true, morePages(keys)
	return o, nil
}

// longest returns the maximum number of stored bytes of n objects of an array.
func longest(a *zarr.Array, n int64) (int64, error) {
	sel := make([]zarr.Selection, 0, len(a.Shape()))
	for d, edge := range objectShape(a) {
		sel = append(sel, zarr.Range(0, min(edge, a.Shape()[d])))
	}
	p, err := a.Plan(sel...)
	if err != nil {
		return 0, err
	}
	_, one := p.Bounds()
	return times(n, one.BytesRead), nil
}

// moves returns the requests that copy objects as they are stored. n is the number of objects that
// may be requested.
func (w *Worker) moves(o sourceObjects, n int64) (b Bounds) {
	b.Least.Puts, b.Most.Puts = o.n, n
	if w.one && copies(w.dst) {
		b.Most.Puts += o.large
		b.Most.Gets = o.large
		if o.large > 0 {
			b.Most.BytesRead, b.Most.BytesWritten = max(o.bytes, o.most), max(o.bytes, o.most)
		}
		return b
	}
	b.Least.Gets, b.Most.Gets = o.n, n+o.large
	if o.known {
		b.Most.Puts = o.n + o.large
	}
	b.Least.BytesRead, b.Least.BytesWritten = o.bytes, o.bytes
	b.Most.BytesRead, b.Most.BytesWritten = max(o.bytes, o.most), max(o.bytes, o.most)
	return b
}

// copies reports whether a store and all stores that it wraps are Copiers.
func copies(s store.Store) bool {
	for {
		if _, ok := s.(store.Copier); !ok {
			return false
		}
		w, ok := s.(store.Wrapper)
		if !ok {
			return true
		}
		s = w.Unwrap()
	}
}

// blocksRequests returns the requests of tasks that decode and encode. all reports that every
// object of the source exists. The maximum for one chunk or object is that of the first task.
func blocksRequests(c Cost, from, to *zarr.Array, o sourceObjects, all bool) (b Bounds, err error) {
	t := Task{Stage: c.Stage, Step: c.Step}
	units, objects, each := int64(1), int64(1), unitShape(from)
	for d, n := range c.Step.Grid {
		t.Lo, t.Hi = append(t.Lo, 0), append(t.Hi, min(c.Step.Block[d], n))
		objects = times(objects, int64(t.Hi[d]))
	}
	src, dst, shape := regions(t, to)
	for d, n := range shape {
		at := c.Step.start(d)
		units = times(units, int64((at+n-1)/each[d]-at/each[d]+1))
	}
	read, err := from.Plan(src...)
	if err != nil {
		return b, err
	}
	write, err := to.PlanWrite(dst...)
	if err != nil {
		return b, err
	}
	_, r := read.Bounds()
	_, w := write.Bounds()
	eachOnce := all && !from.Sharded() // every read is one get of a stored object
	if b.Least.Gets = o.n; eachOnce && c.Reads >= o.n {
		b.Least.Gets = c.Reads
	}
	b.Most.Gets = sum(times(c.Reads, ceil64(r.Gets, units)), times(c.Writes, sum(1, ceil64(w.Gets, objects)))) // a get before the delete of a chunk of fill values
	b.Most.Puts = times(c.Writes, ceil64(w.Puts, objects))
	b.Most.Lists = 2 * (1 + morePages(c.Writes)) // to find which chunks of fill values are absent
	b.Most.BytesRead = times(c.Reads, ceil64(r.BytesRead, units))
	if !from.Sharded() && !o.unsized {
		if b.Least.BytesRead = o.bytes; eachOnce && c.Reads == o.n {
			b.Most.BytesRead = o.bytes
		}
	}
	b.Most.BytesWritten = times(c.Writes, ceil64(w.BytesWritten, objects))
	return b, nil
}

// ceil64 returns a/n, rounded up.
func ceil64(a, n int64) int64 { return (a + n - 1) / n }
