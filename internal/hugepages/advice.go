package hugepages

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Size is that of a huge page: 2 MiB on amd64 and on arm64 with base pages of 4 KiB. Where pages
// are larger the kernel rounds.
const Size = 2 << 20

// Least is the shortest memory that is advised about: 4 MiB, of which one whole page is left
// wherever they lie.
const Least = 4 << 20

// Advice is what is done about memory until it is full. The zero Advice is about nothing.
type Advice struct {
	pages []byte    // huge ones were asked for
	touch *touching // where there are none
}

// Advise asks for huge pages in b, of which nothing has been written yet, as far as whole ones lie
// in it. Where the system has none to give the small ones are made from the start of b on, in the
// background. It does nothing for less than [Least]. The caller must Undo it.
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

// Undo asks for no more pages than there are. It changes no contents.
func (a Advice) Undo() {
	if a.pages != nil {
		undo(a.pages)
	}
	if a.touch != nil {
		a.touch.stop()
	}
}

// Want asks for huge pages in a buffer that is going to be filled, where the system gives them to
// those that ask. It does nothing for less than [Least]. [Enough] takes it back.
func Want(b []byte) {
	if len(b) >= Least && system() == asked {
		advise(interior(b))
	}
}

// Enough asks for no more pages than there are in a buffer that Want may have been called for. It
// changes no contents.
func Enough(b []byte) {
	if len(b) >= Least && system() == asked {
		undo(interior(b))
	}
}

// policy is what a system does about huge pages.
type policy int

const (
	unknown policy = iota // or all memory has them
	asked                 // memory has them that asks
	none
)

// touching makes the pages of memory that is being written. What several goroutines write to one
// page at a time makes it several times, and all but one of them for nothing: rows of neighbouring
// chunks lie in the same pages, and two goroutines that decode them keep step. 100,000 faults of
// 240,000 were such, of a read of 512 MiB by two.
type touching struct {
	stopped atomic.Bool
	next    atomic.Int64 // step
	group   sync.WaitGroup
}

// step is how many bytes of pages are made at a time: some ten microseconds.
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
