package lesson_test

import (
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/notebooks/lesson"
)

func TestCoverage(t *testing.T) {
	lines := lesson.Coverage([]string{"a", "b"}, []float64{0.5, 0.9}, [][][]float64{{{40, 60}, {90}}, {{1}, {2}}})
	if len(lines) != 2 || !slices.Equal(lines[0].X, []float64{50, 90}) ||
		!slices.Equal(lines[0].Y, []float64{50, 90}) ||
		!slices.Equal(lines[0].Low, []float64{40, 90}) || !slices.Equal(lines[0].High, []float64{60, 90}) {
		t.Errorf("%+v", lines)
	}
}
