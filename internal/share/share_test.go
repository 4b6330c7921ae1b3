package share_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/mpcvm/mpcvm/internal/share"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/replicas"
)

// squares is a loop that fills squares. Iterations in failing have no result for others.
func squares(ctx context.Context, squares []float64, made *int, failing ...int) share.Loop {
	return share.Loop{
		Name: "squares", N: len(squares), Serial: true,
		Do: func(i int) {
			if ctx.Err() == nil {
				squares[i] = float64(i * i)
				*made++
			}
		},
		Give: func(i int) []byte {
			for _, f := range failing {
				if i == f {
					return nil
				}
			}
			return share.Pack([][]float64{{squares[i]}})
		},
		Take: func(i int, result []byte) error {
			lists, err := share.Unpack(result)
			if err == nil {
				squares[i] = lists[0][0]
			}
			return err
		},
	}
}

// TestLoop: each iteration is computed by one replica, and all have all results.
func TestLoop(t *testing.T) {
	for size, want := range map[int][]int{1: {5}, 2: {3, 2}, 3: {2, 2, 1}, 6: {1, 1, 1, 1, 1, 0}} {
		left := replicas.Run(t, size, func(ctx context.Context, rank int) {
			for range 3 { // loops
				list, made := make([]float64, 5), 0
				squares(ctx, list, &made).Run(ctx)
				if !reflect.DeepEqual(list, []float64{0, 1, 4, 9, 16}) || made != want[rank] {
					t.Errorf("replica %d of %d: %v, %d iterations", rank, size, list, made)
				}
			}
		})
		if left > 0 {
			t.Errorf("%d of %d replicas have left", left, size)
		}
	}
}

// TestTogether: consecutive iterations stay together.
func TestTogether(t *testing.T) {
	replicas.Run(t, 2, func(ctx context.Context, rank int) {
		list, made := make([]float64, 6), 0
		l := squares(ctx, list, &made)
		l.Together = 4
		if l.Run(ctx); list[5] != 25 || made != []int{4, 2}[rank] {
			t.Errorf("replica %d: %v, %d iterations", rank, list, made)
		}
	})
}

// TestNested: neither a loop in an iteration nor a loop in a context without peers is shared.
func TestNested(t *testing.T) {
	var inner atomic.Int32
	replicas.Run(t, 2, func(ctx context.Context, _ int) {
		list, made := make([]float64, 3), 0
		l := squares(ctx, list, &made)
		do := l.Do
		l.Do = func(i int) {
			do(i)
			share.Loop{N: 10, Do: func(int) { inner.Add(1) }}.Run(ctx)
		}
		l.Run(ctx)
		share.Loop{N: 10, Do: func(int) { inner.Add(1) }}.Run(share.Alone(ctx))
		squares(ctx, list, &made).Run(ctx)
	})
	must.Equal(t, inner.Load(), 50)
}

// TestFailing: every replica computes an iteration that has no result for others.
func TestFailing(t *testing.T) {
	left := replicas.Run(t, 2, func(ctx context.Context, rank int) {
		list, made := make([]float64, 4), 0
		squares(ctx, list, &made, 3).Run(ctx)
		if list[3] != 9 || made != []int{3, 2}[rank] {
			t.Errorf("replica %d: %v, %d iterations", rank, list, made)
		}
	})
	if left > 0 {
		t.Error("a replica has left")
	}
}

// TestCancelled: a replica whose context ends while it waits leaves the others and computes alone.
func TestCancelled(t *testing.T) {
	left := replicas.Run(t, 2, func(ctx context.Context, rank int) {
		if rank == 1 {
			return // dead
		}
		inTime, cancel := context.WithCancel(ctx)
		list, made := make([]float64, 4), 0
		l := squares(inTime, list, &made)
		do := l.Do
		l.Do = func(i int) {
			if do(i); i == 2 {
				go cancel()
			}
		}
		if l.Run(inTime); inTime.Err() == nil || made > 2 {
			t.Errorf("%d iterations", made)
		}
		made = 0
		if squares(ctx, list, &made).Run(ctx); made != 4 || list[3] != 9 {
			t.Errorf("%v, %d iterations alone", list, made)
		}
	})
	must.Equal(t, left, 1)
}

// TestOutOfStep: replicas that run different loops notice it and compute the rest on their own.
func TestOutOfStep(t *testing.T) {
	left := replicas.Run(t, 2, func(ctx context.Context, rank int) {
		list, made := make([]float64, 4), 0
		l := squares(ctx, list, &made)
		if l.Run(ctx); rank == 1 {
			l.Name = "others"
			l.Run(ctx)
		} else {
			squares(ctx, list, &made).Run(ctx)
		}
		made = 0
		if squares(ctx, list, &made).Run(ctx); made != 4 {
			t.Errorf("%d iterations", made)
		}
	})
	must.Equal(t, left, 2)
}

// lost is a peer whose results never come.
type lost struct{ share.Peers }

func (lost) Receive(context.Context, string) ([]byte, error) { return nil, errors.New("lost") }

func (lost) Rank() int { return 0 }

func (lost) Size() int { return 2 }

func (lost) Send(string, []byte) {}

// TestLost: without the result of another replica, a replica computes it.
func TestLost(t *testing.T) {
	left := 0
	ctx := share.With(t.Context(), lost{}, func() { left++ })
	list, made := make([]float64, 4), 0
	for range 2 {
		squares(ctx, list, &made).Run(ctx)
	}
	if made != 8 || left != 1 || list[3] != 9 {
		t.Errorf("%v, %d iterations, left %d times", list, made, left)
	}
}

// TestPack: numbers stay exact, and a damaged result is an error.
func TestPack(t *testing.T) {
	lists := [][]float64{{}, {math.Inf(1), math.Copysign(0, -1), 1.0 / 3}, {math.Float64frombits(0x7ff8000000001234)}}
	packed := share.Pack(lists)
	got, err := share.Unpack(packed)
	if err != nil || len(got) != len(lists) {
		t.Fatal(got, err)
	}
	for i, list := range lists {
		for j, v := range list {
			if math.Float64bits(got[i][j]) != math.Float64bits(v) {
				t.Errorf("%v became %v", v, got[i][j])
			}
		}
	}
	if got, err := share.Unpack(packed[:len(packed)-1]); err == nil {
		t.Error(got)
	}
	if got, err := share.Unpack(nil); err != nil || got != nil {
		t.Error(got, err)
	}
}
