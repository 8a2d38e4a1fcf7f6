package transfer

import (
	"cmp"
	"math"
	"slices"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Version is the version of the JSON form of a [Plan].
const Version = 1

// Plan is a copy of a node, divided into tasks. It is plain data without credentials, so its JSON
// form can be stored and sent to other machines. [NewPlan] makes a plan and [Decode] parses one. A
// plan must not be changed while it runs.
type Plan struct {
	Version   int       `json:"zargo_transfer_plan"`
	Source    Place     `json:"source"`
	Target    Place     `json:"target"`
	Memory    int64     `json:"memory"` // maximum bytes of one process
	Documents Documents `json:"documents"`
	Stages    []Stage   `json:"stages"` // each starts when the previous one is complete

	// vacant means that NewPlan has listed the target and found no object. It is not stored.
	vacant bool
}

// Place is a node in a store.
type Place struct {
	Store string `json:"store"` // argument of the [Opener]: a URL without secrets, or any name
	Path  string `json:"path"`  // path of the node below the store's root
}

// Documents holds the metadata documents of the arrays that tasks open. The keys are relative to
// the root of the store. Only the last task stores the documents of the target. Keys of temporary
// arrays are relative to the directory of the plan's temporary arrays.
type Documents struct {
	Source    map[string]string `json:"source"`
	Target    map[string]string `json:"target"`
	Temporary map[string]string `json:"temporary,omitempty"`
	// Consolidated is set in plans of earlier versions. It has no effect.
	Consolidated bool `json:"consolidated,omitempty"`
}

// Stage is a list of steps whose tasks may run in any order.
type Stage struct {
	Steps []Step `json:"steps"`
}

// Kind is the kind of work that the tasks of a step do.
type Kind string

const (
	// Encoded copies stored objects without decoding them. Both arrays have the same grid, codecs,
	// data type and fill value.
	Encoded Kind = "encoded"
	// Blocks reads and decodes regions of one array, and encodes and writes them to the other.
	Blocks Kind = "blocks"
	// Objects copies all objects below an array as they are stored, without opening the array. The
	// step has one task, which lists the source. It is used for arrays whose metadata this version
	// does not support.
	Objects Kind = "objects"
	// Finish is the last task of a plan, alone in its step. It stores the target's documents.
	Finish Kind = "finish"
)

// Step writes one array. Its tasks divide the objects (chunks, or shards) of that array. Each task
// owns Block objects along each dimension, or fewer at the end of the array. No two tasks write the
// same object.
type Step struct {
	Kind Kind   `json:"kind"`
	From *Array `json:"from,omitempty"`
	To   *Array `json:"to,omitempty"`
	// Start is the index in From of the first element of To, along each dimension. nil means all
	// zeros.
	Start []int `json:"start,omitempty"`
	Grid  []int `json:"grid,omitempty"`  // objects of To along each dimension
	Block []int `json:"block,omitempty"` // objects of a task along each dimension
	// Inner is set if a shard of To does not fit in memory. A task then fills one shard, box by
	// box. Inner is the number of inner chunks of a box along each dimension. A source chunk that
	// touches several boxes is read once for each of them.
	Inner []int `json:"inner,omitempty"`
}

// Side identifies the store of an array, and the set of documents that contains its metadata.
type Side string

// The stores and sets of documents. Temporary arrays are stored below the target.
const (
	Source    Side = "source"
	Target    Side = "target"
	Temporary Side = "temporary"
)

// Array is an array that a step reads or writes.
type Array struct {
	In        Side   `json:"in"`
	Path      string `json:"path"`
	Separator string `json:"separator,omitempty"` // of chunk keys, if not in the metadata
}

// Task is one task of a plan. It owns the objects with indices in [Lo, Hi) along each dimension of
// the grid of Step.To.
type Task struct {
	Stage  int
	Step   *Step
	Lo, Hi []int
}

// maxTasks is the maximum number of tasks of a plan. 2^30 fits in an int of 32 bits. Listing the
// markers of 2^30 tasks takes a million requests.
const maxTasks = 1 << 30

// Tasks returns the number of tasks. Tasks are numbered from 0, stage after stage.
func (p *Plan) Tasks() int {
	n := 0
	for i := range p.Stages {
		n += p.Stages[i].tasks()
	}
	return n
}

// TasksOf returns the number of the first task of stage k, and the number of tasks of that stage. k
// must be at least 0 and less than len(Stages).
func (p *Plan) TasksOf(k int) (first, n int) {
	for i := range k {
		first += p.Stages[i].tasks()
	}
	return first, p.Stages[k].tasks()
}

// copying returns the number of stages that copy: all but the last one. It is at least 1.
func (p *Plan) copying() int { return max(len(p.Stages)-1, 1) }

// StageOf returns the stage of task i. i must be at least 0 and less than Tasks.
func (p *Plan) StageOf(i int) int { return p.Task(i).Stage }

// Task returns task i, which it computes from the steps. i must be at least 0 and less than Tasks.
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

// Objects returns the number of objects that the task owns.
func (t Task) Objects() int {
	n := 1
	for d := range t.Lo {
		n *= t.Hi[d] - t.Lo[d]
	}
	return n
}

// count checks the grid and block of each step, and that the plan has at most maxTasks tasks.
func (p *Plan) count() error {
	total := 0
	for k := range p.Stages {
		for s := range p.Stages[k].Steps {
			step, n := &p.Stages[k].Steps[s], 1
			if len(step.Grid) != len(step.Block) {
				return fault.Newf(fault.Metadata, "the grid has %d dimensions, blocks have %d", len(step.Grid), len(step.Block))
			}
			for d, g := range step.Grid {
				if g < 0 || step.Block[d] < 1 {
					return fault.Newf(fault.Metadata, "a grid of %d objects cannot be divided into blocks of %d", g, step.Block[d])
				}
			}
			if !slices.Contains(step.Grid, 0) {
				for d, g := range step.Grid {
					c := ceil(g, step.Block[d])
					if n > maxTasks/c {
						return fault.Newf(fault.Limit, "the plan has more than %d tasks", maxTasks)
					}
					n *= c
				}
				total += n
			}
			if total > maxTasks {
				return fault.Newf(fault.Limit, "the plan has more than %d tasks", maxTasks)
			}
		}
	}
	return nil
}

// ceil returns n/each, rounded up, without overflow.
func ceil(n, each int) int {
	if n == 0 {
		return 0
	}
	return (n-1)/each + 1
}

// product returns the product of its arguments, or math.MaxInt64 if it overflows.
func product(first int64, sizes ...int) int64 {
	for _, s := range sizes {
		first = times(first, int64(s))
	}
	return first
}

// times returns a*b, or math.MaxInt64 if it overflows.
func times(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

// start returns the index in From of the first element of To along dimension d.
func (s *Step) start(d int) int {
	if s.Start == nil {
		return 0
	}
	return s.Start[d]
}

func (a *Array) String() string { return string(a.In) + " " + cmp.Or(a.Path, ".") }

const maxDocument = claimed.MaxDocument
