package lesson

import (
	"fmt"
	"math"

	"github.com/mpcvm/mpcvm/data"
	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

// NoGuess is the value of a guess that has not been made.
var NoGuess = math.NaN()

// Compare returns a sentence that compares a guess with the value, in a unit. For NoGuess it gives
// the value alone.
func Compare(guess, value float64, unit string) string {
	if math.IsNaN(guess) {
		return fmt.Sprintf("It is %.4g %s. (You have not made a guess.)", value, unit)
	}
	return fmt.Sprintf("You guessed %.4g; it is %.4g %s.", guess, value, unit)
}

// Guessed appends the point of a guess to the lines of a chart, unless it has not been made.
func Guessed(lines []nb.Series, x, guess float64) []nb.Series {
	if math.IsNaN(guess) {
		return lines
	}
	return append(lines, point("your guess", x, guess, 12))
}

// Truth has the potentials of the model that Line was drawn from.
var Truth = nb.PotentialFunc(func(x []float64) []float64 {
	y := data.LinePotentials(x[0])
	return y[:]
})
