package main

import (
	"context"
	"fmt"
	"os"

	"github.com/zargo-io/zargo/internal/archtest"
)

func main() {
	pkgs, err := archtest.Load(context.Background(), ".", "./...")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(archtest.Mermaid(pkgs))
}
