// Package share divides the loops of a computation among replicas: programs that all make the same deterministic
// computation on the same input. Each replica computes some iterations of a shared loop and receives the
// results of the others; everything else is computed by all replicas. All of them therefore have the same
// results as a program that runs alone.
//
// The peers of a replica come with the context. Without them a loop runs on all cores.
package share

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/internal/par"
)

// Peers connects a replica with the others.
type Peers interface {
	// Rank is the number of this replica, from 0 to Size()−1.
	Rank() int
	Size() int
	// Send sends a result of this replica to all others. It does not wait for them.
	Send(key string, result []byte)
	// Receive returns the result that another replica has sent, or will send, with a key. An error means that
	// it will never come, or that ctx has ended, as its Done or its Err reports; see package polled.
	Receive(ctx context.Context, key string) ([]byte, error)
}

// replica is this program among its peers.
type replica struct {
	Peers
	left func()

	alone, inLoop atomic.Bool // it has left its peers; a shared loop is running
	loops         int         // the number of shared loops so far
	history       []byte      // a hash of their results
}

type key struct{}

// With returns a context with peers, whose loops are shared. The replicas must run the same loops in the same
// order, one after another. A loop within a shared loop is not shared. If the replica can no longer
// keep step with its peers, for example because ctx ends during a loop, it leaves them: it sends nothing more and
// computes the rest on its own. It then calls left once, if that is not nil. The others then wait forever and
// should be stopped.
func With(ctx context.Context, p Peers, left func()) context.Context {
	return context.WithValue(ctx, key{}, &replica{Peers: p, left: left})
}

// Alone returns a context whose loops are not shared, for loops that may end early.
func Alone(ctx context.Context) context.Context {
	if of(ctx) == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, (*replica)(nil))
}

// Leave makes the replica leave its peers, if the context has any, as when a time limit has changed what it
// computes.
func Leave(ctx context.Context) {
	if r := of(ctx); r != nil {
		r.leave()
	}
}

func of(ctx context.Context) *replica {
	r, _ := ctx.Value(key{}).(*replica)
	return r
}

// Loop is a loop whose iterations do not depend on each other.
type Loop struct {
	// Name should differ from the names of other loops.
	Name string
	// N is the number of iterations. Together is the number of consecutive ones that the same replica
	// computes. If it is zero, 1 is used.
	N, Together int
	// Serial makes the iterations run one after another, also without peers.
	Serial bool
	// Do computes an iteration. It should do nothing if the context has ended.
	Do func(i int)
	// Give returns the result of an iteration that Do has computed. If it is nil, for example because of an
	// error, every replica computes the iteration.
	Give func(i int) []byte
	// Take takes the result of another replica instead of computing the iteration. An error changes nothing.
	Take func(i int, result []byte) error
}

// Run runs a loop. Iterations may be missing if ctx has ended.
func (l Loop) Run(ctx context.Context) {
	l.Together = max(l.Together, 1)
	r := of(ctx)
	if r == nil || l.N <= l.Together || r.alone.Load() || !r.inLoop.CompareAndSwap(false, true) {
		grain := 1
		if l.Serial {
			grain = max(l.N, 1)
		}
		par.For(l.N, grain, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				l.Do(i)
			}
		})
		return
	}
	defer func() {
		r.loops++
		r.inLoop.Store(false)
	}()
	r.run(ctx, l)
}

func (r *replica) leave() {
	if !r.alone.Swap(true) && r.left != nil {
		r.left()
	}
}

// errStep is the error where a peer has not computed the same as this replica.
var errStep = errors.New("share: the replicas are out of step")

// hash returns a hash of texts.
func hash(texts ...[]byte) []byte {
	h := fnv.New64a()
	for _, text := range texts {
		h.Write(text)
	}
	return h.Sum(nil)
}

// run shares a loop. The message of each replica has a hash of the loop and of the results of earlier loops,
// and then the results of its iterations.
func (r *replica) run(ctx context.Context, l Loop) {
	r.history = hash(r.history, []byte(l.Name))
	messages, own := make([][]byte, r.Size()), slices.Clone(r.history)
	for i := range l.N {
		if l.owner(i, r.Size()) != r.Rank() {
			continue
		}
		l.Do(i)
		if ctx.Err() != nil {
			r.leave()
			return
		}
		result := l.Give(i)
		own = append(binary.AppendUvarint(own, uint64(len(result))), result...)
	}
	key := func(rank int) string { return fmt.Sprintf("%d.%d", r.loops, rank) }
	if !r.alone.Load() {
		messages[r.Rank()] = own
		r.Send(key(r.Rank()), own)
	}
	for rank := range messages {
		if rank == r.Rank() {
			continue
		}
		var results [][]byte
		if !r.alone.Load() {
			message, err := r.Receive(ctx, key(rank))
			if err == nil {
				messages[rank] = message
				results, err = r.open(message, l, rank)
			}
			if err != nil || ctx.Err() != nil {
				r.leave()
			}
		}
		for i := range l.N {
			if l.owner(i, r.Size()) != rank {
				continue
			}
			if ctx.Err() != nil {
				r.leave()
				return
			}
			var result []byte
			if len(results) > 0 {
				result, results = results[0], results[1:]
			}
			if len(result) > 0 {
				if l.Take(i, result) == nil {
					continue
				}
				r.leave()
			}
			l.Do(i)
		}
	}
	r.history = hash(messages...)
}

// owner returns the replica that computes an iteration.
func (l Loop) owner(i, size int) int { return i / l.Together % size }

// open returns the results in a message of another replica.
func (r *replica) open(message []byte, l Loop, rank int) (results [][]byte, err error) {
	message, same := bytes.CutPrefix(message, r.history)
	if !same {
		return nil, errStep
	}
	for i := range l.N {
		if l.owner(i, r.Size()) != rank {
			continue
		}
		n, used := binary.Uvarint(message)
		if used <= 0 || n > uint64(len(message)-used) {
			return nil, errStep
		}
		results = append(results, message[used:used+int(n)])
		message = message[used+int(n):]
	}
	if len(message) > 0 {
		return nil, errStep
	}
	return results, nil
}

// Pack packs lists of numbers into a result, exact to the last bit.
func Pack(lists [][]float64) (result []byte) {
	for _, list := range lists {
		result = binary.AppendUvarint(result, uint64(len(list)))
		result, _ = binary.Append(result, binary.LittleEndian, list) // numbers never fail
	}
	return result
}

// Unpack returns the lists that Pack has packed.
func Unpack(result []byte) (lists [][]float64, err error) {
	for len(result) > 0 {
		n, used := binary.Uvarint(result)
		if used <= 0 || n > uint64(len(result)-used)/8 {
			return nil, errors.New("share: not a list of numbers")
		}
		list := make([]float64, n)
		size, _ := binary.Decode(result[used:], binary.LittleEndian, list) // there are enough bytes
		lists, result = append(lists, list), result[used+size:]
	}
	return lists, nil
}
