package lesson

import (
	"fmt"
	"math"

	nb "github.com/mpcvm/mpcvm/nbhelpers"
)

// NoGuess is the value of a guess that the reader has not made.
var NoGuess = math.NaN()

// GuessMark returns the mark of a guess for the x axis of a chart, or nil if there is no guess.
func GuessMark(guess float64) []nb.Mark {
	if math.IsNaN(guess) {
		return nil
	}
	return []nb.Mark{{X: guess, Name: "your guess"}}
}

// Compare returns a sentence that compares a guess with the value, in a unit. Without a guess it asks for
// one.
func Compare(guess, value float64, unit string) string {
	if math.IsNaN(guess) {
		return fmt.Sprintf("It is %.4g %s. (You have not made a guess.)", value, unit)
	}
	return fmt.Sprintf("You guessed %.4g; it is %.4g %s.", guess, value, unit)
}
