package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
)

func main() {
	session.KeepWithin()
	os.Exit(newProgram().run(untilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// untilSignal returns a context that the first interrupt or SIGTERM cancels. The cause is the error
// for that signal. A second signal kills the process.
//
// Job engines end a process with SIGTERM. If the first process of a container does not catch it,
// Go's runtime exits with code 2, which for zargo means a wrong command line.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	terminated, stopToo := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	end := func(why error) func() {
		return func() {
			cancel(why) // before stop, which ends both contexts
			stop()
			stopToo()
		}
	}
	context.AfterFunc(interrupted, end(exit.ErrInterrupted))
	context.AfterFunc(terminated, end(exit.ErrTerminated))
	return ctx
}
