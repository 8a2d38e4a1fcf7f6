package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(newProgram().run(untilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// untilSignal is a context that ends by the first interrupt or SIGTERM, with that as its cause. A
// second one kills.
//
// Engines that run jobs end a process by SIGTERM. One that is the first of its container and does
// not catch it ends with the exit code 2 of Go's runtime, which would say that the command line is
// wrong.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	terminated, stopToo := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	end := func(why error) func() {
		return func() {
			cancel(why) // before stop, which ends both
			stop()
			stopToo()
		}
	}
	context.AfterFunc(interrupted, end(errInterrupted))
	context.AfterFunc(terminated, end(errTerminated))
	return ctx
}
