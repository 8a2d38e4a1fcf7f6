package zst

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// encoders holds idle encoders of the same settings. It keeps up to four of them, with 1.6 MB each,
// for occasional writes of one chunk. The others are in a sync.Pool. The garbage collector frees
// them after a burst of writes.
type encoders struct {
	mu   sync.Mutex // guards stay and n
	stay [4]*zstd.Encoder
	n    int
	more sync.Pool // of *zstd.Encoder
}

// idle holds the idle encoders of the process. The indexes are whether the level is the fastest,
// whether all literals are compressed, whether frames have a checksum, the base-2 logarithm of the
// window, and whether sources are short.
var idle [2][2][2][maxWindowLog + 1][2]encoders

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

func (e *encoders) giveBack(z *zstd.Encoder) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.n < len(e.stay) {
		e.stay[e.n] = z
		e.n++
		return
	}
	e.more.Put(z)
}
