package dialect_test

import (
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/mpcvm/mpcvm/internal/dialect"
)

func Example() {
	text := "Measured in May\n\nNr;Gewicht;Sorte\n1;1.250,5;rot\n2;75,25;\"gelb; grün\"\n"
	d, err := dialect.Detect([]byte(text), true, dialect.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d)
	records, err := csv.NewReader(dialect.NewReader(strings.NewReader(text), d)).ReadAll()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, record := range records[1:] {
		weight, _ := d.Number(record[1])
		fmt.Println(weight, record[2])
	}
	// Output:
	// semicolon, decimal comma, thousands point, 2 lines skipped
	// 1250.5 rot
	// 75.25 gelb; grün
}

func ExampleAmbiguous() {
	text := "city;inhabitants\nLinz;1,234\nGraz;2,345\n"
	_, err := dialect.Detect([]byte(text), true, dialect.Options{})
	fmt.Println(err)
	d, _ := dialect.Detect([]byte(text), true, dialect.Options{Decimal: "."})
	fmt.Println(d)
	// Output:
	// two readings are equally good; choose with --decimal "." (1,234 is 1234) or --decimal "," (1,234 is 1.234)
	// semicolon, thousands comma
}
