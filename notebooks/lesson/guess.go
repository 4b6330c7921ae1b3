package lesson

import (
	"fmt"
	"math"
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
