package validate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// A report for other programs consists of the counts and every finding as JSON.
func ExampleRun_report() {
	ctx, st := context.Background(), mem.New()
	for key, value := range map[string]string{
		".zarray": `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C"}`,
		"0":       "ab",
		"1":       "t",
	} {
		if _, err := st.Put(ctx, key, []byte(value), store.PutOptions{}); err != nil {
			log.Fatal(err)
		}
	}

	var found []rule.Finding
	r, err := validate.Run(ctx, st, "", validate.Options{Data: true}, func(f rule.Finding) { found = append(found, f) })
	if err != nil {
		log.Fatal(err) // the check is incomplete
	}
	counts, err := json.Marshal(r.Counts)
	fmt.Println(r.Arrays, r.Chunks, string(counts), err)
	for _, f := range found { // in any order
		fmt.Println(f.Severity(), f.Rule, f.Key, f.Message())
	}
	worst, broken := r.Worst(rule.Fault)
	line, err := json.Marshal(worst)
	fmt.Println(broken, string(line), err)

	// Unordered output:
	// 1 2 {"error":1,"warning":1} <nil>
	// warning no-filters .zarray the member "filters" is missing; it is read as null
	// error corrupt 1 codec bytes: corrupt data: the chunk has 1 bytes, want 2
	// true {"severity":"error","code":"corrupt","path":"","key":"1","message":"codec bytes: corrupt data: the chunk has 1 bytes, want 2","source":"Zarr core specification 3.1, \"Codecs\"; Zarr sharding codec 1.0, \"Binary shard format\""} <nil>
}
