package tasks_test

import (
	"context"
	"fmt"
	"image/png"
	"log"
	"os"
	"path/filepath"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/picture"
)

func Example_picture() {
	ctx := context.Background()
	st := weather(ctx)
	temp, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(temp)
	file := filepath.Join(temp, "map.png")

	d, err := dataset.Open(ctx, st, "", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	t2m, err := d.Var("t2m", dataset.Label("time", "2026-01-01T03"))
	if err != nil {
		log.Fatal(err)
	}
	slice, err := picture.Read(ctx, t2m, picture.ReadOptions{Size: 800})
	if err != nil {
		log.Fatal(err)
	}
	img, err := picture.Render(slice, picture.Options{Palette: picture.Magma, Size: 800})
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		log.Fatal(err)
	}
	if err := png.Encode(f, img); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(slice.Title, slice.Height, slice.Width)
	// Output: t2m (K) 4 6
}
