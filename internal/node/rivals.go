package node

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// rivals returns the names of the documents that would make the path of the document name another
// node.
func rivals(name string) []string {
	return slices.DeleteFunc(founding(), func(other string) bool { return other == name })
}

// found puts the document that makes the path a node, on the condition that it is absent. It then
// checks that no other node was created at the path, see [Node.Alone], and that the groups above it
// remain. Otherwise it withdraws the document.
func (n *Node) found(ctx context.Context, d *Doc, above ...ground) error {
	v, err := n.put(ctx, n.Key(d.Name), d.Bytes, store.PutOptions{IfAbsent: true})
	switch {
	case err == nil:
		d.Version = v
		return n.settled(ctx, *d, above)
	case unknown(err):
		// The document may be stored. It must not hide another node.
		over, cancel := Detached(ctx)
		defer cancel()
		if is, look := n.Get(over, d.Name); look == nil && bytes.Equal(is.Bytes, d.Bytes) {
			_ = n.settled(over, Doc{Name: d.Name, Bytes: d.Bytes, Version: is.Version}, above)
		}
	}
	return err
}

// settled is the second look of the creator of d.
func (n *Node) settled(ctx context.Context, d Doc, above []ground) error {
	if n.Cfg.SingleWriter {
		return nil
	}
	ctx, cancel := Detached(ctx)
	defer cancel()
	errs := make([]error, 1+len(above))
	_ = concurrency.EachN(ctx, len(errs), len(errs), func(ctx context.Context, i int) error {
		if i == 0 {
			errs[i] = n.Alone(ctx, d)
		} else {
			errs[i] = above[i-1].holds(ctx)
		}
		return nil
	})
	if errs[0] != nil {
		return errs[0] // Alone has withdrawn d
	}
	return n.refuse(ctx, d, cmp.Or(errs...))
}

// refuse withdraws d because of err, unless err is nil.
func (n *Node) refuse(ctx context.Context, d Doc, err error) error {
	if err == nil {
		return nil
	}
	if remains := n.withdraw(ctx, d); remains != nil {
		return fault.Newf(fault.Conflict, "%q was created but could not be withdrawn (%w), although %w", n.Key(d.Name), remains, err)
	}
	if d.Name == ZGroup && errors.Is(err, ErrMigrated) {
		if again := n.regroup(ctx); again != nil {
			return errors.Join(err, again)
		}
	}
	return err
}

// regroup creates a group in place of a withdrawn one if another process has created a member of it
// in the meantime. The group above has v3 metadata. The member's creator has looked at the
// withdrawn group before the withdrawal, or it looks later and creates the group again.
func (n *Node) regroup(ctx context.Context) error {
	p := n.At(n.Path)
	p.Cfg.Format, p.in = 0, nil
	members, err := p.Children(ctx, []Place{{Path: n.Path, Format: 3}})
	if err == nil && len(members) > 0 {
		_, err = p.group(ctx, 3)
	}
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fault.Refused) {
		return nil // the store cannot list the members
	}
	return err
}

// maxLooks is the number of looks for a document that its creator is expected to withdraw. The
// pauses between the looks add up to 0.6 s, which is more than a delete usually takes.
const maxLooks = 8

// maxFailures is the number of attempts of a look that fails. Others may already use the node, so a
// single failure should not withdraw it.
const maxFailures = 3

// Alone is the second look of a creator that has put d. It returns nil if the path has no document
// of a node of another format or kind.
//
// Two creators of one path in different formats put different documents, so both puts succeed. Each
// then looks for the other document. A creator that looks before the other's put remains, and the
// other withdraws: it deletes its own document, on the condition of the version that it put, and
// returns fault.Exists. If both see each other, the one whose document readers take withdraws at
// once, so that it hides the other node as briefly as possible. The other looks again, and
// withdraws only if the document remains. So at most one creator remains, and a creator that has
// returned nil is never withdrawn, and is hidden by another that continues only until that one has
// looked.
//
// Alone completes the look and the withdrawal even if ctx has ended; see [Settling]. With
// SingleWriter it does nothing.
func (n *Node) Alone(ctx context.Context, d Doc) error {
	if n.Cfg.SingleWriter {
		return nil
	}
	ctx, cancel := Detached(ctx)
	defer cancel()
	return n.refuse(ctx, d, n.Met(ctx, d.Name))
}

// Met is the look of [Node.Alone] without the withdrawal. name is the name of the document that the
// caller has put. Met returns fault.Exists if the caller must withdraw it.
func (n *Node) Met(ctx context.Context, name string) error {
	for try := 1; ; try++ {
		rival, err := n.rival(ctx, name)
		if err == nil && rival == "" {
			if err = n.inGroup(ctx); err == nil {
				return nil
			}
		}
		yields := slices.Index(founding(), name) < slices.Index(founding(), rival)
		if err == nil && !yields && try < maxLooks || err != nil && unknown(err) && try < maxFailures {
			if err := concurrency.Sleep(ctx, 5*time.Millisecond<<(try-1)); err == nil {
				continue
			}
		}
		if err == nil {
			err = fault.Newf(fault.Exists, "%q was created concurrently", n.Key(rival))
		}
		return err
	}
}

// inGroup returns ErrMigrated if the node is created as a member of a v2 group that was migrated.
func (n *Node) inGroup(ctx context.Context) error {
	if n.in == nil {
		return nil
	}
	return n.At(*n.in).Superseded(ctx)
}

// rival returns the name of a document that makes the path another node than the document name
// does. It returns "" if there is none. A denied read counts as absent, as in [Node.Find]. It looks
// at zarr.json last, because a migration puts it before it deletes the v2 documents.
func (n *Node) rival(ctx context.Context, name string) (string, error) {
	others := rivals(name)
	if others[0] == ZarrJSON {
		if found, err := n.firstOf(ctx, others[1:]); err != nil || found != "" {
			return found, err
		}
		others = others[:1]
	}
	return n.firstOf(ctx, others)
}

// withdraw deletes the document d, which this process has put. If another process has changed the
// document since, withdraw returns fault.Conflict and keeps it.
func (n *Node) withdraw(ctx context.Context, d Doc) error {
	if d.Version == "" { // a store without versions
		is, err := n.Get(ctx, d.Name)
		if err == nil && !bytes.Equal(is.Bytes, d.Bytes) {
			err = fault.Newf(fault.Conflict, "%q was changed concurrently", n.Key(d.Name))
		}
		if err != nil {
			return ignoreAbsent(err)
		}
	}
	return ignoreAbsent(n.delete(ctx, n.Key(d.Name), d.Version))
}
