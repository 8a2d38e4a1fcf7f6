package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// start is the result of one start of a program: the response, and the time from exec to the
// response.
type start struct {
	answer string
	took   time.Duration
}

// patience is the maximum time to the first response of a program.
const patience = time.Minute

// cloudRun starts a program that listens on PORT and sends requests until it responds.
func cloudRun(ctx context.Context, program, array, region string) (start, error) {
	port, err := freePort()
	if err != nil {
		return start{}, err
	}
	p := newProcess(program, "ARRAY_URL="+array, "PORT="+port)
	return p.during(ctx, func(ctx context.Context) (string, error) {
		for {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+port+"/?region="+region, nil)
			if err != nil {
				return "", err
			}
			r, err := http.DefaultClient.Do(req)
			if err != nil && ctx.Err() != nil {
				return "", ctx.Err()
			}
			if err != nil {
				time.Sleep(time.Millisecond) // not listening yet
				continue
			}
			b, err := io.ReadAll(r.Body)
			if err := errors.Join(err, r.Body.Close()); err != nil {
				return "", err
			}
			if r.StatusCode != http.StatusOK {
				return "", fmt.Errorf("%s: %s", r.Status, b)
			}
			return string(bytes.TrimSpace(b)), nil
		}
	})
}

// awsLambda starts a program that polls Lambda's Runtime API and sends it one event.
func awsLambda(ctx context.Context, program, array, event string) (start, error) {
	api := &runtimeAPI{event: event, answered: make(chan struct{})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return start{}, err
	}
	srv := &http.Server{Handler: api, ReadHeaderTimeout: patience}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	p := newProcess(program, "ARRAY_URL="+array, "AWS_LAMBDA_RUNTIME_API="+l.Addr().String(), "AWS_LAMBDA_FUNCTION_NAME=example",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=128")
	s, err := p.during(ctx, func(ctx context.Context) (string, error) {
		select {
		case <-api.answered:
			return api.result()
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	err = errors.Join(err, srv.Close())
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return s, err
}

// runtimeAPI implements the part of Lambda's Runtime API, version 2018-06-01, that one call needs.
// "next" returns the event once and then blocks; "response" and "error" receive the result.
type runtimeAPI struct {
	event    string
	answered chan struct{} // closed when the result has been received

	mu     sync.Mutex
	given  bool
	answer string
	err    error
	once   sync.Once
}

func (a *runtimeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const base, id = "/2018-06-01/runtime/", "1"
	switch r.Method + " " + r.URL.Path {
	case "GET " + base + "invocation/next":
		a.mu.Lock()
		given := a.given
		a.given = true
		a.mu.Unlock()
		if given {
			<-r.Context().Done() // Lambda would freeze the function; here it is killed
			return
		}
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", id)
		w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(patience).UnixMilli(), 10))
		fmt.Fprint(w, a.event)
	case "POST " + base + "invocation/" + id + "/response":
		a.take(w, r, nil)
	case "POST " + base + "invocation/" + id + "/error", "POST " + base + "init/error":
		a.take(w, r, errors.New("the function failed"))
	default:
		http.NotFound(w, r)
	}
}

func (a *runtimeAPI) take(w http.ResponseWriter, r *http.Request, failed error) {
	b, err := io.ReadAll(r.Body)
	w.WriteHeader(http.StatusAccepted)
	a.once.Do(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.answer, a.err = string(b), err
		if failed != nil {
			a.err = fmt.Errorf("%w: %s", failed, b)
		}
		close(a.answered)
	})
}

func (a *runtimeAPI) result() (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.answer, a.err
}

// process is a process whose start is measured.
type process struct {
	cmd *exec.Cmd
	log bytes.Buffer
}

func newProcess(program string, env ...string) *process {
	p := &process{cmd: exec.Command(program)}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	return p
}

// during starts the process, calls ask, and ends the process. It returns an error if the process
// ends before it responds.
func (p *process) during(ctx context.Context, ask func(context.Context) (string, error)) (start, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	begin := time.Now()
	if err := p.cmd.Start(); err != nil {
		return start{}, err
	}
	ended := make(chan struct{})
	go func() {
		_ = p.cmd.Wait() // always returns an error, because the process is killed
		close(ended)
		cancel() // the process ended
	}()
	answer, err := ask(ctx)
	took := time.Since(begin)
	_ = p.cmd.Process.Kill() // fails if the process has ended
	<-ended
	if err != nil {
		return start{}, fmt.Errorf("%s: %w\n%s", p.cmd.Path, err, &p.log)
	}
	return start{answer, took}, nil
}

// freePort returns a port that is unused when freePort is called. Another program may use the port
// later.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}
