package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// measure executes the task and measures its time, which excludes preparing values, fetching the
// server's counters and the checksum.
func (t task) measure(ctx context.Context) (result, error) {
	do, err := t.prepare()
	if err != nil {
		return result{}, err
	}
	if t.Where == "s3" {
		if _, err := stats(ctx, t.Endpoint+"/__stats?reset=1"); err != nil {
			return result{}, err
		}
	}
	cpu, _ := usage()
	start := time.Now()
	st, err := t.open(ctx, t.Path)
	if err != nil {
		return result{}, err
	}
	out, err := do(ctx, st)
	seconds := time.Since(start).Seconds()
	after, rss := usage()
	if err = errors.Join(err, st.Close()); err != nil {
		return result{}, err
	}
	r := result{Seconds: seconds, CPU: (after - cpu).Seconds(), RSS: rss >> 20, Bytes: out.bytes}
	switch {
	case t.Do == "group" || t.Do == "names":
		sum := uint32(out.count) // compared like a checksum
		r.Count, r.CRC = &out.count, &sum
	case out.sum != nil:
		sum := out.sum()
		r.CRC = &sum
	case out.digest != nil:
		r.Answer = out.digest()
	}
	if t.Where == "s3" {
		if r.traffic, err = stats(ctx, t.Endpoint+"/__stats"); err != nil {
			return result{}, err
		}
	}
	return r, nil
}

// prepare does the work that is not measured, and returns the function to measure.
func (t task) prepare() (func(context.Context, store.Store) (outcome, error), error) {
	switch t.Do {
	case "read":
		return t.read(), nil
	case "point":
		sel := make([]zarr.Selection, len(t.Index))
		for axis, i := range t.Index {
			sel[axis] = zarr.At(i)
		}
		return t.read(sel...), nil
	case "points":
		return t.read(zarr.Points(t.Coords...)), nil
	case "write":
		return t.write()
	case "rechunk":
		return t.rechunk, nil
	case "group":
		return t.group, nil
	case "names":
		return t.names, nil
	case "opengroup_array":
		return t.inGroup, nil
	case "raw16":
		return t.raw16, nil
	case "decoded":
		return t.named(), nil
	case "month":
		return t.named(dataset.Text("time", t.Month)), nil
	case "statistics":
		return t.statistics, nil
	case "histogram":
		return t.histogram, nil
	case "monthly":
		return t.reduce(dataset.Reduction{Op: dataset.Mean, By: []dataset.Grouping{dataset.ByTime("time", dataset.Month)}}), nil
	case "series":
		return t.reduce(dataset.Reduction{Op: dataset.Mean, Over: []string{"lat", "lon"}}), nil
	}
	return nil, fmt.Errorf("task %q is unknown: %w", t.Do, errors.ErrUnsupported)
}

// traffic contains the counters of the server.
type traffic struct {
	Requests      int            `json:"requests"`
	Ops           map[string]int `json:"ops"`
	Wire          int64          `json:"wire"`
	MaxConcurrent int            `json:"max_concurrent"`
	Connections   int            `json:"connections"`
	NotFound      int            `json:"not_found"`
	Faults        map[string]int `json:"faults,omitempty"`
}

// result is one measurement.
type result struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu,omitempty"`    // CPU time of all threads; absent if unknown
	RSS     int64   `json:"rss_mb,omitempty"` // in MiB
	Bytes   int     `json:"bytes,omitempty"`
	CRC     *uint32 `json:"crc,omitempty"` // absent for values that the benchmark reads back
	Count   *int    `json:"count,omitempty"`

	Answer []float64 `json:"answer,omitempty"`
	*traffic
}

// stats fetches the counters of the server.
func stats(ctx context.Context, url string) (*traffic, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // the response is only read
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	var s struct {
		traffic
		BytesIn  int64          `json:"bytes_in"`
		BytesOut int64          `json:"bytes_out"`
		Statuses map[string]int `json:"statuses"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&s); err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	s.Wire, s.NotFound = s.BytesIn+s.BytesOut, s.Statuses["404"]
	return &s.traffic, nil
}
