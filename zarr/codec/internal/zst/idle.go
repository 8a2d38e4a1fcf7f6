package zst

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// encoders are idle ones with the same settings. A few of them stay, 1.6 MB each, for what is
// written one chunk now and then; more only until the garbage collector takes them, so that a burst
// of writing leaves nothing behind.
type encoders struct {
	mu   sync.Mutex // of stay and n
	stay [4]*zstd.Encoder
	n    int
	more sync.Pool // of *zstd.Encoder
}

// idle are the idle encoders of the process, of each speed, with and without literals coded
// everywhere, with and without a checksum, for each window, for long and for short sources.
var idle [2][2][2][maxWindowLog + 1][2]encoders

// take gives an idle encoder, or nil.
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
