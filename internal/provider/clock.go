package provider

import (
	"fmt"
	"net/http"
	"time"
)

// Clock compares the time at which a request was signed with the time of the server's response.
type Clock struct {
	// Off is the server's time minus the signed time, without the duration of the request. It is 0
	// if one of them is unknown.
	Off time.Duration
	// Corrected is the signed time minus this machine's time, rounded to seconds.
	Corrected time.Duration
}

// wrongClock is a difference of clocks beyond which a provider may refuse a request. S3 and Azure
// refuse from 15 minutes on, and the SDK of S3 corrects its clock from 4 minutes on.
const wrongClock = 4 * time.Minute

// ClockOf returns the clocks of a response to a request that was signed at a time in a header.
func ClockOf(resp *http.Response, signed string) Clock {
	if resp == nil || resp.Request == nil {
		return Clock{}
	}
	text := resp.Request.Header.Get(signed)
	at, err := time.Parse("20060102T150405Z", text)
	if err != nil {
		at, err = http.ParseTime(text)
	}
	if err != nil {
		return Clock{}
	}
	return clockAt(resp.Header, at)
}

// ClockNow compares this machine's time with the time of a response that has just been received.
func ClockNow(h http.Header) Clock { return clockAt(h, time.Now()) }

func clockAt(h http.Header, at time.Time) Clock {
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return Clock{}
	}
	return Clock{date.Sub(at), time.Until(at).Round(time.Second)}
}

// Wrong reports whether the signed time differs so much that a provider refuses it.
func (c Clock) Wrong() bool { return c.Off.Abs() > wrongClock }

// String states how this machine's clock differs from the server's.
func (c Clock) String() string {
	off := c.Off + c.Corrected
	side := "behind"
	if off < 0 {
		side = "ahead of"
	}
	return fmt.Sprintf("the clock of this machine is %v %s the server's", off.Abs().Round(time.Second), side)
}
