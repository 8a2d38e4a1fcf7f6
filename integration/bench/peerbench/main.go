package main

import (
	"context"
	"encoding/json"
	"flag"
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

// run executes the task in args and writes its result to out.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("peerbench", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error contains the usage
	hedge := flags.Bool("hedge", false, "make slow reads twice")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("want one argument, a task as a JSON object, got %d", flags.NArg())
	}
	t := task{hedge: *hedge}
	if err := json.Unmarshal([]byte(flags.Arg(0)), &t); err != nil {
		return fmt.Errorf("task: %w", err)
	}
	r, err := t.measure(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(r)
}
