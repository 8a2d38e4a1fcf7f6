package child_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/child"
)

// order specifies how a child ends.
type order struct{ End string }

func TestMain(m *testing.M) {
	child.Main(m, func(o order) error {
		child.Say("ready", 7)
		switch o.End {
		case "fail":
			return errors.New("out of paper")
		case "exit":
			os.Exit(3)
		case "wait":
			time.Sleep(time.Hour)
		}
		return nil
	})
}

// TestEnds checks that all reports of a child are read, and that its failure is an error unless it
// was killed.
func TestEnds(t *testing.T) {
	for end, want := range map[string]string{"": "", "fail": "out of paper", "exit": "exit status 3", "wait": ""} {
		t.Run(end, func(t *testing.T) {
			c, said := child.Start(t, order{end}), int64(0)
			err := c.Read(func(word string, n int64) {
				if said = n; word != "ready" {
					t.Errorf("it says %q", word)
				}
				if end == "wait" {
					c.Kill()
				}
			})
			if said != 7 || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("said %d, %v", said, err)
			}
		})
	}
}
