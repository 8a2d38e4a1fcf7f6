package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// object returns the type of v2's "|O", which depends on its codec. codec is an id, or a
// configuration with an id.
func (t *Table) object(codec string, depth int) (Type, error) {
	c := objectCodec{ID: codec}
	if strings.HasPrefix(codec, "{") {
		c.ID = ""
		if err := json.Unmarshal([]byte(codec), &c); err != nil {
			return nil, fault.Newf(fault.Metadata, `data type "|O" with the codec %s: %v`, abbreviate([]byte(codec)), err)
		}
	}
	switch c.ID {
	case "":
		return nil, fault.Newf(fault.Metadata, `data type "|O" must have a codec that encodes objects`)
	case "vlen-utf8":
		return String, nil
	case "vlen-bytes":
		return Bytes, nil
	case "json2", "msgpack2":
		return JSON, nil
	case "categorize":
		if s, err := unquote(c.DType); err != nil || strings.TrimLeft(s, "|<>=") != "O" {
			return nil, fault.Newf(fault.Metadata, `elements of the codec categorize must be "|O", are %s`, abbreviate(c.DType))
		}
		return String, nil
	case "vlen-array":
		elem, order, err := t.parseV2(c.DType, "", depth+1)
		if err != nil {
			return nil, fmt.Errorf("elements of the codec vlen-array: %w", err)
		}
		return RaggedOf(elem, order)
	case "pickle":
		return nil, fault.Newf(errors.ErrUnsupported, `data type "|O" with the codec "pickle" is never read, because that could run a stored program`)
	}
	return nil, fault.Newf(errors.ErrUnsupported, `data type "|O" with the codec %.40q`, c.ID)
}

// objectCodec is the configuration of the codec that encodes the elements of v2's "|O".
type objectCodec struct {
	ID    string
	DType json.RawMessage // data type of the elements, for vlen-array and categorize
}
