package copying

import "testing"

func TestShareOfEngines(t *testing.T) {
	two := 2
	for _, c := range []struct {
		name          string
		index         *int
		count         int
		env           map[string]string
		wantI, wantOf int
		fails         bool
	}{
		{name: "alone"},
		{name: "flags", index: &two, count: 5, env: map[string]string{"JOB_COMPLETION_INDEX": "4"}, wantI: 2, wantOf: 5},
		{name: "Kubernetes", count: 5, env: map[string]string{"JOB_COMPLETION_INDEX": "4"}, wantI: 4, wantOf: 5},
		{name: "AWS Batch", count: 5, env: map[string]string{"AWS_BATCH_JOB_ARRAY_INDEX": "0"}, wantI: 0, wantOf: 5},
		{name: "Cloud Run", env: map[string]string{"CLOUD_RUN_TASK_INDEX": "3", "CLOUD_RUN_TASK_COUNT": "4"}, wantI: 3, wantOf: 4},
		{name: "Google Batch", env: map[string]string{"BATCH_TASK_INDEX": "3", "BATCH_TASK_COUNT": "4"}, wantI: 3, wantOf: 4},
		{name: "Slurm array", count: 8, env: map[string]string{"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "1", "SLURM_PROCID": "0"}, wantI: 3, wantOf: 8},
		{name: "Slurm step", count: 8, env: map[string]string{"SLURM_PROCID": "5"}, wantI: 5, wantOf: 8},
		{name: "no count", env: map[string]string{"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_COUNT": "1"}, fails: true},
		{name: "no index", count: 3, fails: true},
		{name: "beyond", index: &two, count: 2, fails: true},
		{name: "no number", count: 3, env: map[string]string{"JOB_COMPLETION_INDEX": "x"}, fails: true},
		{name: "negative", count: 3, env: map[string]string{"JOB_COMPLETION_INDEX": "-1"}, fails: true},
	} {
		i, of, err := share(c.index, c.count, func(name string) string { return c.env[name] })
		if (err != nil) != c.fails || err == nil && (i != c.wantI || of != c.wantOf) {
			t.Errorf("%s: %d of %d, %v", c.name, i, of, err)
		}
	}
}
