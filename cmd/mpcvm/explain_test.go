package main

// explained has the fields of the JSON of explain that the tests use.
type explained struct {
	Row              int
	ID, Class, Truth string
	Cells            map[string]string
	Classes          []struct {
		Class                  string
		Proba, Potential, Bias float64
		Contributions          []struct {
			Row                   int
			Class                 string
			Kernel, Weight, Value float64
		}
	}
	Neighbours []struct {
		Row       int
		ID, Class string
		Kernel    float64
		Cells     map[string]string
	}
}
