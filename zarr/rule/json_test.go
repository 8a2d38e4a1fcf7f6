package rule_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

func TestFindingsAsJSON(t *testing.T) {
	cause := fault.Newf(fault.Corrupt, "3 bytes < 4")
	got, err := json.Marshal(map[string]any{
		"findings": []rule.Finding{{Rule: rule.Corrupt, Path: "a", Key: "a/c/0", Text: cause.Error(), Err: cause}, {Rule: rule.NoOrder, Pointer: "/order"}},
		"counts":   map[rule.Severity]int{rule.Fault: 1, rule.Warning: 2},
	})
	want := `{"counts":{"error":1,"warning":2},"findings":[` +
		`{"severity":"error","code":"corrupt","path":"a","key":"a/c/0","message":"corrupt data: 3 bytes \u003c 4","source":"Zarr core specification 3.1, \"Codecs\"; Zarr sharding codec 1.0, \"Binary shard format\""},` +
		`{"severity":"warning","code":"no-order","path":"","pointer":"/order","message":"the member \"order\" is missing; it is read as C","source":"zarr 1.0, persistence"}]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s\nwant %s (%v)", got, want, err)
	}
	found := []rule.Finding{{Path: "t", Pointer: "/units", Text: "is 1"}, {Rule: rule.NoOrder}}
	if got := fmt.Sprint(found); got != "[t /units: is 1 /: "+rule.NoOrder.Text()+"]" {
		t.Error(got)
	}
}
