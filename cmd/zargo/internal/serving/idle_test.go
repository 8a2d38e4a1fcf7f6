package serving

import (
	"net"
	"testing"
	"testing/synctest"
	"time"
)

type pipes struct{ net.Listener }

func (pipes) Accept() (net.Conn, error) {
	c, _ := net.Pipe()
	return c, nil
}

// TestIdle checks that a listener counts the connections that are open, each once.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended, closes := false, []func() error{}
		l := newIdle(pipes{}, time.Minute, func() { ended = true })
		for i, step := range []struct {
			accept, end int
			after       time.Duration
			ended       bool
		}{
			{0, 0, 59 * time.Second, false},
			{2, 0, time.Hour, false},
			{0, 1, time.Hour, false},
			{1, 1, time.Hour, false},
			{0, 1, 59 * time.Second, false},
			{1, 1, 59 * time.Second, false},
			{0, 0, time.Second, true},
		} {
			for range step.accept {
				c, err := l.Accept()
				if err != nil {
					t.Fatal(err)
				}
				closes = append(closes, c.Close)
			}
			for range step.end {
				_, _ = closes[0](), closes[0]() // the second call does nothing
				closes = closes[1:]
			}
			time.Sleep(step.after)
			synctest.Wait()
			if ended != step.ended {
				t.Errorf("step %d: ended is %t", i, ended)
			}
		}
	})
}
