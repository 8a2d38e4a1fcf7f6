package transfer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Version is the version of the JSON form of a [Plan].
const Version = 1

// Plan says what is copied where, in which pieces. It is plain data without credentials: its JSON
// form can be stored, sent to other machines and run there. Make it with [NewPlan], or read it with
// [Decode]; a plan that is run is not to be changed.
type Plan struct {
	Version   int       `json:"zargo_transfer_plan"`
	Source    Place     `json:"source"`
	Target    Place     `json:"target"`
	Memory    int64     `json:"memory"` // bytes that one process may take
	Documents Documents `json:"documents"`
	Stages    []Stage   `json:"stages"` // each begins when the one before it is complete
}

// Place is a node in a store.
type Place struct {
	Store string `json:"store"` // what the [Opener] is given: a URL without secrets, or any name
	Path  string `json:"path"`  // of the node below the store's root
}

// Documents are the metadata documents that tasks work by, by key below the root of their store.
// Those of the target are stored by the last task alone. Keys of temporary arrays are below the
// directory of the plan's temporary data.
type Documents struct {
	Source    map[string]string `json:"source"`
	Target    map[string]string `json:"target"`
	Temporary map[string]string `json:"temporary,omitempty"`
	// Consolidated: those of the source are from the consolidated metadata of the group that is
	// copied, where tasks look whether they have changed.
	Consolidated bool `json:"consolidated,omitempty"`
}

// Stage is steps whose tasks may run in any order.
type Stage struct {
	Steps []Step `json:"steps"`
}

// Kind says what the tasks of a step do.
type Kind string

const (
	// Encoded moves stored objects as they are: both arrays have the same grid, codecs, data type
	// and fill value.
	Encoded Kind = "encoded"
	// Blocks reads and decodes regions of one array, and encodes and writes them to the other.
	Blocks Kind = "blocks"
	// Finish is one task, the last one: it stores the target's documents.
	Finish Kind = "finish"
)

// Step writes one array. Its tasks divide the objects (chunks, or shards) of that array among them:
// each has Block objects along each dimension, or as many as are left, so no object is written by
// two tasks.
type Step struct {
	Kind  Kind   `json:"kind"`
	From  *Array `json:"from,omitempty"`
	To    *Array `json:"to,omitempty"`
	Start []int  `json:"start,omitempty"` // the element of From that is the first of To, along each dimension; nil is the first
	Grid  []int  `json:"grid,omitempty"`  // objects of To along each dimension
	Block []int  `json:"block,omitempty"` // objects of a task along each dimension
	// Inner is set where shards of To do not fit in the memory: a task fills one shard in boxes of
	// so many of its inner chunks along each dimension. What lies across the boxes is read once for
	// each.
	Inner []int `json:"inner,omitempty"`
}

// In says in which set of documents and in which store an array is.
type In string

// The three places of arrays. Temporary ones are stored below the target.
const (
	Source    In = "source"
	Target    In = "target"
	Temporary In = "temporary"
)

// Array is an array that a step reads or writes.
type Array struct {
	In        In     `json:"in"`
	Path      string `json:"path"`
	Separator string `json:"separator,omitempty"` // of the keys of chunks, where its metadata leaves that open
}

// Task is one task of a plan: the objects from Lo to before Hi along each dimension of the grid of
// Step.To.
type Task struct {
	Stage  int
	Step   *Step
	Lo, Hi []int
}

// maxTasks is how many tasks a plan may have. 2^30 fits an int of 32 bits; their markers alone
// would be a million listings.
const maxTasks = 1 << 30

// Tasks is the number of tasks: they are numbered from 0, stage after stage.
func (p *Plan) Tasks() int {
	n := 0
	for i := range p.Stages {
		n += p.Stages[i].tasks()
	}
	return n
}

// TasksOf returns the first task of stage k, and how many it has. k is at least 0 and less than
// len(Stages).
func (p *Plan) TasksOf(k int) (first, n int) {
	for i := range k {
		first += p.Stages[i].tasks()
	}
	return first, p.Stages[k].tasks()
}

// StageOf is the stage that task i belongs to. i is at least 0 and less than Tasks.
func (p *Plan) StageOf(i int) int { return p.Task(i).Stage }

// Task is the i-th task, by arithmetic. i is at least 0 and less than Tasks.
func (p *Plan) Task(i int) Task {
	for k := range p.Stages {
		for s := range p.Stages[k].Steps {
			step := &p.Stages[k].Steps[s]
			n := step.tasks()
			if i >= n {
				i -= n
				continue
			}
			t := Task{Stage: k, Step: step, Lo: make([]int, len(step.Grid)), Hi: make([]int, len(step.Grid))}
			for d := len(step.Grid) - 1; d >= 0; d-- {
				blocks := ceil(step.Grid[d], step.Block[d])
				t.Lo[d] = i % blocks * step.Block[d]
				t.Hi[d] = min(step.Grid[d], t.Lo[d]+min(step.Block[d], step.Grid[d]))
				i /= blocks
			}
			return t
		}
	}
	return Task{}
}

func (s *Stage) tasks() int {
	n := 0
	for i := range s.Steps {
		n += s.Steps[i].tasks()
	}
	return n
}

func (s *Step) tasks() int {
	n := 1
	for d, g := range s.Grid {
		n *= ceil(g, s.Block[d])
	}
	return n
}

// Objects is how many objects of the target the task owns.
func (t Task) Objects() int {
	n := 1
	for d := range t.Lo {
		n *= t.Hi[d] - t.Lo[d]
	}
	return n
}

// ID names the plan by its contents: 32 hexadecimal digits.
func (p *Plan) ID() string {
	sum := sha256.Sum256(p.Encode())
	return hex.EncodeToString(sum[:16])
}

// count adds the tasks of all stages up, and refuses more than can be numbered.
func (p *Plan) count() error {
	total := 0
	for k := range p.Stages {
		for s := range p.Stages[k].Steps {
			step, n := &p.Stages[k].Steps[s], 1
			if len(step.Grid) != len(step.Block) {
				return fault.Newf(fault.Metadata, "a grid of %d dimensions and blocks of %d", len(step.Grid), len(step.Block))
			}
			for d, g := range step.Grid {
				if g < 0 || step.Block[d] < 1 {
					return fault.Newf(fault.Metadata, "a grid of %d objects in blocks of %d", g, step.Block[d])
				}
			}
			if !slices.Contains(step.Grid, 0) {
				for d, g := range step.Grid {
					c := ceil(g, step.Block[d])
					if n > maxTasks/c {
						return fault.Newf(fault.Limit, "more than %d tasks", maxTasks)
					}
					n *= c
				}
				total += n
			}
			if total > maxTasks {
				return fault.Newf(fault.Limit, "more than %d tasks", maxTasks)
			}
		}
	}
	return nil
}

// ceil is how many pieces of each n has, without overflow.
func ceil(n, each int) int {
	if n == 0 {
		return 0
	}
	return (n-1)/each + 1
}

// product multiplies sizes; math.MaxInt64 where that is more.
func product(first int64, sizes ...int) int64 {
	for _, s := range sizes {
		first = times(first, int64(s))
	}
	return first
}

// times multiplies two amounts; math.MaxInt64 where that is more.
func times(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

// start is the element of From that is the first of To along a dimension.
func (s *Step) start(d int) int {
	if s.Start == nil {
		return 0
	}
	return s.Start[d]
}

func (a *Array) String() string { return string(a.In) + " " + cmp.Or(a.Path, ".") }
