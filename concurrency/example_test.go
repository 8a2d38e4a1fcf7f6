package concurrency_test

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/concurrency"
)

// Twenty tasks of 300 KiB share 1 MiB. At most two of them run concurrently, and they use two
// buffers in turn.
func ExampleBudget() {
	budget := concurrency.NewBudget(1 << 20)
	err := concurrency.EachN(context.Background(), 8, 20, func(ctx context.Context, i int) error {
		hold, err := budget.Acquire(ctx, concurrency.Task, concurrency.Need(300<<10))
		if err != nil {
			return err
		}
		defer hold.Release()
		buf := hold.Buffer(300 << 10)
		_ = append(buf, "what was fetched"...)
		return nil
	})
	now, peak := budget.Used()
	fmt.Println(err, now, peak <= budget.Size())
	// Output: <nil> 0 true
}

func ExampleHold_Trim() {
	budget := concurrency.NewBudget(1 << 20)
	hold, err := budget.Acquire(context.Background(), concurrency.Task, 200<<10)
	if err != nil {
		panic(err)
	}
	defer hold.Release()
	encoded := append(hold.Buffer(100<<10), "it became short"...)
	encoded = hold.Trim(encoded) // the remaining bytes are free for others during the send
	now, _ := budget.Used()
	fmt.Println(string(encoded), now)
	// Output: it became short 15
}

// A child bounds a part of the work within the memory of all work.
func ExampleBudget_Child() {
	all := concurrency.NewBudget(64 << 20)
	exports := all.Child(16 << 20)
	hold, err := exports.Acquire(context.Background(), concurrency.Task, 10<<20)
	if err != nil {
		panic(err)
	}
	defer hold.Release()
	_, more := exports.Try(concurrency.Task, 10<<20)
	_, other := all.Try(concurrency.Task, 10<<20)
	now, _ := all.Used()
	fmt.Println(more, other, now>>20)
	// Output: false true 20
}

func ExampleSlots() {
	slots := concurrency.NewSlots(1)
	if err := slots.Acquire(context.Background()); err != nil {
		panic(err)
	}
	fmt.Println(slots.Try())
	slots.Resize(2)
	fmt.Println(slots.Try(), slots.Held())
	// Output:
	// false
	// true 2
}

func ExampleShare() {
	var buckets concurrency.Registry
	slots := func() *concurrency.Slots { return concurrency.NewSlots(64) }
	a := concurrency.Share(&buckets, "s3://bucket", slots) // for one store
	b := concurrency.Share(&buckets, "s3://bucket", slots) // for another store
	fmt.Println(a == b)
	// Output: true
}
