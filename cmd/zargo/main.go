package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt kills
	os.Exit(newProgram().run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
