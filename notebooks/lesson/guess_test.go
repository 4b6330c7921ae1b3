package lesson_test

import (
	"testing"

	"github.com/mpcvm/mpcvm/notebooks/lesson"
)

func TestGuess(t *testing.T) {
	for _, c := range []struct {
		guess float64
		want  string
	}{
		{lesson.NoGuess, "It is 36 weights. (You have not made a guess.)"},
		{120, "You guessed 120; it is 36 weights."},
	} {
		if got := lesson.Compare(c.guess, 36, "weights"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
