package conformance

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets more tests run at once than there are processors, because most of their time they
// wait for a server. What the command line says holds.
func TestMain(m *testing.M) {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		if err := flag.Set("test.parallel", "4"); err != nil {
			panic(err) // package testing has it
		}
	}
	os.Exit(m.Run())
}
