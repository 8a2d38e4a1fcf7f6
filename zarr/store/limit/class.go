package limit

import (
	"math"
	"strings"
	"time"
)

// class is a directory of a bucket. The service may limit each directory separately.
type class struct {
	below string // prefix of the store in the bucket
	dir   string // directory in the store, "" or with its trailing slash
}

func (c class) has(below, key string) bool { return c.below == below && strings.HasPrefix(key, c.dir) }

// classes compares the shares of refusals in directories, to find one that the service limits more
// than the others. If stores with several prefixes use the bucket, these prefixes are compared.
// Otherwise the directories are compared that first distinguish the keys.
type classes struct {
	until  time.Time // requests are counted until this time
	size   int       // number of requests in flight when counting began; 0 if requests were spaced
	began  time.Time // start of the window
	begun  bool      // set if there was a key
	below  string    // prefix of the first store
	many   bool      // set if there are stores with other prefixes
	common string    // common directory of all keys
	all    count
	each   [mostClasses]classCount
	n      int
}

type classCount struct {
	class
	count
}

// Constants of classes.
const (
	mostClasses = 8
	counting    = 10 * time.Second      // time after a refusal for which requests are counted
	soonest     = 50 * time.Millisecond // minimum length of a window, more than a round trip
	comparing   = time.Second           // maximum length of a window with enough responses
	enough      = 6 * paced             // number of responses that is enough, even if half are refused
	apart       = 6                     // standard deviations between the shares of refusals
	proof       = 5                     // minimum number of refusals of the class in a window
)

// note counts a response. It returns true with a class that the service limits separately.
func (c *classes) note(below, key string, throttled bool, size int, now time.Time) (class, bool) {
	if !throttled && (c.until.IsZero() || now.After(c.until)) {
		return class{}, false
	}
	if c.until.IsZero() || now.After(c.until) {
		*c = classes{size: size, began: now}
	}
	if throttled {
		c.until = now.Add(counting)
	}
	if now.Sub(c.began) >= soonest {
		if found, ok := c.compare(now); ok {
			return found, true
		}
	}
	if k := c.find(c.classOf(below, key)); k != nil {
		k.add(throttled)
	}
	c.all.add(throttled)
	return class{}, false
}

// classOf returns the class of a key. The first key determines the common directory. If the key
// belongs to another store or directory than all earlier ones, those become one class.
func (c *classes) classOf(below, key string) class {
	if !c.begun {
		c.begun, c.below, c.common = true, below, key[:strings.LastIndexByte(key, '/')+1]
	}
	if below != c.below && !c.many {
		c.many = true
		c.only(class{below: c.below})
	}
	if c.many {
		return class{below: below}
	}
	for !strings.HasPrefix(key, c.common) {
		old := c.common
		c.common = old[:strings.LastIndexByte(old[:len(old)-1], '/')+1]
		c.only(class{below, old})
	}
	i := strings.IndexByte(key[len(c.common):], '/')
	return class{below, key[:len(c.common)+i+1]}
}

// only makes k the class of all responses of the window.
func (c *classes) only(k class) { c.n, c.each[0] = 1, classCount{k, c.all} }

// find returns the count of a class, or nil if it is not counted.
func (c *classes) find(k class) *classCount {
	if !c.many && len(k.dir) == len(c.common) {
		return nil // not in a directory of its own
	}
	for i := range c.n {
		if c.each[i].class == k {
			return &c.each[i]
		}
	}
	if c.n == len(c.each) {
		return nil
	}
	c.n++
	c.each[c.n-1] = classCount{class: k}
	return &c.each[c.n-1]
}

// compare returns true with a class that was refused significantly more often than the others in
// the window. Old windows end.
func (c *classes) compare(now time.Time) (class, bool) {
	for i := range c.n {
		if k := c.each[i]; k.hotter(c.all) {
			c.until = time.Time{}
			return k.class, true
		}
	}
	if now.Sub(c.began) >= comparing && c.all.answers >= enough {
		c.n, c.all, c.began = 0, count{}, now
	}
	return class{}, false
}

// hotter reports whether the class is refused significantly more often than the others.
func (k *classCount) hotter(all count) bool {
	rest := count{all.answers - k.answers, all.refused - k.refused}
	if k.refused < proof || rest.answers < proof {
		return false
	}
	deviation := math.Sqrt(all.share() * (1 - all.share()) * (1/float64(k.answers) + 1/float64(rest.answers)))
	return k.share()-rest.share() > apart*deviation
}
