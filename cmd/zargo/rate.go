package main

import (
	"context"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr/store"
)

// pace lets requests begin no faster than at a rate.
type pace struct {
	each time.Duration // between the beginnings of two

	mu   sync.Mutex
	next time.Time
}

// paced is an opener whose stores together make at most so many requests in a second; 0 is no bound. What is repeated below counts once.
func paced(open transfer.Opener, perSecond float64) transfer.Opener {
	if perSecond <= 0 {
		return open
	}
	p := &pace{each: time.Duration(float64(time.Second) / perSecond)}
	return func(ctx context.Context, name string) (store.Store, error) {
		st, err := open(ctx, name)
		if err != nil {
			return nil, err
		}
		return store.Around(st, store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
			return ctx, p.wait(ctx)
		}}), nil
	}
}

// wait waits for the turn of one request.
func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	turn := p.next
	p.next = p.next.Add(p.each)
	p.mu.Unlock()
	return concurrency.Sleep(ctx, turn.Sub(now))
}
