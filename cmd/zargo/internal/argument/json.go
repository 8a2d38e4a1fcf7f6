package argument

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/internal/bits/jsontext"
)

// Attrs parses the value of --attrs.
func Attrs(text string) (map[string]any, error) {
	if text == "" {
		return nil, nil
	}
	v, err := JSON(text)
	if err != nil {
		return nil, exit.Usagef("--attrs is not JSON: %v", err)
	}
	attrs, ok := v.(map[string]any)
	if !ok {
		return nil, exit.Usagef("--attrs is not a JSON object")
	}
	return attrs, nil
}

// JSON parses one JSON value and keeps the notation of numbers. It also accepts the bare
// tokens NaN, Infinity and -Infinity, as zarr-python stores them.
func JSON(text string) (any, error) {
	v, err := standardJSON(text)
	if err == nil {
		return v, nil
	}
	canon, bad := jsontext.Canon(nil, []byte(text), jsontext.Tokens)
	if bad != nil {
		return nil, err
	}
	if v, bad = standardJSON(string(canon)); bad != nil {
		return nil, err
	}
	return jsontext.Floats(v), nil
}

func standardJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected text after the value")
	}
	return v, nil
}
