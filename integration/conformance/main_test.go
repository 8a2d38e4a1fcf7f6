package conformance

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs more tests in parallel than there are processors, because the tests mostly wait for
// servers. A flag on the command line overrides this.
func TestMain(m *testing.M) {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		if err := flag.Set("test.parallel", "4"); err != nil {
			panic(err) // package testing defines this flag
		}
	}
	os.Exit(m.Run())
}
