package main

import (
	"fmt"
	"os"

	"github.com/zargo-io/zargo/internal/test/archtest"
)

func main() {
	areas := archtest.Areas()
	counts, err := archtest.CountLines(os.DirFS("."), areas)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(archtest.LineTable(areas, counts))
}
