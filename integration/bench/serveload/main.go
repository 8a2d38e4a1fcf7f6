package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "serveload:", err)
		os.Exit(1)
	}
}

var (
	clients  = flag.Int("clients", 100, "number of clients")
	duration = flag.Duration("time", time.Minute, "duration of the load")
	pause    = flag.Duration("pause", 300*time.Millisecond, "mean pause of a client between two requests")
	bin      = flag.String("bin", "_bin", "directory of the programs latencystore and zargo")
	data     = flag.String("data", "_data/root", "root of the object store")
	latency  = flag.Int("latency", 30, "milliseconds until the object store answers")
	maxMem   = flag.String("max-mem", "160MiB", "memory of the server")
	points   = flag.Bool("points", false, "send only requests of the kind point")
	maxBytes = flag.String("max-bytes", "64MiB", "limit of the bytes of the object store for one request")
)

// kinds are the requests, and their number among 100.
var kinds = []struct {
	name  string
	share int
	path  func() string
}{
	{"point", 55, func() string {
		return fmt.Sprintf("/point?var=t&lat=nearest::%.1f&lon=nearest::%.1f&time=%s", lat(), lon(), day())
	}},
	{"series", 5, func() string {
		return fmt.Sprintf("/point?var=t&lat=nearest::%.1f&lon=nearest::%.1f&time=2021", lat(), lon())
	}},
	{"map", 10, func() string { return "/slice?var=t&f=png&time=" + day() }},
	{"csv", 5, func() string { return "/slice?var=t&f=csv&lat=10:20&lon=10:20&time=" + day() }},
	{"tile", 10, func() string {
		return fmt.Sprintf("/tiles/2/%d/%d?var=t&range=250:310&time=%s", rand.IntN(4), rand.IntN(4), day())
	}},
	{"chunk", 10, func() string { return fmt.Sprintf("/zarr/t/c/%d/%d/%d", rand.IntN(45), rand.IntN(2), rand.IntN(2)) }},
	{"stats", 3, func() string { return "/stats?var=t&time=" + day() }},
	{"too much", 2, func() string { return "/stats?var=t" }},
}

func lat() float64 { return rand.Float64()*178 - 89 }
func lon() float64 { return rand.Float64() * 359 }
func day() string {
	return time.Date(2020, 1, 1+rand.IntN(1461), 0, 0, 0, 0, time.UTC).Format("2006-01-02")
}

// tally contains the milliseconds of requests, by kind, and the number of answers, by status.
type tally struct {
	mu       sync.Mutex
	times    map[string][]float64
	statuses map[string]int
}

func (y *tally) add(kind, status string, d time.Duration) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.times[kind] = append(y.times[kind], float64(d.Microseconds())/1e3)
	y.statuses[kind+" "+status]++
}

type quantiles struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

func quantilesOf(ms []float64) quantiles {
	slices.Sort(ms)
	n := len(ms)
	if n == 0 {
		return quantiles{}
	}
	return quantiles{n, ms[n/2], ms[n*99/100], ms[n-1]}
}

func run(ctx context.Context) error {
	flag.Parse()
	r := rig{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *clients}}}
	defer r.close()
	if err := r.start(ctx); err != nil {
		return err
	}
	for range 20 { // open the dataset and connections
		if _, err := r.get(ctx, r.url+kinds[0].path()); err != nil {
			return err
		}
	}
	r.client.CloseIdleConnections()
	before, err := r.resources()
	if err != nil {
		return err
	}
	y := &tally{times: map[string][]float64{}, statuses: map[string]int{}}
	if err := r.stats(ctx, true); err != nil {
		return err
	}
	r.load(ctx, y)
	if err := r.stats(ctx, false); err != nil {
		return err
	}
	out := map[string]any{"statuses": y.statuses}
	by := map[string]quantiles{}
	for kind, ms := range y.times {
		by[kind] = quantilesOf(ms)
	}
	out["kinds"] = by
	if out["killed"], err = r.kill(ctx); err != nil {
		return err
	}
	r.client.CloseIdleConnections()
	time.Sleep(3 * time.Second) // the server closes connections that the clients have closed
	after, err := r.resources()
	if err != nil {
		return err
	}
	out["rss_mb"] = after.peak
	out["left"] = map[string]int{"files": after.files - before.files, "threads": after.threads - before.threads}
	if out["stop"], err = r.stop(ctx); err != nil {
		return err
	}
	if out["most"], err = r.most(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// load runs the clients, and one that sends its requests to the object store itself.
func (r *rig) load(ctx context.Context, y *tally) {
	end := time.Now().Add(*duration)
	var all sync.WaitGroup
	for i := range *clients + 1 {
		all.Go(func() {
			for time.Now().Before(end) {
				time.Sleep(time.Duration(rand.Float64() * 2 * float64(*pause)))
				kind, url := "get", r.store+"/bench/packed64/t/c/3/1/1"
				if i > 0 {
					n, k := rand.IntN(100), 0
					for n -= kinds[0].share; n >= 0 && !*points; n -= kinds[k].share {
						k++
					}
					kind, url = kinds[k].name, r.url+kinds[k].path()
				}
				start := time.Now()
				status, err := r.get(ctx, url)
				if err != nil {
					status = err.Error()
				}
				y.add(kind, status, time.Since(start))
			}
		})
	}
	all.Wait()
}

// get reads a response to its end and returns its status.
func (r *rig) get(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close() // the response is only read
	return resp.Status, err
}
