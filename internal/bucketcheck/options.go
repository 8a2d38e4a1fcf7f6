package bucketcheck

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options say what is checked, and how much of it.
type Options struct {
	// Open opens the store anew, as another process would: it is called several times. inFlight
	// bounds the requests in flight; 0 is the store's own number. What it opens is closed by Run.
	Open func(ctx context.Context, inFlight int) (store.Store, error)

	// Key is an object that is there already. With it nothing is written or deleted, and that
	// object is read.
	Key string

	// Place is the prefix below which everything is written: [NewPlace] makes one, and so does Run
	// where Place is empty. One that does not begin as those do, or where something is stored, is
	// refused.
	Place string

	// Above is how many bytes of every key come before those of the store's own, such as the path
	// of the URL that Open opens. The check of the longest key leaves room for them.
	Above int

	Quick   bool // fewer keys, fewer rounds, and a quarter of the time and the bytes for speed
	NoSpeed bool // what the bucket does, and not how fast

	// Found is called after each check, from the goroutine of Run. It may be nil.
	Found func(Finding)
}

const placePrefix = "zargo-check-"

// NewPlace makes a prefix that is in use nowhere: 60 random bits.
func NewPlace() string { return placePrefix + strings.ToLower(rand.Text()[:12]) }

func (o Options) check() error {
	switch {
	case o.Open == nil:
		return errors.New("bucketcheck: Options.Open is nil")
	case o.Above < 0:
		return fault.Newf(fault.Selection, "Options.Above is %d", o.Above)
	case o.Key != "":
		return store.CheckKey(o.Key)
	case !strings.HasPrefix(o.Place, placePrefix) || len(o.Place) < len(placePrefix)+12 || strings.Contains(o.Place, "/"):
		return fault.Newf(fault.Path, "%q is no place that NewPlace makes", o.Place)
	}
	return store.CheckKey(o.Place)
}

// Plan is the most that a Run takes. Requests that fail and are made again come on top.
type Plan struct {
	Objects  int   `json:"objects"`  // that are there at once
	Requests int64 `json:"requests"` // of HTTP
	Sent     int64 `json:"bytes_sent"`
	Received int64 `json:"bytes_received"`
}

// String is a sentence.
func (p Plan) String() string {
	return fmt.Sprintf("at most %d objects, %d requests, %s sent and %s received", p.Objects, p.Requests, bytesText(p.Sent), bytesText(p.Received))
}

func bytesText(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", (n+1<<10-1)>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// perCall is how many exchanges one call of a store's verb makes at most: a proof of absence on
// GCS, the first tail on Azure and a delete by version on S3 take two.
const perCall = 2

// Plan is the most that a Run with these options takes. It makes no request.
func (o Options) Plan() Plan {
	var p Plan
	n := o.sizes()
	add := func(m most) {
		p.Objects += m.objects
		p.Requests += perCall * int64(m.calls)
		p.Sent += m.sent
		p.Received += m.received
	}
	for _, c := range o.table() {
		add(c.most(n))
	}
	if !o.NoSpeed {
		add(n.speed(o.Key != ""))
	}
	if o.Key == "" {
		add(most{calls: 2*p.Objects + 2*(p.Objects/500+2), received: int64(p.Objects) * listed}) // is it empty, and deleting all
	}
	return p
}

// listed is what an entry of a listing takes on the wire, at most: the longest key, escaped, in
// XML.
const listed = 1 << 11

// most is the most that a check takes. Calls are those of a store's verbs; Run refuses any more.
type most struct {
	objects, calls int
	sent, received int64
}

// sizes are the numbers behind the checks.
type sizes struct {
	above   int
	writers int // that race
	stores  int // that were opened apart
	rounds  int
	after   int // rounds of read after write
	keys    int // of the long listing
	part    int64

	small    int64 // bytes of a value whose latency is measured
	repeats  int   // requests for it
	chunk    int64 // bytes of a value of the throughput
	chunks   int
	large    int64 // bytes of the value for one connection's bandwidth
	larges   int
	levels   []int
	each     time.Duration // for a level
	reads    int           // requests of a level
	writes   int
	greatest int // in flight
}

func (o Options) sizes() sizes {
	n := sizes{
		above: o.Above, writers: 16, stores: 4, rounds: 5, after: 10,
		keys: 1010,    // more than a page of S3 and GCS
		part: 8 << 20, // S3 takes parts of 5 MiB at least

		small: 4 << 10, repeats: 40,
		chunk: 64 << 10, chunks: 16,
		large: 16 << 20, larges: 3,
		levels: []int{1, 8, 32, 128, 256}, greatest: 256,
		each: 2 * time.Second, reads: 1024, writes: 256,
	}
	if o.Quick {
		n.rounds, n.after, n.keys = 2, 3, 60
		n.repeats, n.large, n.larges = 15, 4<<20, 2
		n.each, n.reads, n.writes = n.each/4, n.reads/4, n.writes/4
	}
	return n
}

// speed is what measuring takes.
func (n sizes) speed(readOnly bool) most {
	l := len(n.levels)
	m := most{
		calls:    n.repeats + warm + n.larges + l*n.reads,
		received: int64(n.repeats+warm)*n.small + int64(n.larges)*n.large + int64(l*n.reads)*n.chunk,
	}
	if readOnly {
		return m
	}
	m.objects = 2 + n.chunks + l*n.writes
	m.calls += n.repeats + warm + 1 + n.chunks + l*n.writes
	m.sent = int64(n.repeats+warm)*n.small + n.large + int64(n.chunks+l*n.writes)*n.chunk
	return m
}
