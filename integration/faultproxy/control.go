package faultproxy

import (
	"encoding/json"
	"io"
	"net/http"
)

// control is the prefix of the proxy's own paths.
const control = "/__fault/"

func (p *Proxy) control(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path[len(control):] {
	case "GET stats":
		tell(w, p.Stats())
	case "GET log":
		tell(w, p.Log())
	case "POST reset":
		p.Reset()
		tell(w, p.Stats())
	case "GET config":
		tell(w, p.Config())
	case "POST config", "PUT config":
		if err := p.amend(http.MaxBytesReader(w, r.Body, 1<<20), r.Method == http.MethodPut); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		tell(w, p.Config())
	default:
		http.Error(w, "faultproxy: no "+r.Method+" "+r.URL.Path, http.StatusNotFound)
	}
}

// amend changes the members of the configuration that the JSON in body contains. If all is true, it
// sets the other members to zero.
func (p *Proxy) amend(body io.Reader, all bool) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	base := p.cfg
	if all {
		base = Config{}
	}
	next, err := Parse(text, base)
	if err != nil {
		return err
	}
	p.cfg = next
	return nil
}

func tell(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // the client may have disconnected
}
