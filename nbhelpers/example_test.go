package nbhelpers_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/mpcvm/ranktest"
	"github.com/mpcvm/mpcvm/mpcvm/score"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

func Example() {
	iris, err := data.Load("iris")
	if err != nil {
		fmt.Println(err)
		return
	}
	scale := data.FitStandardizer(iris.X)
	ctx, stop := nbhelpers.Context() // cancelled by the Stop button
	defer stop()
	learner := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}
	model, result, err := learner.Fit(ctx, mpcvm.Samples{X: scale.Apply(nil, iris.X), T: iris.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	model = model.WithNames(iris.Classes, iris.Features)

	// In a notebook, call .Display(); it does nothing outside one.
	nbhelpers.Convergence(nbhelpers.Trace{Name: "mPCVM₂", Steps: result.Trace}).Display()
	nbhelpers.Sparsity(model, iris.N()).Display()
	regions := nbhelpers.Regions(model, iris, nbhelpers.RegionsOptions{
		Features: [2]int{2, 3}, Scale: &scale, Units: []string{"cm", "cm", "cm", "cm"}, Errors: true,
	})
	fmt.Println(strings.Join(strings.SplitAfter(regions.Alt, ":")[:1], ""))
	// Output: Decision regions of 3 classes (setosa, versicolor, virginica) over petal_length (cm) and petal_width (cm):
}

func ExampleConvergence() {
	trace := []mpcvm.Step{
		{Iteration: 1, Objective: -164.8, LogLik: -120.5, Weights: []int{1, 0, 2}},
		{Iteration: 2, Objective: -98.1, LogLik: -61.3, Weights: []int{2, 1, 2}},
	}
	chart := nbhelpers.Convergence(nbhelpers.Trace{Name: "mPCVM₂", Steps: trace})
	fmt.Println(chart.Alt)
	// Output: Line chart of the convergence of a fit: mPCVM₂: 2 iterations, objective −98.10, 5 weights.
}

// The regions of models over the width of the kernel, with a slider that does not need a kernel.
func ExampleChart_Echarts() {
	set := data.Blobs(60, 3, 2, 0.6, 1)
	model, result := nbhelpers.Fit(mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}, set)
	course := nbhelpers.Convergence(nbhelpers.Trace{Name: "mPCVM₂", Steps: result.Trace})
	course.Echarts().AddSeries("published", []opts.LineData{{Value: []any{0, -9}}, {Value: []any{20, -9}}})

	regions := nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{})
	unlabelled := charts.NewScatter()
	unlabelled.AddSeries("unlabelled", []opts.ScatterData{{Value: []any{0, 0}, SymbolSize: 8}})
	regions.Echarts().Overlap(unlabelled)
	nbhelpers.Grid(2, course, regions).Display() // in a notebook
	fmt.Println(strings.Contains(string(course.Option()), `"published"`),
		strings.Contains(string(regions.Option()), `"unlabelled"`))
	// Output: true true
}

func ExampleFrames() {
	set, err := data.Load("overlap")
	if err != nil {
		fmt.Println(err)
		return
	}
	var frames []nbhelpers.Frame
	for _, theta := range []float64{0.1, 0.3, 1, 3, 10} {
		model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: theta}}.Fit(context.Background(),
			mpcvm.Samples{X: set.X, T: set.T})
		if err != nil {
			fmt.Println(err)
			return
		}
		chart := nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{Cells: 80})
		frames = append(frames, nbhelpers.Frame{Label: fmt.Sprint(theta), Chart: chart})
	}
	slider := nbhelpers.Frames(frames, nbhelpers.FramesOptions{Name: "θ", Start: 2})
	slider.Display() // in a notebook
	fmt.Println(strings.Contains(slider.HTML(), "θ: 1 (5 frames)"))
	// Output: true
}

// A slider that fits while it is moved. Outside a notebook, and where no browser answers, it draws
// only the first value.
func ExampleSlider() {
	set, err := data.Load("overlap")
	if err != nil {
		fmt.Println(err)
		return
	}
	slider := nbhelpers.Slider{Name: "θ", Values: []float64{0.1, 0.3, 1, 3, 10}, Start: 2}
	err = slider.Run(func(ctx context.Context, theta float64) (nbhelpers.Chart, error) {
		fmt.Println("θ =", theta)
		model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: theta}}.Fit(ctx,
			mpcvm.Samples{X: set.X, T: set.T})
		if err != nil {
			return nbhelpers.Chart{}, err
		}
		return nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{}), nil
	})
	fmt.Println(err)
	// Output:
	// θ = 1
	// <nil>
}

func ExampleWrap() {
	bar := charts.NewBar()
	bar.SetGlobalOptions(charts.WithTitleOpts(opts.Title{Title: "Error rate"}))
	bar.SetXAxis([]string{"Iris", "Wine"}).AddSeries("mPCVM₁", []opts.BarData{{Value: 3.2}, {Value: 2.1}})
	chart := nbhelpers.Wrap(bar)
	chart.Height = 300
	chart.Display() // in a notebook
	fmt.Println(chart.Alt)
	// Output: Error rate
}

func ExampleWritePage() {
	table := nbhelpers.Table([]string{"system", "error (%)"}, [][]string{{"mPCVM₁", "3.2"}})
	var page strings.Builder // or a file: WritePageFile
	err := nbhelpers.WritePage(&page, "Report", nbhelpers.Heading("Iris"), nbhelpers.Text("45 partitions."),
		table)
	fmt.Println(strings.Contains(page.String(), "<h2>Iris</h2>"), err)
	// Output: true <nil>
}

func ExampleProgress() {
	set := data.Blobs(60, 3, 2, 0.3, 1)
	progress := nbhelpers.NewProgress("mPCVM₂")
	_, result, err := mpcvm.BottomUp{}.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T},
		progress.Observe)
	progress.Done(result) // mPCVM₂: converged after ...
	fmt.Println(err)
	// Output: <nil>
}

func ExampleLines() {
	theta := []float64{0.01, 0.1, 1, 10}
	chart := nbhelpers.Lines([]nbhelpers.Series{{
		Name: "mPCVM₂", X: theta, Y: []float64{6.1, 4.1, 5.0, 31.7}, Dots: true,
		Low: []float64{5.7, 3.8, 4.6, 30.2}, High: []float64{6.5, 4.4, 5.4, 33.2}, // a standard error
	}}, nbhelpers.LinesOptions{
		Title: "Width of the kernel", XName: "θ (1/cm²)", YName: "error (%)", LogX: true,
		Marks: []nbhelpers.Mark{{X: 0.1, Name: "chosen"}},
	})
	chart.Display() // in a notebook
	fmt.Println(chart.Alt)
	// Output: Line chart: Width of the kernel; mPCVM₂; error (%) over θ (1/cm²).
}

// A model of one feature: potentials, samples and probabilities.
func ExampleProfile() {
	iris, err := data.Load("iris")
	if err != nil {
		fmt.Println(err)
		return
	}
	width := &data.Set{Name: "Iris", X: mat.DenseCopyOf(iris.X.ColView(3)), T: iris.T, Classes: iris.Classes,
		Features: iris.Features[3:]}
	model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 1}}.Fit(context.Background(),
		mpcvm.Samples{X: width.X, T: width.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	chart := nbhelpers.Profile(model, width, nbhelpers.ProfileOptions{})
	chart.Display() // in a notebook
	kind, _, _ := strings.Cut(chart.Alt, " over")
	fmt.Println(kind)
	// Output: Potentials and probabilities of 3 classes (setosa, versicolor, virginica)
}

func ExampleGrid() {
	density := func(name string, y ...float64) nbhelpers.Chart {
		return nbhelpers.Lines([]nbhelpers.Series{{X: []float64{0, 1, 2}, Y: y}},
			nbhelpers.LinesOptions{Title: name, XName: "w", YName: "density"})
	}
	pair := nbhelpers.Grid(2, density("own class", 1, .6, .1), density("other classes", 0, 0, 0))
	pair.Display() // side by side in a notebook
	fmt.Println(strings.Count(pair.HTML(), "mpcvm-chart"))
	// Output: 2
}

func ExampleBoxes() {
	chart := nbhelpers.Boxes([]nbhelpers.Box{{Name: "mPCVM₁", Values: []float64{2.7, 4, 4, 5.3, 8}},
		{Name: "mPCVM₂", Values: []float64{2.7, 2.7, 4, 4, 5.3}}},
		nbhelpers.BoxesOptions{Title: "Iris", Name: "error (%)"})
	chart.Display() // in a notebook
	fmt.Println(chart.Alt)
	// Output: Box plots: Iris; error (%): mPCVM₁ with median 4.00, mPCVM₂ with median 4.00.
}

func ExampleCriticalDifference() {
	errors := mat.NewDense(5, 3, []float64{ // data sets × systems
		4.1, 4.4, 5.0,
		2.2, 3.2, 3.0,
		31.2, 33.7, 36.1,
		2.7, 3.0, 3.3,
		33.0, 31.9, 35.0,
	})
	test, err := ranktest.Friedman(errors)
	if err != nil {
		fmt.Println(err)
		return
	}
	chart := nbhelpers.CriticalDifference([]string{"mPCVM₂", "mPCVM₁", "MLR"}, test,
		nbhelpers.CriticalDifferenceOptions{Control: "mPCVM₂", Alpha: 0.10})
	chart.Display() // in a notebook
	fmt.Println(chart.Alt)
	// Output: Critical difference diagram, average ranks over 5 data sets: mPCVM₂ 1.20, mPCVM₁ 2.00, MLR 2.80; critical difference 1.24.
}

// Charts of how good a model is, where it errs, whether its probabilities are calibrated, and why it
// decides as it does on one sample.
func ExampleExplanation() {
	iris, err := data.Load("iris")
	if err != nil {
		fmt.Println(err)
		return
	}
	train, test := iris.Split(0.5, 1)
	scale := data.FitStandardizer(train.X)
	model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(context.Background(),
		mpcvm.Samples{X: scale.Apply(nil, train.X), T: train.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	model = model.WithNames(iris.Classes, iris.Features).WithScaling(scale.Mean, scale.Scale)

	labels, p := model.Predict(nil, test.X), model.Proba(nil, test.X)
	counts, err := score.Confusion(labels, test.T, test.C())
	if err != nil {
		fmt.Println(err)
		return
	}
	bins, _, err := score.Reliability(p, test.T, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	nbhelpers.Grid(2, // in a notebook
		nbhelpers.Confusion(counts, test.Classes), nbhelpers.ROC(p, test.T, test.Classes),
		nbhelpers.Reliability([]nbhelpers.Calibration{{Bins: bins}}, nbhelpers.ReliabilityOptions{}),
		nbhelpers.Explanation(model, test.X.RawRowView(0))).Display()
	title, _, _ := strings.Cut(nbhelpers.Explanation(model, test.X.RawRowView(0)).Alt, ",")
	fmt.Println(title)
	// Output: Explanation: setosa
}

func ExampleImportance() {
	// the importances of gp.ARD: result.Importance
	chart := nbhelpers.Importance([]string{"petal_length", "sepal_width", "petal_width"},
		[]float64{2.4, 0.3, 5.1}, nbhelpers.ImportanceOptions{})
	chart.Display() // in a notebook
	fmt.Println(chart.Alt)
	// Output: Bar chart, Importance of features: 3 features, petal_width 5.10, petal_length 2.40, sepal_width 0.300.
}

func ExampleResults() {
	table := nbhelpers.Results([]string{"Iris", "Wine"}, []string{"mPCVM₁", "mPCVM₂"},
		[][]nbhelpers.Measure{{{Value: 4.4, Error: 0.4}, {Value: 4.1, Error: 0.4}}, {{Value: 3.2, Error: 0.3},
			{Value: 2.2, Error: 0.2}}}, nbhelpers.ResultsOptions{})
	table.Caption = "Error (%)"
	table.Display() // in a notebook: the best are bold
	fmt.Println(table.Rows[0], table.Bold[0])
	// Output: [Iris 4.4 ± 0.4 4.1 ± 0.4] [false false true]
}
