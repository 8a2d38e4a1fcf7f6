package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// rig is an object store and a server, which are other processes.
type rig struct {
	client     *http.Client
	store, url string
	server     *exec.Cmd
	log        bytes.Buffer // of the server, which is read when it has ended
	processes  []*exec.Cmd
	counted    struct {
		Requests int   `json:"requests"`
		BytesOut int64 `json:"bytes_out"`
	}
}

func (r *rig) start(ctx context.Context) error {
	config := fmt.Sprintf(`{"latency_ms": %d, "read_bps": 80000000}`, *latency)
	first, err := r.launch(ctx, nil, "latencystore", "-addr", "127.0.0.1:0", "-root", *data, "-config", config)
	if err != nil {
		return err
	}
	r.store = strings.Fields(first)[1]
	env := []string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "AWS_REGION=us-east-1"}
	first, err = r.launch(ctx, env, "zargo", "serve", "--addr", "127.0.0.1:0", "--max-bytes", *maxBytes, "--max-mem", *maxMem,
		"demo=s3://bench/packed64?endpoint="+r.store)
	if err != nil {
		return err
	}
	r.server = r.processes[1]
	r.url = strings.TrimRight(strings.Fields(first)[1], "/") + "/datasets/demo"
	return nil
}

// launch starts a program and returns the first line of its output.
func (r *rig) launch(ctx context.Context, env []string, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, filepath.Join(*bin, name), args...)
	c.Env = append(os.Environ(), env...)
	if name == "zargo" {
		c.Stderr = &r.log
		if f := os.Getenv("SERVELOG"); f != "" {
			c.Stderr, _ = os.Create(f)
		}
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return "", err
	}
	r.processes = append(r.processes, c)
	line, err := bufio.NewReader(out).ReadString('\n')
	return line, err
}

// most returns the maximum of each amount of the object store in the log of the server.
func (r *rig) most() (map[string]int64, error) {
	most := map[string]int64{}
	for line := range strings.Lines(r.log.String()) {
		for _, f := range strings.Fields(line) {
			if name, text, _ := strings.Cut(f, "="); name == "source_bytes" || name == "source_requests" {
				n, err := strconv.ParseInt(text, 10, 64)
				if err != nil {
					return nil, err
				}
				most[name] = max(most[name], n)
			}
		}
	}
	return most, nil
}

func (r *rig) close() {
	for _, c := range r.processes {
		_ = c.Process.Kill() // may have ended
		_ = c.Wait()         // as above
	}
}

// stats reads the counters of the object store.
func (r *rig) stats(ctx context.Context, reset bool) error {
	url := r.store + "/__stats"
	if reset {
		url += "?reset=1"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // the response is only read
	return json.NewDecoder(resp.Body).Decode(&r.counted)
}

// resources are those of the server.
type resources struct{ files, threads, peak int }

func (r *rig) resources() (u resources, err error) {
	at := fmt.Sprintf("/proc/%d", r.server.Process.Pid)
	files, err := os.ReadDir(at + "/fd")
	if err != nil {
		return u, err
	}
	status, err := os.ReadFile(at + "/status")
	if err != nil {
		return u, err
	}
	u.files = len(files)
	for line := range strings.Lines(string(status)) {
		switch f := strings.Fields(line); f[0] {
		case "VmHWM:":
			u.peak, err = strconv.Atoi(f[1])
			u.peak >>= 10
		case "Threads:":
			u.threads, err = strconv.Atoi(f[1])
		}
		if err != nil {
			return u, err
		}
	}
	return u, nil
}

// abandon starts a long request on each client, and ends it after half a second if leave is set.
func (r *rig) abandon(ctx context.Context, leave bool) *sync.WaitGroup {
	var all sync.WaitGroup
	for range *clients {
		all.Go(func() {
			ctx, cancel := ctx, func() {}
			if leave {
				ctx, cancel = context.WithTimeout(ctx, time.Second/2)
			}
			defer cancel()
			_, _ = r.get(ctx, r.url+"/stats?var=t&time=2021-01:2021-06") // fails where the client leaves
		})
	}
	return &all
}

// kill returns the seconds from the end of all clients until the object store gets no more requests.
func (r *rig) kill(ctx context.Context) (float64, error) {
	r.abandon(ctx, true).Wait()
	start := time.Now()
	for last, idle := -1, time.Now(); time.Since(idle) < time.Second; time.Sleep(20 * time.Millisecond) {
		if err := r.stats(ctx, false); err != nil {
			return 0, err
		}
		if r.counted.Requests != last {
			last, idle = r.counted.Requests, time.Now()
		}
		if time.Since(start) > time.Minute {
			return 0, errors.New("the server still sends requests a minute after its clients left")
		}
	}
	return time.Since(start).Seconds() - 1, nil
}

// stop sends SIGTERM while requests run.
func (r *rig) stop(ctx context.Context) (map[string]any, error) {
	all := r.abandon(ctx, false)
	time.Sleep(time.Second / 5)
	start := time.Now()
	if err := r.server.Process.Signal(syscall.SIGTERM); err != nil {
		return nil, err
	}
	_ = r.server.Wait() // reports the exit code below
	seconds := time.Since(start).Seconds()
	all.Wait()
	return map[string]any{"cpu": (r.server.ProcessState.UserTime() + r.server.ProcessState.SystemTime()).Seconds(), "seconds": seconds, "exit": r.server.ProcessState.ExitCode()}, nil
}
