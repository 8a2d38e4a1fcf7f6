package beam

import (
	"context"
	"errors"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr/store"
)

// Register makes the pipeline's functions known to Beam. Call it once, before beam.Init, in the
// program that a runner starts workers of.
func Register() {
	register.DoFn2x0[[]byte, func(int64)](&firstStage{})
	register.DoFn3x0[[]byte, func(*int64) bool, func(int64)](&nextStage{})
	register.DoFn3x1[context.Context, int64, func(int64), error](&run{})
	register.Emitter1[int64]()
	register.Iter1[int64]()
}

// Transfer adds a plan to a pipeline. Its output are the numbers of the tasks of the last stage,
// once they are done. workers is how many workers the runner has, as by its flag: each keeps to its
// share of what a provider takes from a new client. 0 is for a number that is not known: workers
// find their share by what the bucket refuses.
func Transfer(s sdk.Scope, p *transfer.Plan, workers int) sdk.PCollection {
	s = s.Scope("zargo.Transfer")
	var done sdk.PCollection
	for k := range p.Stages {
		stage := s.Scope("Stage")
		first, n := p.TasksOf(k)
		var tasks sdk.PCollection
		if k == 0 {
			tasks = sdk.ParDo(stage, &firstStage{int64(first), int64(n)}, sdk.Impulse(stage))
		} else {
			tasks = sdk.ParDo(stage, &nextStage{int64(first), int64(n)}, sdk.Impulse(stage), sdk.SideInput{Input: done})
		}
		done = sdk.ParDo(stage, &run{Plan: p.Encode(), Workers: workers}, sdk.Reshuffle(stage, tasks))
	}
	return done
}

// firstStage emits the numbers of tasks.
type firstStage struct{ First, N int64 }

// ProcessElement emits them all.
func (f *firstStage) ProcessElement(_ []byte, emit func(int64)) { numbers(f.First, f.N, emit) }

// nextStage is firstStage once the tasks of the stage before are done: a side input is complete
// when it is read.
type nextStage struct{ First, N int64 }

// ProcessElement emits the numbers of the stage's tasks.
func (f *nextStage) ProcessElement(_ []byte, done func(*int64) bool, emit func(int64)) {
	var task int64
	for done(&task) { //nolint:revive // that it ends is what is waited for
	}
	numbers(f.First, f.N, emit)
}

func numbers(first, n int64, emit func(int64)) {
	for i := first; i < first+n; i++ {
		emit(i)
	}
}

// run runs tasks.
type run struct {
	Plan    []byte // as Plan.Encode has it
	Workers int
	worker  *transfer.Worker
}

// Setup opens the stores.
func (r *run) Setup(ctx context.Context) error {
	p, err := transfer.Decode(r.Plan)
	if err != nil {
		return err
	}
	r.worker, err = transfer.Open(context.WithoutCancel(ctx), p, opener(r.Workers))
	return err
}

// ProcessElement runs a task.
func (r *run) ProcessElement(ctx context.Context, task int64, emit func(int64)) error {
	if r.worker == nil {
		return errors.New("zargo: a task without Setup")
	}
	if err := r.worker.Task(ctx, int(task)); err != nil {
		return err
	}
	emit(task)
	return nil
}

// Teardown closes the stores.
func (r *run) Teardown() error {
	if r.worker == nil {
		return nil
	}
	return r.worker.Close()
}

// Open opens the store at a URL: a path, s3://, gs:// or azblob://.
func Open(ctx context.Context, url string) (store.Store, error) { return opener(1)(ctx, url) }

// opener is Open for one of some workers.
func opener(workers int) transfer.Opener {
	return all.With(all.Options{Limits: concurrency.Default().Share(workers)}).Open
}
