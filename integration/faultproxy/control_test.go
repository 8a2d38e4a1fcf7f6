package faultproxy

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestControl(t *testing.T) {
	p, c := Start(t, behind(t, bytesOf), Config{Seed: 5, Log: 10, Rates: Rates{Reset: 0.0}}), client(t, true)
	post := func(path, body string) reply {
		t.Helper()
		got, err := do(t.Context(), c, "POST", p.URL()+path, body)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	get(t, c, p.URL()+"/b/7?x=1")
	var s Stats
	if err := json.Unmarshal([]byte(get(t, c, p.URL()+"/__fault/stats").body), &s); err != nil {
		t.Fatal(err)
	}
	if s.Requests != 1 || s.ByMethod["GET"] != 1 || s.ByStatus[200] != 1 || s.BytesOut != 7 || s.PeakInFlight != 1 {
		t.Errorf("%+v", s)
	}
	var log []Entry
	if err := json.Unmarshal([]byte(get(t, c, p.URL()+"/__fault/log").body), &log); err != nil {
		t.Fatal(err)
	}
	if len(log) != 1 || log[0] != (Entry{Method: "GET", Path: "/b/7", Query: "x=1", Status: 200}) {
		t.Errorf("%+v", log)
	}

	got := post("/__fault/config", `{"rates": {"slow_down": 1}, "overrides": [{"path": "/free/*", "fault": {"kind": "answer", "body": "hi"}}]}`)
	if got.status != 200 || p.Config().Rates.SlowDown != 1 || p.Config().Seed != 5 {
		t.Errorf("%+v, %+v", got, p.Config())
	}
	if a, b := get(t, c, p.URL()+"/b/7"), get(t, c, p.URL()+"/free/7"); a.status != 503 || b.body != "hi" {
		t.Errorf("%+v, %+v", a, b)
	}
	post("/__fault/config", `{"rates": {"slow_down": 0}}`)
	if got := get(t, c, p.URL()+"/free/7"); got.body != "hi" {
		t.Errorf("the overrides went: %+v", got)
	}
	post("/__fault/config", `{"overrides": []}`)
	if got := get(t, c, p.URL()+"/free/7"); got.body != "xxxxxxx" {
		t.Errorf("the overrides stayed: %+v", got)
	}
	post("/__fault/reset", "")
	if s := p.Stats(); s.Requests != 0 || s.Connections != 0 || s.BytesOut != 0 || len(p.Log()) != 0 {
		t.Errorf("%+v", s)
	}
	if got := get(t, c, p.URL()+"/__fault/else"); got.status != 404 {
		t.Errorf("%+v", got)
	}
}

func TestBadConfig(t *testing.T) {
	tests := []struct{ name, text, mention string }{
		{"unknown member", `{"latency": 3}`, "latency"},
		{"rate above one", `{"rates": {"reset": 1.5}}`, "reset"},
		{"negative rate", `{"rates": {"lost": -0.5}}`, "lost"},
		{"rates above one", `{"rates": {"reset": 0.7, "lost": 0.7}}`, "sum"},
		{"negative latency", `{"latency_ms": -1}`, "latency_ms"},
		{"unknown kind", `{"overrides": [{"path": "/", "fault": {"kind": "odd"}}]}`, "odd"},
		{"status", `{"overrides": [{"path": "/", "fault": {"kind": "answer", "status": 99}}]}`, "99"},
		{"hang", `{"overrides": [{"path": "/", "fault": {"kind": "hang", "hang_ms": -1}}]}`, "hang_ms"},
		{"two values", `{} {}`, "more than one"},
		{"no JSON", `latency`, "config"},
	}
	p, c := Start(t, behind(t, bytesOf), Config{LatencyMS: 1}), client(t, true)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := do(t.Context(), c, "POST", p.URL()+"/__fault/config", tt.text)
			if err != nil || got.status != 400 || !strings.Contains(got.body, tt.mention) {
				t.Errorf("%+v, %v", got, err)
			}
			if p.Config().LatencyMS != 1 || p.Config().Rates != (Rates{}) {
				t.Errorf("changed: %+v", p.Config())
			}
		})
	}
}
