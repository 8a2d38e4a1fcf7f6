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

// Options configures a [Run].
type Options struct {
	// Open opens the store as a new process would. Run calls it several times and closes the
	// stores. inFlight is the maximum number of requests in flight; 0 means the store's default.
	Open func(ctx context.Context, inFlight int) (store.Store, error)

	// Key is the key of an existing object. If Key is set, Run only reads this object. It does not
	// write or delete anything.
	Key string

	// Place is the prefix below which Run writes. The default is a new prefix from [NewPlace]. Run
	// returns fault.Path if the prefix does not have the form of NewPlace, and fault.Exists if
	// values are already stored below the prefix.
	Place string

	// Above is the length in bytes of the prefix that the store adds to each key, such as the path
	// of the URL that Open opens. The check of the longest key subtracts this length.
	Above int

	Quick   bool // use fewer keys and rounds, and about a quarter of the time and bytes for speed
	NoSpeed bool // skip the measurement of speed

	// Found, if not nil, is called after each check, from the goroutine of Run.
	Found func(Finding)
}

const placePrefix = "zargo-check-"

// NewPlace returns a new prefix with 60 random bits.
func NewPlace() string { return placePrefix + strings.ToLower(rand.Text()[:12]) }

func (o Options) check() error {
	switch {
	case o.Open == nil:
		return errors.New("bucketcheck: Options.Open is nil")
	case o.Above < 0:
		return fault.Newf(fault.Selection, "Options.Above must be at least 0, is %d", o.Above)
	case o.Key != "":
		return store.CheckKey(o.Key)
	case !strings.HasPrefix(o.Place, placePrefix) || len(o.Place) < len(placePrefix)+12 || strings.Contains(o.Place, "/"):
		return fault.Newf(fault.Path, "the place %q does not have the form of NewPlace", o.Place)
	}
	return store.CheckKey(o.Place)
}

// Plan has upper bounds of the cost of a [Run], without retries.
type Plan struct {
	Objects  int   `json:"objects"`  // objects that exist at the same time
	Requests int64 `json:"requests"` // HTTP requests
	Sent     int64 `json:"bytes_sent"`
	Received int64 `json:"bytes_received"`
}

// String returns the plan as text.
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

// perCall is the maximum number of HTTP requests of one call of a store's method. Two requests are
// needed to prove an absence on GCS, for the first suffix range on Azure, and to delete by version
// on S3.
const perCall = 2

// Plan returns upper bounds of the cost of a Run with these options. It sends no request.
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
		// Add the check that the place is empty, and the deletes at the end.
		add(most{calls: 2*p.Objects + 2*(p.Objects/500+2), received: int64(p.Objects) * listed})
	}
	return p
}

// listed is the maximum size of a listing entry in a response. An XML entry with the longest key,
// escaped, takes 2 KiB.
const listed = 1 << 11

// most has upper bounds of the cost of a check. calls is the maximum number of calls of a store's
// methods; further calls fail with errBound.
type most struct {
	objects, calls int
	sent, received int64
}

// sizes has the parameters of the checks.
type sizes struct {
	above   int // Options.Above
	writers int // concurrent writers of a race
	stores  int // stores opened for the same place
	rounds  int // rounds of a race
	after   int // rounds of read after write
	keys    int // keys of the long listing
	part    int64

	small    int64 // size of a value to measure latency
	repeats  int   // requests for latency
	chunk    int64 // size of a value to measure throughput
	chunks   int
	large    int64 // size of a value to measure bandwidth
	larges   int
	levels   []int         // numbers of requests in flight to measure
	each     time.Duration // maximum duration of a level
	reads    int           // maximum reads of a level
	writes   int           // maximum writes of a level
	greatest int           // largest element of levels
}

func (o Options) sizes() sizes {
	n := sizes{
		above: o.Above, writers: 16, stores: 4, rounds: 5, after: 10,
		keys: 1010,    // more than one page of S3 and GCS, which is 1000
		part: 8 << 20, // more than the minimum of S3, which is 5 MiB

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

// speed returns upper bounds of the cost of the measurement.
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
