package hugepages

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Size is the size of a huge page on amd64, and on arm64 with base pages of 4 KiB. On systems with
// larger huge pages, the kernel rounds the range to whole huge pages.
const Size = 2 << 20

// Least is the minimum length of memory that receives advice. 4 MiB of memory contain at least one
// whole huge page.
const Least = 4 << 20

// Advice is the advice to the kernel for one slice. It is in effect until Undo is called. The zero
// Advice has no effect.
type Advice struct {
	pages []byte    // the part for which huge pages were requested
	touch *touching // set if the system denies huge pages
}

// Advise requests huge pages for the part of b between the first and the last boundary of a huge
// page. The caller must not have written to b yet. If the system denies huge pages, Advise creates
// the small pages in the background, from the start of b on. It does nothing if b is shorter than
// [Least]. The caller must call Undo.
func Advise(b []byte) Advice {
	if len(b) < Least {
		return Advice{}
	}
	switch pages := interior(b); system() {
	case asked:
		if advise(pages) {
			return Advice{pages: pages}
		}
	case none:
		return Advice{touch: touch(pages)}
	}
	return Advice{}
}

// Undo withdraws the advice. Existing huge pages remain, and the contents do not change.
func (a Advice) Undo() {
	if a.pages != nil {
		undo(a.pages)
	}
	if a.touch != nil {
		a.touch.stop()
	}
}

// Want requests huge pages for a buffer that will be filled, if the system grants them on request.
// It does nothing if b is shorter than [Least]. [Enough] withdraws the request.
func Want(b []byte) {
	if len(b) >= Least && system() == asked {
		advise(interior(b))
	}
}

// Enough withdraws the request of Want. It may also be called for a slice that was not passed to
// Want. Existing huge pages remain, and the contents do not change.
func Enough(b []byte) {
	if len(b) >= Least && system() == asked {
		undo(interior(b))
	}
}

// policy describes when the system grants huge pages.
type policy int

const (
	unknown policy = iota // unknown, or huge pages are used for all memory
	asked                 // on request
	none                  // never
)

// touching creates the pages of a slice while the slice is being written. If several goroutines
// write to the same page concurrently, each causes a page fault, but only one fault is needed. Such
// writes are common, because rows of neighbouring chunks are in the same pages, and goroutines that
// decode the chunks advance at the same speed. Of 240,000 faults in a read of 512 MiB by two
// goroutines, 100,000 were useless.
type touching struct {
	stopped atomic.Bool
	next    atomic.Int64 // index of the next step
	group   sync.WaitGroup
}

// step is the number of bytes whose pages are created by one call. A call takes some ten
// microseconds.
const step = 128 << 10

func touch(pages []byte) *touching {
	t := &touching{}
	for range min(runtime.GOMAXPROCS(0), len(pages)/Least+1) {
		t.group.Go(func() {
			for !t.stopped.Load() {
				at := int(t.next.Add(1)-1) * step
				if at >= len(pages) || !populate(pages[at:min(at+step, len(pages))]) {
					return
				}
			}
		})
	}
	return t
}

func (t *touching) stop() {
	t.stopped.Store(true)
	t.group.Wait()
}
