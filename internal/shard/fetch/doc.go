// Package plan is what package zarr reads and writes by until the engine does it by internal/plan.
package plan
