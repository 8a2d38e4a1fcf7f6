package concurrency

import "slices"

// eighths returns n eighths of the budget's size.
func (b *Budget) eighths(n int64) int64 { return b.size/8*n + b.size%8*n/8 }

// fits reports whether n more bytes are within the share of kind k.
func (b *Budget) fits(k Kind, n int64) bool {
	task, block, ahead := b.kinds[Task].used, b.kinds[Block].used, b.kinds[Ahead].used
	switch k {
	case Index:
		return n <= b.eighths(1)-b.kinds[Index].used
	case Block:
		return n <= b.eighths(5)-block-ahead
	case Ahead:
		return n <= b.eighths(4)-ahead && n <= b.eighths(5)-block-ahead && n <= b.eighths(7)-task-block-ahead
	default:
		return n <= b.eighths(7)-task-block-ahead
	}
}

// beside reports whether a Block of n more bytes fits together with the granted Tasks. For the
// other kinds it returns true.
func (b *Budget) beside(k Kind, n int64) bool {
	return k != Block || b.kinds[Task].holds == 0 || n <= b.eighths(7)-b.kinds[Task].used-b.kinds[Block].used-b.kinds[Ahead].used
}

// waits reports whether a reservation waits in b.
func (b *Budget) waits() bool {
	return len(b.settling) > 0 || slices.ContainsFunc(b.kinds[:], func(l line) bool { return len(l.waiting) > 0 })
}

// add adds n to the reserved bytes of kind k, and the argument holds to its number of holds. Both
// arguments may be negative.
func (b *Budget) add(k Kind, n int64, holds int) {
	b.kinds[k].used += n
	b.kinds[k].holds += holds
}

// addHeld adds n to the granted bytes of b and its ancestors.
func (b *Budget) addHeld(n int64) {
	for at := b; at != nil; at = at.parent {
		at.held += n
	}
}

// notePeak updates the peaks of b and its ancestors.
func (b *Budget) notePeak() {
	for at := b; at.parent != nil; at = at.parent {
		at.peak = max(at.peak, at.held)
	}
	r := b.root
	r.peak = max(r.peak, r.held+r.idle.bytes())
}

// climb reserves the bytes of w in b and its ancestors, up to the first budget where w must wait.
// If w does not have to wait in any of them, climb grants w.
func (w *waiter) climb(b *Budget) {
	for ; b != nil; b = b.parent {
		l := &b.kinds[w.kind]
		if w.in = b; len(l.waiting) > 0 || l.holds > 0 && !b.fits(w.kind, w.n) {
			l.waiting = append(l.waiting, w)
			return
		}
		if !w.enter(b) {
			return
		}
	}
	w.hold = w.from.hold(w.kind, w.n)
	close(w.ready)
}

// enter reserves the bytes of w, the first waiter in its line, in b. It reports whether w may
// continue with the parent of b. Otherwise w waits in b for Tasks.
func (w *waiter) enter(b *Budget) bool {
	b.add(w.kind, w.n, 1)
	if b.beside(w.kind, 0) {
		return true
	}
	b.settling = append(b.settling, w)
	return false
}

// leave removes w from its line and releases the bytes that are reserved for it.
func (w *waiter) leave() {
	for at := w.from; at != w.in; at = at.parent {
		at.add(w.kind, -w.n, -1)
	}
	is := func(other *waiter) bool { return other == w }
	if i := slices.IndexFunc(w.in.settling, is); i >= 0 {
		w.in.settling = slices.Delete(w.in.settling, i, i+1)
		w.in.add(w.kind, -w.n, -1)
	} else {
		l := &w.in.kinds[w.kind]
		l.waiting = slices.DeleteFunc(l.waiting, is)
	}
	w.from.wake() // other waiters may have waited for w
}

// wake lets waiters proceed while bytes are free. It starts with the root, because a waiter that b
// admits then queues in b's parent. Within a budget Blocks come first, then Indexes, then Tasks,
// because a steady stream of Tasks could otherwise starve the Blocks.
func (b *Budget) wake() {
	if b.parent != nil {
		b.parent.wake()
	}
	for len(b.settling) > 0 && b.beside(Block, 0) {
		w := b.settling[0]
		b.settling[0] = nil
		b.settling = b.settling[1:]
		w.climb(b.parent)
	}
	for _, k := range [...]Kind{Block, Index, Task} {
		l := &b.kinds[k]
		for len(l.waiting) > 0 && (l.holds == 0 || b.fits(k, l.waiting[0].n)) {
			w := l.waiting[0]
			l.waiting[0] = nil
			l.waiting = l.waiting[1:]
			if w.enter(b) {
				w.climb(b.parent)
			}
		}
	}
}
