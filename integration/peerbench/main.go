package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "peerbench:", err)
		os.Exit(1)
	}
}

// run does the task that args holds and prints its result.
func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("one argument is wanted, a task as a JSON object, not %d", len(args))
	}
	var t task
	if err := json.Unmarshal([]byte(args[0]), &t); err != nil {
		return fmt.Errorf("task: %w", err)
	}
	r, err := t.measure(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(r)
}
