package look

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/tables/table"
)

// num returns a column of numbers.
func num(name string, values ...float64) table.Column {
	return table.Column{Name: name, Kind: table.Number, Numbers: values}
}

// cat returns a column of texts, in which "" is missing.
func cat(name string, kind table.Kind, texts ...string) table.Column {
	levels := slices.Clone(texts)
	slices.Sort(levels)
	levels = slices.DeleteFunc(slices.Compact(levels), func(s string) bool { return s == "" })
	c := table.Column{Name: name, Kind: kind, Levels: levels}
	for _, s := range texts {
		code, ok := slices.BinarySearch(levels, s)
		if !ok {
			code = -1
		}
		c.Codes = append(c.Codes, int32(code))
	}
	return c
}

// tab returns a table with the given columns.
func tab(columns ...table.Column) *table.Table {
	return &table.Table{Name: "made.csv", Rows: columns[0].Len(), Columns: columns}
}

// iris returns the embedded iris data as a table.
func iris() *table.Table {
	set, err := data.Load("iris")
	if err != nil {
		panic(err)
	}
	t := &table.Table{Name: "iris.csv", Rows: set.N(), Reading: "comma"}
	for j, name := range set.Features {
		values := make([]float64, set.N())
		for i := range values {
			values[i] = set.X.At(i, j)
		}
		t.Columns = append(t.Columns, num(name, values...))
	}
	labels := make([]string, set.N())
	for i, k := range set.T {
		labels[i] = set.Classes[k]
	}
	t.Columns = append(t.Columns, cat("species", table.Category, labels...))
	return t
}

// noise returns a table with d columns of random numbers and the random classes a and b.
func noise(rows, d int) *table.Table {
	random := rand.New(rand.NewPCG(1, 2))
	t := &table.Table{Name: "noise.csv", Rows: rows}
	for j := range d {
		values := make([]float64, rows)
		for i := range values {
			values[i] = random.NormFloat64()
		}
		t.Columns = append(t.Columns, num("x"+string(rune('a'+j%26))+string(rune('a'+j/26)), values...))
	}
	labels := make([]string, rows)
	for i := range labels {
		labels[i] = []string{"a", "b"}[random.IntN(2)]
	}
	t.Columns = append(t.Columns, cat("class", table.Category, labels...))
	return t
}

// permuted returns the table with its rows in random order.
func permuted(t *table.Table, seed uint64) *table.Table {
	order := rand.New(rand.NewPCG(seed, 1)).Perm(t.Rows)
	p := *t
	p.Columns = slices.Clone(t.Columns)
	for j := range p.Columns {
		c := &p.Columns[j]
		numbers, codes := c.Numbers, c.Codes
		c.Numbers, c.Codes = slices.Clone(numbers), slices.Clone(codes)
		for to, from := range order {
			if numbers != nil {
				c.Numbers[to] = numbers[from]
			}
			if codes != nil {
				c.Codes[to] = codes[from]
			}
		}
		c.Faults = slices.Clone(c.Faults)
		for k := range c.Faults {
			c.Faults[k].Row = slices.Index(order, c.Faults[k].Row)
		}
	}
	return &p
}

// messy returns a table with columns of all kinds and many mistakes.
func messy(rows int) *table.Table {
	random := rand.New(rand.NewPCG(3, 4))
	var length, width, twin, income, joined, smoker, odd []float64
	var island, sex, notes, uid, species []string
	for i := range rows {
		k := random.IntN(3)
		if random.Float64() < .4 {
			k = 0
		}
		x := 40 + 5*float64(k) + 3*random.NormFloat64()
		length = append(length, math.Round(10*x)/10)
		width = append(width, math.Round(10*(20-2*float64(k)+random.NormFloat64()))/10)
		twin = append(twin, math.Round(10*x)/10*2.54)
		income = append(income, math.Round(math.Exp(10+random.NormFloat64())))
		joined = append(joined, 1.5e9+86400*float64(random.IntN(900)))
		smoker = append(smoker, float64(random.IntN(2)))
		odd = append(odd, random.NormFloat64())
		island = append(island, []string{"Biscoe", "Dream", "Torgersen", "dream "}[min(random.IntN(9)/2, 3)])
		sex = append(sex, []string{"f", "m", ""}[min(random.IntN(21)/10, 2)])
		notes = append(notes, fmt.Sprint("note ", random.IntN(1<<20), " of a visit to the colony"))
		uid = append(uid, fmt.Sprint("N", i+1))
		species = append(species, []string{"Adelie", "Chinstrap", "Gentoo"}[k])
		if random.IntN(30) == 0 {
			width[i] = math.NaN()
		}
		if random.IntN(40) == 0 {
			income[i] = -999
		}
		if random.IntN(50) == 0 {
			species[i] = "gentoo"
		}
		if random.IntN(90) == 0 {
			species[i] = ""
		}
	}
	odd[rows/2] = math.NaN()
	species[1], species[2] = "none", "none"
	t := tab(cat("id", table.ID, uid...), num("bill length (mm)", length...), num("bill width", width...),
		num("length, inches", twin...),
		num("income", income...), table.Column{Name: "joined", Kind: table.Date, Numbers: joined},
		table.Column{Name: "smoker", Kind: table.Boolean, Numbers: smoker, Levels: []string{"no", "yes"}},
		num("odd", odd...), cat("island", table.Category, island...), cat("sex", table.Category,
			sex...), cat("notes", table.Text, notes...),
		num("always", slices.Repeat([]float64{1}, rows)...), cat("species", table.Category, species...))
	t.Columns[7].Faults = []table.Fault{{Row: rows / 2, Line: rows/2 + 2, Text: "12,5"}}
	t.Reading = "semicolon, decimal comma, Latin-1"
	return t
}
