package dir_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

const childEnv = "ZARGO_DIR_TEST_CHILD" // role of a child process, and its directory

// TestMain runs the tests. It is also the main function of the child processes.
func TestMain(m *testing.M) {
	role, root, ok := strings.Cut(os.Getenv(childEnv), " ")
	if !ok {
		os.Exit(m.Run())
	}
	if err := map[string]func(*dir.Store) error{"increment": childIncrement, "write": childWrite, "update": childUpdate, "whole": childWhole, "part": childPart}[role](dir.New(root)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(t *testing.T, role, root string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+role+" "+root)
	c.Stderr = os.Stderr
	return c
}

const (
	processes  = 4
	goroutines = 4
	increments = 25
)

func childIncrement(s *dir.Store) error {
	errs := make(chan error, goroutines)
	for range goroutines {
		go func() {
			for range increments {
				if err := increment(s, "count"); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	var all error
	for range goroutines {
		all = errors.Join(all, <-errs)
	}
	return all
}

func increment(s store.Store, key string) error {
	ctx := context.Background()
	for {
		v, err := s.Get(ctx, key, store.GetOptions{}, nil)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(v.Bytes))
		if err != nil {
			return err
		}
		_, err = s.Put(ctx, key, []byte(strconv.Itoa(n+1)), store.PutOptions{IfVersion: v.Version})
		if !errors.Is(err, fault.Conflict) {
			return err
		}
		time.Sleep(rand.N(2 * time.Millisecond)) // let other processes finish
	}
}

func TestManyProcessesLoseNoIncrement(t *testing.T) {
	s := dir.New(t.TempDir())
	put(t, s, "count", "0")
	var wg sync.WaitGroup
	for range processes {
		c := child(t, "increment", s.String())
		wg.Go(func() {
			if err := c.Run(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	v, err := s.Get(t.Context(), "count", store.GetOptions{}, nil)
	if want := strconv.Itoa(processes * goroutines * increments); err != nil || string(v.Bytes) != want {
		t.Errorf("count %q, want %s, %v", v.Bytes, want, err)
	}
	if got := names(t, s.String()); len(got) != 1 {
		t.Errorf("left in the folder: %q", got)
	}
}

// The value of the next two children is two numbers. One child replaces the whole value and changes
// the first number. The others modify a part of the value and change the second number.
const pair = "pair"

// childWhole is the only child that changes the first number, so it must read the number that it
// wrote last.
func childWhole(s *dir.Store) error {
	for n := range 400 {
		if _, err := s.Put(context.Background(), pair, fmt.Appendf(nil, "%d 0", n), store.PutOptions{}); err != nil {
			return err
		}
		v, err := s.Get(context.Background(), pair, store.GetOptions{}, nil)
		if err != nil {
			return err
		}
		if got, _, _ := strings.Cut(string(v.Bytes), " "); got != strconv.Itoa(n) {
			return fmt.Errorf("%d was acknowledged, but the value is now %s", n, got)
		}
	}
	return s.Delete(context.Background(), pair, store.DeleteOptions{})
}

// childPart increments the second number until it is killed.
func childPart(s *dir.Store) error {
	for {
		v, err := s.Get(context.Background(), pair, store.GetOptions{}, nil)
		if errors.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		first, second, _ := strings.Cut(string(v.Bytes), " ")
		n, err := strconv.Atoi(second)
		if err != nil {
			return err
		}
		_, err = s.Put(context.Background(), pair, fmt.Appendf(nil, "%s %d", first, n+1), store.PutOptions{IfVersion: v.Version})
		if err != nil && !errors.Is(err, fault.Conflict) {
			return err
		}
	}
}

// TestPlainWritesAreNotLost checks that a Put or Delete without a condition is not undone by a
// conditional Put of another process that checks before it and renames after it.
func TestPlainWritesAreNotLost(t *testing.T) {
	s := dir.New(t.TempDir())
	put(t, s, pair, "0 0")
	for range 3 {
		c := child(t, "part", s.String())
		succeed(t, c.Start())
		defer func() {
			_ = c.Process.Kill()
			if err := c.Wait(); c.ProcessState.Exited() {
				t.Error(err)
			}
		}()
	}
	succeed(t, child(t, "whole", s.String()).Run())
	if v, err := s.Get(t.Context(), pair, store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
		t.Errorf("deleted, and is %q now, %v", v.Bytes, err)
	}
}

// fill returns a value in which any mixture is visible. It is one repeated byte, long enough for
// several page writes.
func fill(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 200_000+i%26*1000) }

func childWrite(s *dir.Store) error {
	fmt.Println("ready")
	for i := 0; ; i++ {
		if _, err := s.Put(context.Background(), fmt.Sprintf("c/%d", i%8), fill(i), store.PutOptions{}); err != nil {
			return err
		}
	}
}

// childUpdate holds the lock most of the time.
func childUpdate(s *dir.Store) error {
	fmt.Println("ready")
	for {
		if err := increment(s, "count"); err != nil {
			return err
		}
	}
}

// kill starts a child, lets it run for a moment and kills it (SIGKILL on Unix).
func kill(t *testing.T, role, root string) {
	t.Helper()
	c := child(t, role, root)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, c.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the child said %q, %v", line, err)
	}
	time.Sleep(time.Millisecond + rand.N(15*time.Millisecond)) // at any time during a write
	succeed(t, c.Process.Kill())
	_, _ = io.Copy(io.Discard, out)
	_ = c.Wait()
}

func TestKilledWritersLeaveWholeValues(t *testing.T) {
	s := dir.New(t.TempDir())
	for i := range 8 {
		put(t, s, fmt.Sprintf("c/%d", i), string(fill(i)))
	}
	left := 0
	for range 30 {
		kill(t, "write", s.String())
		got := keys(t, s, "", store.Deep)
		if len(got) != 8 {
			t.Fatalf("listed %q", got)
		}
		for _, key := range got {
			v, err := s.Get(t.Context(), key, store.GetOptions{}, nil)
			if err != nil || len(v.Bytes) == 0 || !bytes.Equal(v.Bytes, fill(int(v.Bytes[0]-'a'))) {
				t.Fatalf("%s holds %d bytes, a mixture, %v", key, len(v.Bytes), err)
			}
		}
	}
	for _, name := range names(t, s.String()) {
		if strings.Contains(name, ".zargo-tmp-") {
			left++
		}
	}
	t.Logf("30 kills left %d temporary files", left)
}

func TestKilledHoldersFreeTheLock(t *testing.T) {
	s := dir.New(t.TempDir())
	put(t, s, "count", "0")
	for range 20 {
		kill(t, "update", s.String())
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		v, err := s.Get(ctx, "count", store.GetOptions{}, nil)
		if err == nil {
			_, err = s.Put(ctx, "count", v.Bytes, store.PutOptions{IfVersion: v.Version})
		}
		cancel()
		if err != nil {
			t.Fatal(err)
		}
	}
}
