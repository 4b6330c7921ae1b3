package lesson_test

import (
	"testing"

	"github.com/mpcvm/mpcvm/notebooks/lesson"
)

func TestGuess(t *testing.T) {
	if m := lesson.GuessMark(lesson.NoGuess); m != nil {
		t.Errorf("without a guess the marks are %v", m)
	}
	if m := lesson.GuessMark(0); len(m) != 1 || m[0].X != 0 || m[0].Name == "" {
		t.Errorf("the marks of 0 are %v", m)
	}
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
