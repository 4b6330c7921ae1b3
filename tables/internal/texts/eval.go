package texts

import "github.com/mpcvm/mpcvm/tables/table"

// Findings about an evaluation.
var (
	// What the time limit or a stop left out.
	Budget    = table.Register("budget", "The training was ended early; it used {n} of {of:row}.")
	BudgetFit = table.Register("budget-fit",
		"The budget ended the fit of the cross-validation early; its figures describe a model that was "+
			"not fully trained.")
	BudgetFolds = table.Register("budget-folds",
		"The budget left time for {n} of {of:fold} of the cross-validation.")
	BudgetCurve = table.Register("budget-curve",
		"The budget left no time for the learning curve from {n:row} on.")
	BudgetCompare = table.Register("budget-compare", "The budget left no time to compare with {0:plain}.")
	NoTraining    = table.Register("no-training-figures",
		"The time limit was reached before all training rows were predicted, so their figures are missing.")
	NoTest = table.Register("no-test-figures",
		"The time limit was reached before all test rows were predicted, so their figures are missing.")

	// Folds and systems.
	NoFigures = table.Register("no-cross-validation",
		"The budget left no time for cross-validation, which estimates the error on new rows.")
	NoSetting = table.Register("no-setting",
		"The budget left too little time to evaluate the setting of the model by cross-validation.")
	NotValidated    = table.Register("failed-cross-validation", "Cross-validation failed: {cause}.")
	NotCompared     = table.Register("not-compared", "The comparison with {0:plain} failed: {cause}.")
	NothingCompared = table.Register("nothing-compared",
		"Other systems can only be compared with cross-validation.")
	NoCurve = table.Register("no-curve",
		"The learning curve requires cross-validation of a chosen setting and is left out.")
	NotScored = table.Register("not-scored",
		"Class {0} ({n:row}) is in every training set and is not scored, because of the groups or times "+
			"of its rows.")
	SingleRow = table.Register("single-row",
		"Class {0} has 1 row: it is in every training set and is not scored.")
	SmallClass = table.Register("small-class", "Class {0} has {n:row}, too few for reliable figures.")
	Failed     = table.Register("failed", "{0:plain} failed: {cause}.")
	FewFolds   = table.Register("few-folds",
		"the rows cannot be split into folds by {columns}: as every training set must contain all classes, "+
			"only {n:row} could be held out")
	Singles = table.Register("singles",
		"most of {n:row} are the only one of their class; use {!Target} to name another column")

	// Predictions that another program has made.
	LackingScore  = table.Register("lacking-score", "no column {column}; it has {texts}")
	WrongScore    = table.Register("wrong-score", "not {0:plain}")
	LackingScores = table.Register("lacking-scores",
		"{0} lacks {n} of {of:row} of the folds, first row {1:plain} of repeat {2:plain}: predict the test rows "+
			"of the folds of this comparison, with the same flags")

	// The conclusion of a comparison. The texts are the best system, the score, the other systems and times.
	VerdictFaster = table.Register("verdict-faster",
		"{0:plain} has the lowest {1:plain}, but {2:plain} is level with it (the difference may be noise) and "+
			"takes {3:plain} instead of {4:plain}.")
	VerdictLevel = table.Register("verdict-level",
		"{0:plain} has the lowest {1:plain}, but the difference from {2:plain} may be noise.")
	VerdictBest = table.Register("verdict-best",
		"{0:plain} has the lowest {1:plain}, and the difference from the other systems is more than noise.")
	VerdictNone = table.Register("verdict-none",
		"No system has a lower {1:plain} than the {2:plain} baseline by more than noise.")

	// Copies of rows.
	CopiesInFolds = table.Register("duplicates-folds",
		"{n} of {of:row} have the same features as a row of their training set; if these are copies of "+
			"one case, the figures are too good.")
	CopiesInTest = table.Register("duplicates-test",
		"{n} of {of:row} of the test data have the same features as a row of the training data; if these "+
			"are copies of one case, the test figures are too good.")

	// Models that predict few classes.
	Collapsed = table.Register("collapsed",
		"THE MODEL COLLAPSED: it predicts one class for all of its training rows, and never {texts} "+
			"({n:row}). Try another algorithm or kernel, or look for features that tell the classes apart.")
	OneClass = table.Register("one-class",
		"The model predicts the same class for all of its training rows, and never {texts} ({n:row}). "+
			"Its probabilities are better than the class frequencies, but no other class is ever the most "+
			"probable.")
	NeverPredicted = table.Register("never-predicted",
		"The model never predicts {texts} ({n:row}), not even for its training rows.")
	SystemConstant = table.Register("collapsed-system",
		"{0:plain} collapsed: it predicts {1} for every row in {n} of {of:fold}.")
	SystemOneClass = table.Register("one-class-system",
		"{0:plain} predicts {1} for every row in {n} of {of:fold}. Its probabilities are better than the "+
			"class frequencies.")
	SystemNever    = table.Register("never-predicted-system", "{0:plain} never predicts {rest} ({n:row}).")
	CollapsedFolds = table.Register("collapsed-folds",
		"{0:plain} collapsed in {n} of {of:fold}: these are left out of all figures, which may therefore "+
			"be too good.")
	CollapsedCurve = table.Register("collapsed-curve",
		"The learning curve leaves out {n} of {of:fit}, whose models collapsed.")
	CollapsedMostly = table.Register("collapsed-mostly",
		"the model collapsed: it predicts only the class frequencies, in {n} of {of:fold}")
	Frequencies = table.Register("frequencies",
		"{0:plain} predicts the class frequencies in {n} of {of:fold}: no setting did better there.")
	NoBetter = table.Register("no-better",
		"{0:plain} does not have a lower error than the majority baseline.")
	WorseLogLoss = table.Register("log-loss",
		"The log loss of {0:plain}, {1:plain}, is worse than the log loss of the class frequencies, "+
			"{2:plain}: do not rely on its probabilities.")
	WorseTestLogLoss = table.Register("log-loss-test",
		"The log loss of the test data, {0:plain}, is worse than the log loss of the class frequencies, "+
			"{1:plain}: do not rely on the probabilities.")

	// Rows and classes.
	ClassWithoutValues = table.Register("class-without-values",
		"Classes left out because none of their rows has a value in a feature and a weight above 0: "+
			"{texts} ({n:row}, the first is {place}).")
	UnknownClasses = table.Register("unknown-classes",
		"{n} of {of:row} of the test data {n?has a class|have classes} that the training data lacks "+
			"({texts}): they count as errors and are left out of the log loss and the AUC.")
	UnusableTestRows = table.Register("unusable-test-rows",
		"{n:row} of the test data cannot be used: a value is missing or does not match the kind of its "+
			"column.")
	NoTestRows     = table.Register("no-test-rows", "No row of the test data could be used.")
	TestUnlabelled = table.Register("test-unlabelled",
		"no row of {0:plain} has a class in column {column}: use a table with classes, or no test table")
	TestUnusable = table.Register("test-unusable",
		"no row with a class could be used; the first error: {cause}")

	// Sentences of a report.
	OmittedSettings = table.Register("omitted-settings", "The table omits {n:setting} for which a model of the "+
		"same size or smaller has the same or a lower log loss, or which were worse after the first fold. {!JSON} "+
		"prints all settings.")
	PredictionSets = table.Register("prediction-sets", "A prediction set contains all plausible classes of a "+
		"row, and at least the most probable one; predictions contain the sets with {!Sets}. If the accuracy of "+
		"the model exceeds the nominal coverage, the coverage of the sets does too.")
	LeastCertain = table.Register("least-certain", "The rows whose most probable class has the lowest "+
		"probability, the most similar relevance vectors with their classes, if the model has any, and the cells "+
		"of the most important columns. Rows are counted from 1, without the header, as in {!Row} of an "+
		"explanation.")

	ClassWeighted = table.Register("class-weighted",
		"The class weights move the probabilities, which now hold for a population with the weighted class "+
			"frequencies. To find more rows of a rare class and keep the class frequencies of the training "+
			"rows, use {!Costs} instead.")

	// Costs.
	NoCosts  = table.Register("no-costs", "Estimating the mean costs requires cross-validation.")
	NoClass  = table.Register("no-class-of-model", "the model has no class {0}")
	NoRecall = table.Register("no-recall",
		"Choosing costs that find {1:plain} % of the rows of {0:plain} requires cross-validation, so the "+
			"model predicts the most probable class.")
	RecallNotFound = table.Register("recall-not-found",
		"No choice of costs finds that share of the rows of {0:plain}: {cause}. The model predicts the "+
			"most probable class.")
)
