package concurrency

import "slices"

// queues holds the waiters of a [Slots]. The groups of waiters are served in turn. The waiters of a
// group are served by rank, and those of a rank in order of arrival.
type queues struct {
	n      int // number of waiters
	groups map[any]*group
	order  []*group // groups with waiters; the next one is first
}

// group is a group of waiters.
type group struct {
	name    any
	n       int
	waiting [ranks][]chan struct{} // closing a channel hands over a slot
}

// ranks is the number of ranks of [Slots.AcquireIn].
const ranks = 3

// add adds a waiter.
func (q *queues) add(name any, rank int) chan struct{} {
	g := q.groups[name]
	if g == nil {
		if q.groups == nil {
			q.groups = map[any]*group{}
		}
		g = &group{name: name}
		q.groups[name], q.order = g, append(q.order, g)
	}
	turn := make(chan struct{})
	g.waiting[rank] = append(g.waiting[rank], turn)
	g.n++
	q.n++
	return turn
}

// remove removes a waiter. It returns false if the waiter was served.
func (q *queues) remove(name any, rank int, turn chan struct{}) bool {
	g := q.groups[name]
	if g == nil {
		return false
	}
	i := slices.Index(g.waiting[rank], turn)
	if i < 0 {
		return false
	}
	g.waiting[rank] = slices.Delete(g.waiting[rank], i, i+1)
	if q.took(g) {
		q.order = slices.DeleteFunc(q.order, func(o *group) bool { return o == g })
	}
	return true
}

// took subtracts a waiter of the group. It returns true if that was the last one.
func (q *queues) took(g *group) bool {
	q.n--
	if g.n--; g.n == 0 {
		delete(q.groups, g.name)
	}
	return g.n == 0
}

// serve hands a slot to the next waiter. There is at least one.
func (q *queues) serve() {
	g := q.order[0]
	q.order[0] = nil
	q.order = q.order[1:]
	rank := ranks - 1
	for len(g.waiting[rank]) == 0 {
		rank--
	}
	close(g.waiting[rank][0])
	g.waiting[rank][0] = nil
	g.waiting[rank] = g.waiting[rank][1:]
	if !q.took(g) {
		q.order = append(q.order, g)
	}
}
