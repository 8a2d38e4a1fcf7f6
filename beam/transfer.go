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

// Register registers the pipeline's functions with Beam. Call it once, before beam.Init, in the
// program that runs as a worker.
func Register() {
	register.DoFn2x0[[]byte, func(int64)](&firstStage{})
	register.DoFn3x0[[]byte, func(*int64) bool, func(int64)](&nextStage{})
	register.DoFn3x1[context.Context, int64, func(int64), error](&run{})
	register.Emitter1[int64]()
	register.Iter1[int64]()
}

// Transfer adds the tasks of a plan to a pipeline. The returned collection contains the number of
// each task of the last stage. A number is added when its task is done. workers is the number of
// workers of the runner. Each worker uses its share of the request rate that a provider accepts
// from a new client. Pass 0 if the number of workers is unknown. Each worker then reduces its
// request rate only when the bucket refuses requests.
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

// firstStage emits the numbers of the tasks of the first stage.
type firstStage struct{ First, N int64 }

// ProcessElement emits the numbers of the stage's tasks.
func (f *firstStage) ProcessElement(_ []byte, emit func(int64)) { numbers(f.First, f.N, emit) }

// nextStage emits the numbers of the tasks of a later stage. The side input contains the numbers of
// the previous stage's completed tasks. Beam passes it when all of them are done.
type nextStage struct{ First, N int64 }

// ProcessElement emits the numbers of the stage's tasks.
func (f *nextStage) ProcessElement(_ []byte, done func(*int64) bool, emit func(int64)) {
	var task int64
	for done(&task) { //nolint:revive // wait for the end of the side input
	}
	numbers(f.First, f.N, emit)
}

func numbers(first, n int64, emit func(int64)) {
	for i := first; i < first+n; i++ {
		emit(i)
	}
}

// run runs the tasks of a plan.
type run struct {
	Plan    []byte // encoded by Plan.Encode
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

// ProcessElement runs a task and emits its number.
func (r *run) ProcessElement(ctx context.Context, task int64, emit func(int64)) error {
	if r.worker == nil {
		return errors.New("zargo: ProcessElement was called before Setup")
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

// opener returns an Opener for one of several workers that share the default limits.
func opener(workers int) transfer.Opener {
	return all.With(all.Options{Limits: concurrency.Default().Share(workers)}).Open
}
