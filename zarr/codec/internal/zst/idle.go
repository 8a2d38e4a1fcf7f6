package zst

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// idle holds the idle encoders of the process. The indexes are the effort, whether frames have a
// checksum, the base-2 logarithm of the window, and whether sources are short.
var idle [numEfforts][2][maxWindowLog + 1][2]encoders

// encoders holds idle encoders of the same settings. Up to the effort Better it keeps up to four of
// them, with 1.6 to 6 MB each, for occasional writes of one chunk. The others are in a sync.Pool.
// The garbage collector frees them after a burst of writes.
type encoders struct {
	mu   sync.Mutex // guards stay and n
	stay [maxKept]*zstd.Encoder
	n    int
	more sync.Pool // of *zstd.Encoder
}

// maxKept is the number of idle encoders of the same settings that stay in memory.
const maxKept = 4

// take returns an idle encoder, or nil.
func (e *encoders) take() *zstd.Encoder {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.n > 0 {
		e.n--
		return e.stay[e.n]
	}
	z, _ := e.more.Get().(*zstd.Encoder)
	return z
}

// giveBack keeps z if fewer than keep encoders stay in memory.
func (e *encoders) giveBack(z *zstd.Encoder, keep int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.n < keep {
		e.stay[e.n] = z
		e.n++
		return
	}
	e.more.Put(z)
}
