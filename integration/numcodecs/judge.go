package numcodecs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// Judge is a Python that has numcodecs. It may be used from any number of goroutines, one of which is answered at a time.
type Judge struct {
	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// Refusal is what numcodecs says that it cannot do.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Start starts a Python with the script, both by path.
func Start(python, script string) (*Judge, error) {
	j := &Judge{cmd: exec.Command(python, "-W", "ignore", script)}
	j.cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	j.cmd.Stderr = &j.stderr
	in, err := j.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	j.in, j.out = in, bufio.NewReaderSize(out, 1<<16)
	return j, j.cmd.Start()
}

// Close ends it.
func (j *Judge) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.in.Close(), j.cmd.Wait())
}

// Encode gives what numcodecs makes of an array of one axis: its elements in the byte order of the data type, which is named
// as numpy does, or with "|O" a list in JSON. The configuration is numcodecs', with the id.
func (j *Judge) Encode(config json.RawMessage, dtype string, array []byte) ([]byte, error) {
	return j.ask("encode", config, dtype, array)
}

// Decode gives the bytes of the array that numcodecs makes of stored ones, or with "|O" a list in JSON.
func (j *Judge) Decode(config json.RawMessage, dtype string, stored []byte) ([]byte, error) {
	return j.ask("decode", config, dtype, stored)
}

func (j *Judge) ask(do string, config json.RawMessage, dtype string, data []byte) ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	head, err := json.Marshal(struct {
		Do     string          `json:"do"`
		Config json.RawMessage `json:"config"`
		DType  string          `json:"dtype"`
		Size   int             `json:"size"`
	}{do, config, dtype, len(data)})
	if err != nil {
		return nil, err
	}
	if _, err := j.in.Write(append(append(head, '\n'), data...)); err != nil {
		return nil, fmt.Errorf("judge: %w\n%s", err, j.stderr.Bytes())
	}
	line, err := j.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("judge: %w\n%s", err, j.stderr.Bytes())
	}
	var said struct {
		Size  int
		Error string
	}
	if err := json.Unmarshal(line, &said); err != nil {
		return nil, fmt.Errorf("judge says %q: %w", line, err)
	}
	if said.Error != "" {
		return nil, Refusal(said.Error)
	}
	out := make([]byte, said.Size)
	_, err = io.ReadFull(j.out, out)
	return out, err
}
