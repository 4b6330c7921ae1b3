package dialect_test

import (
	"fmt"
	"strings"

	"github.com/mpcvm/mpcvm/tables/internal/dialect"

	"github.com/mpcvm/mpcvm/tables/table"
)

func Example() {
	text := "Measured in May\n\nNr;Gewicht;Sorte\n1;1.250,5;rot\n2;75,25;\"gelb; grün\"\n"
	d, err := dialect.Detect([]byte(text), true, table.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d)
	r := dialect.NewReader(strings.NewReader(text), "roses.csv", d)
	for {
		record, line, err := r.Next()
		if err != nil {
			break // io.EOF
		}
		if weight, ok := d.Number(string(record[1])); ok { // not the header
			fmt.Println(line, weight, string(record[2]))
		}
	}
	// Output:
	// semicolon, decimal comma, thousands point, 2 lines skipped
	// 4 1250.5 rot
	// 5 75.25 gelb; grün
}

func ExampleAmbiguous() {
	text := "city;inhabitants\nLinz;1,234\nGraz;2,345\n"
	_, err := dialect.Detect([]byte(text), true, table.Options{})
	fmt.Println(err)
	d, _ := dialect.Detect([]byte(text), true, table.Options{Decimal: "."})
	fmt.Println(d)
	// Output:
	// two readings are equally good; choose with Options.Decimal . (1,234 is 1234) or Options.Decimal , (1,234 is 1.234)
	// semicolon, thousands comma
}
