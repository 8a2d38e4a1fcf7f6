package main

import (
	"context"
	"fmt"
	"os"

	"github.com/zargo-io/zargo/internal/test/archtest"
)

func main() {
	text, err := draw(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(text)
}

func draw(ctx context.Context, args []string) (string, error) {
	if len(args) > 0 {
		c, err := archtest.Parse(ctx, ".", args[0])
		if err != nil {
			return "", err
		}
		return c.Mermaid(), nil
	}
	pkgs, err := archtest.Load(ctx, ".", "./...")
	return archtest.Mermaid(pkgs), err
}
