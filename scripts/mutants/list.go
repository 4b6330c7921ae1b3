package main

// mutant is a fault that someone might make: in file, from stands where to stands now.
type mutant struct {
	file     string // from the top of the repository
	from, to string // from occurs exactly once in file
	why      string // what is wrong with to, a line
}

// mutants were written from the sources and the paper, before it was looked at which test
// would notice them. They stand in the order of the packages, lower floors first.
var mutants = []mutant{
	// Kernels: the forms in Go are what the assembly is held against.
	{"mpcvm/kernel/sums.go", "c += math.Abs(v - u[2])", "c += math.Abs(v - u[3])", "Laplacian, Go twin: lane three takes its neighbour's sample"},
	{"mpcvm/kernel/sums.go", "d += float64(w[i] * dd * dd)", "d += float64(dd * dd)", "ARD, Go twin: a lane without its width"},
	{"mpcvm/kernel/exp.go", "- float64(n*ln2hi) - float64(n*ln2lo)", "- float64(n*ln2hi)", "exp: the low bits of ln 2 dropped"},
	{"mpcvm/kernel/exp.go", "theta == 0 && !math.IsNaN(d)", "theta == 0", "a sample that is no number is at distance zero where theta is zero"},
	{"mpcvm/kernel/width.go", "inverseMedian(x, absolute)", "inverseMedian(x, squared)", "first guess for the Laplacian from squared distances"},
	{"mpcvm/kernel/width.go", "math.IsNaN(d) || d != 0 && widths[i] != 0", "d != 0 && widths[i] != 0", "an ignored feature that is no number is ignored in the limit alone"},
	{"mpcvm/kernel/polynomial.go", "float64(k.Scale*p)+k.Offset, 1.0", "float64(k.Scale*(p+k.Offset)), 1.0", "polynomial: the offset scaled as well"},
	{"mpcvm/kernel/tile.go", "from = (b/slabRows + 1) * slabRows", "from = (b/slabRows + 2) * slabRows", "Gram: a slab of a tile on the diagonal is not mirrored"},

	// Probit.
	{"mpcvm/probit/quadrature.go", "shift := ratio(d) / math.Sqrt2", "shift := ratio(d)", "two classes: posterior mean without the √2 of the difference's deviation"},
	{"mpcvm/probit/quadrature.go", "mean += (v - mean) / (k + 1)", "mean += (v - mean) / k", "far apart: running mean with one sample too few"},
	{"mpcvm/probit/quadrature.go", "square += h * (u + v)", "square += h * (u - v)", "the difference of squares with a wrong sign"},
	{"mpcvm/probit/lanes.go", "square := b.base[l] + b.m[l]*b.m[l]", "square := b.base[l]", "lanes: the density of ε missing in log p"},
	{"mpcvm/probit/batch.go", "layout{raw.Data, raw.Cols, 1, raw.Stride}", "layout{raw.Data, raw.Cols, 1, raw.Cols}", "a view of a wider matrix read with the wrong stride"},
	{"mpcvm/probit/normal.go", "for k := 19; k >= 1; k -= 2 {", "for k := 9; k >= 1; k -= 2 {", "Mills' ratio: half of the asymptotic series"},

	// Scores.
	{"mpcvm/score/auc.go", "own * (2*below[j] + equal[j])", "own * (2 * below[j])", "AUC: ties count nothing instead of a half"},
	{"mpcvm/score/score.go", "table[label][pred[n]]++", "table[pred[n]][label]++", "confusion transposed"},
	{"mpcvm/score/proper.go", "math.Log(min(max(p.At(n, label), smallestNormal), 1))", "math.Log(min(p.At(n, label), 1))", "log loss: no floor, one sure error makes it infinite"},
	{"mpcvm/score/reliability.go", "case k < last && confidence >= table[k].High:", "case k < last && confidence > table[k].High:", "a confidence on a bound in the bin below it"},

	// Ranks.
	{"mpcvm/ranktest/friedman.go", "r.Average[j] - (K+1)/2", "r.Average[j] - K/2", "Friedman: mean rank off by a half"},
	{"mpcvm/ranktest/friedman.go", "mathext.RegIncBeta(d2/2, d1/2, d2/(d2+d1*r.F))", "mathext.RegIncBeta(d1/2, d2/2, d2/(d2+d1*r.F))", "F distribution with its degrees of freedom swapped"},
	{"mpcvm/ranktest/posthoc.go", "-distuv.UnitNormal.Quantile(alpha / (2 * float64(k-1)))", "-distuv.UnitNormal.Quantile(alpha / (2 * float64(k)))", "Bonferroni over k instead of k − 1 comparisons"},
	{"mpcvm/ranktest/ranks.go", "dst[i] = float64(lo+1+hi) / 2", "dst[i] = float64(lo + 1)", "ties get the lowest of their ranks"},

	// Data.
	{"data/standardize.go", "math.Sqrt(max(squares-residue*residue/n, 0) / (n - 1))", "math.Sqrt(max(squares-residue*residue/n, 0) / n)", "deviation with n instead of n − 1"},
	{"data/table.go", "if cell == \"\" {\n\t\treturn 0, ErrMissing", "if cell == \"\" {\n\t\treturn 0, nil", "an empty cell is read as zero"},
	{"data/csv.go", "labels[n] = renumber[c]", "labels[n] = c", "classes sorted, labels not renumbered"},
	{"data/csv.go", "classes = slices.Clone(like.Classes)", "classes = slices.Sorted(slices.Values(like.Classes))", "a file read like another numbers the classes in an order of its own"},
	{"data/partition.go", "if len(rows) == n {", "if len(rows) > n {", "a partition without a test part passes"},
	{"data/set.go", "max(len(m)-1, 1), len(m))", "len(m), len(m))", "split: a class may leave the test part"},
	{"data/derived.go", "row[cp+kind-1] = 1", "row[cp+kind%4] = 1", "the indicators of chest pain shifted by one"},

	// What the learners share.
	{"mpcvm/internal/par/par.go", "workers := min(runtime.GOMAXPROCS(0), pieces)", "workers := min(runtime.GOMAXPROCS(0), pieces)\n\tgrain = max(grain, n/max(workers, 1))\n\tpieces = (n + grain - 1) / grain", "pieces that depend on the number of cores, and with them the order of sums"},
	{"mpcvm/nnls.go", "h.cols[same] == s.samples[idx[same]]", "h.cols[same] == idx[same]", "stale cache: places compared with samples"},
	{"mpcvm/nnls.go", "row[i] += s.alpha[a]", "row[i] += s.alpha[min(i, a)]", "precision of another basis on the diagonal where weights are held at zero"},
	{"mpcvm/nnls.go", "case wrong < best:\n\t\t\tbest, patience = wrong, 3", "case wrong <= best:\n\t\t\tbest, patience = wrong, 3", "pivoting that takes no progress for progress"},

	// mPCVM₁.
	{"mpcvm/topdown.go", "(2*e.U1 + 1) / (w*w + 2*e.V1)", "(2*e.U1 + 1) / (w*w + e.V1)", "eq. (alpha_nc) without its second factor 2"},
	{"mpcvm/topdown.go", "/ (float64(e.n) + e.beta[c])", "/ float64(e.n)", "eq. (new_b) without the precision of the bias"},
	{"mpcvm/topdown.go", "e.p.At(c, n) - e.b[c]*e.sum[n]", "e.p.At(c, n) + e.b[c]*e.sum[n]", "the bias added to Z̄ instead of taken off"},
	{"mpcvm/topdown.go", "-(u + 0.5) * math.Log1p", "-u * math.Log1p", "eq. (full_prior_w) without its half"},
	{"mpcvm/topdown.go", "e.potentials(nil)\n\t\tstep = e.prune(math.Inf(1))", "step = e.prune(math.Inf(1))", "stale potentials after a pruning that is undone"},

	// mPCVM₂.
	{"mpcvm/bottomup.go", "e.gain(s, q) > 0 && q*e.sign(n, m.c) > 0)", "e.gain(s, q) > 0 && q*e.sign(n, m.c) != 0)", "a basis whose factor has lost its sign stays in the model"},
	{"mpcvm/bottomup.go", "floats.AddConst(-e.b[c], z)", "floats.AddConst(e.b[c], z)", "mPCVM₂ with Bias: the bias added to Z̄ instead of taken off"},
	{"mpcvm/bottomup.go", "m.penalty += e.Evidence*w*w*m.alpha[i] - math.Log(m.alpha[i])", "m.penalty += e.Evidence*w*w*m.alpha[i] + math.Log(m.alpha[i])", "objective: Σ log alpha with a wrong sign"},
	{"mpcvm/bottomup.go", "return 1 / (e.Evidence*w*w + variance)", "return 1 / (w*w + variance)", "the safe update forgets the evidence β"},
	{"mpcvm/bottomup.go", "max(1-alpha*variance, 1e-12)", "max(1-variance, 1e-12)", "MacKay's rule without alpha in 1 − αΣ"},
	{"mpcvm/bottomup.go", "m.changed()\n\t\tm.fresh = m.fresh[:0]\n\t\tclear(m.floor)", "m.fresh = m.fresh[:0]\n\t\tclear(m.floor)", "stale factor of H after an epoch that is undone"},
	{"mpcvm/bottomup.go", "floats.Scale(m.fallen, m.floor)\n", "", "stale floors: a precision that falls does not lower them"},
	{"mpcvm/factors.go", "max(0, 1/m.variance[i]-m.alpha[i]), m.mu[i] / m.variance[i]", "max(0, 1/m.variance[i]-m.alpha[i]), m.mu[i] * m.alpha[i]", "Q in place of q for a basis in the model"},
	{"mpcvm/factors.go", "floats.AddScaled(ti, -l.Data[i*k+j], tj)", "floats.AddScaled(ti, l.Data[i*k+j], tj)", "floors: forward substitution with a wrong sign"},
	{"mpcvm/factors.go", "e.gram[a][b], e.gram[b][a] = v, v", "e.gram[a][b] = v", "products of two bases that enter together on one side only"},
	{"mpcvm/literal.go", "return alpha * s / d, alpha * q / d", "return alpha * s / d, q", "as printed: q of a basis in the model not corrected for itself"},

	// mPCVM-K.
	{"mpcvm/kernelprior.go", "return r, logLik - dense.Dot(w, y)/(2*e.Scale), logLik", "return r, logLik - dense.Dot(w, y)/e.Scale, logLik", "the prior counted twice in F"},
	{"mpcvm/kernelprior.go", "floats.AddScaled(kd, alpha[i]-beta, m.kstep)", "floats.AddScaled(kd, alpha[i]-beta, m.kfall)", "L-BFGS: Kd is not K times d"},
	{"mpcvm/kernelprior.go", "if i < count || len(e.kept[b.Class]) == 0 {", "if i < count {", "a class loses all its weights in the cut"},
	{"mpcvm/kernelprior.go", "w[i] = v[c*e.n+n]\n\t\t}\n\t\treturn e.kept[c], w", "w[i] = v[n]\n\t\t}\n\t\treturn e.kept[c], w", "after the cut every class takes the weights of the first"},
	{"mpcvm/leaveoneout.go", "(z.At(c, n)-y.At(c, n))*(1/v-1)/h[n])", "(z.At(c, n)-y.At(c, n))*(1/v-1))", "leave-one-out without the precision of the sample"},
	{"mpcvm/leaveoneout.go", "l.Scale * root[i] * root[j] * from[j]", "l.Scale * root[j] * root[j] * from[j]", "H^½KH^½ is not symmetric"},

	// Widths, Auto, the choice of Theta.
	{"mpcvm/widths.go", "g[d] -= (s.log[d] - s.start) / (s.Tau * s.Tau)", "g[d] += (s.log[d] - s.start) / (s.Tau * s.Tau)", "the prior of the widths pushes them apart"},
	{"mpcvm/widths.go", "to[m] = -2 * from[m] * v", "to[m] = -from[m] * v", "gradient: a factor 2 dropped in one of two terms"},
	{"mpcvm/widths.go", "result.Trials[1].LogLoss < result.Trials[0].LogLoss", "result.Trials[0].LogLoss < result.Trials[1].LogLoss", "widths accepted where they are worse"},
	{"mpcvm/auto.go", "return gain > se/math.Sqrt(float64(len(c.losses)))", "return gain > 0*se", "Auto: any gain beats, its standard error forgotten"},
	{"mpcvm/auto.go", "y.Scale(1/temperature(y, s.t, 0), y)", "y.Scale(temperature(y, s.t, 0), y)", "Auto: potentials multiplied by the temperature"},
	{"mpcvm/training.go", "if rng.IntN(count) < left {", "if rng.IntN(count) <= left {", "a draw of samples off by one: the first rows of a class are likelier"},
	{"mpcvm/selection.go", "if g == f {\n\t\t\t\tout = append(out, n)\n\t\t\t} else {\n\t\t\t\tin = append(in, n)\n\t\t\t}", "if g == f {\n\t\t\t\tout = append(out, n)\n\t\t\t}\n\t\t\tin = append(in, n)", "cross-validation trains on the fold it tests"},
	{"mpcvm/selection.go", "rand.New(rand.NewPCG(seed, 1))", "rand.New(rand.NewPCG(0, 1))", "the folds do not follow the seed"},
	{"mpcvm/selection.go", "fold[n] = next % folds\n\t\t\tnext++", "fold[n] = (n + 0*next) % folds\n\t\t\tnext++", "folds by row, not by class"},
	{"mpcvm/selection.go", "model = model.WithTemperature(Temperature(y, part.t))", "model = model.WithTemperature(1 / Temperature(y, part.t))", "Calibrate: the inverse of the temperature"},
	{"mpcvm/selection.go", "better = t.LogLoss < trials[best].LogLoss", "better = t.ErrorRate < trials[best].ErrorRate", "Theta by error instead of log loss"},
	{"mpcvm/selection.go", "sum += eps / float64(c-1) * math.Log(max(v, 1e-300))", "sum += eps / float64(c) * math.Log(max(v, 1e-300))", "softened labels that do not sum to one"},

	// The model.
	{"mpcvm/predict.go", "T := m.Temperature()", "T := 1.0", "probabilities without the temperature"},
	{"mpcvm/predict.go", "(row[d] - m.mean[d]) / m.scale[d]", "row[d]/m.scale[d] - m.mean[d]", "scaling before centring"},
	{"mpcvm/predict.go", "if v > y[best] {", "if v >= y[best] {", "a tie goes to the higher class"},
	{"mpcvm/training.go", "slices.SortFunc(order, func(i, j int) int { return list[i] - list[j] })", "slices.SortFunc(order, func(i, j int) int { return i - j })", "weights of a model in the order in which they were found"},
	{"mpcvm/explain.go", "Label: m.label[v],", "Label: m.label[j],", "label of another relevance vector in an explanation"},
	{"mpcvm/explain.go", "cmp.Compare(math.Abs(b.Value), math.Abs(a.Value))", "cmp.Compare(b.Value, a.Value+math.Abs(0))", "what speaks against a class counts as no influence"},
	{"mpcvm/average.go", "floats.Scale(1/float64(len(e.models)), v.Weights)\n", "", "sums in place of means of the weights"},
	{"mpcvm/modelfile.go", "mean: doc.mean, scale: doc.scale, temperature: doc.temperature,", "mean: doc.mean, scale: doc.scale,", "a loaded model has lost its temperature"},
	{"mpcvm/modelfile_check.go", "case (w.Weight > 0) != (w.Class == v.Label):", "case w.Weight > 0 && w.Class != v.Label:", "a negative weight for the own class passes in a file"},
	{"mpcvm/modelfile_check.go", "if v.Index <= last {", "if v.Index < last {", "the same sample twice passes in a file"},

	// The rivals.
	{"mpcvm/rival/mrvm/topdown.go", "(float64(e.c) + 2*e.Tau) / (norm2 + 2*e.Upsilon)", "(1 + 2*e.Tau) / (norm2 + 2*e.Upsilon)", "mRVM₂ with the precision of one weight for those of all classes"},
	{"mpcvm/rival/mrvm/bottomup.go", "try(change{n, next, share(next, s, q2, classes) - now})", "try(change{n, next, share(next, s, q2, classes)})", "mRVM₁: the gain of a re-estimate without what it has already"},
	{"mpcvm/rival/mrvm/bottomup.go", "for i, n := range g.samples {\n\t\t\tg.at[n] = i\n\t\t}\n", "", "mRVM₁: stale places after a deletion"},
	{"mpcvm/rival/mrvm/bottomup.go", "return sum + float64(g.c)*volume", "return sum + volume", "mRVM₁: the volume of one class for all"},
	{"mpcvm/rival/dlsr/solver.go", "s.level[c] - floats.Dot(s.w.RawRowView(c), s.mean)", "s.level[c] + floats.Dot(s.w.RawRowView(c), s.mean)", "DLSR: the bias centred to the wrong side"},
	{"mpcvm/rival/dlsr/temperature.go", "(floats.Sum(s) - s[label]) / float64(classes-1)", "floats.Sum(s) / float64(classes)", "DLSR: the own class among the others"},
	{"mpcvm/rival/mlr/objective.go", "o.ridge[j] = lambda / N / h2", "o.ridge[j] = lambda / N", "softmax regression: scaled weights penalised instead of weights"},
	{"mpcvm/rival/mlr/objective.go", "floats.AddConst(-floats.Dot(p, y), y)\n", "", "softmax regression: Hessian without pᵀy"},
	{"mpcvm/rival/svm/coupling.go", "q[i*c+i] += rji * rji", "q[i*c+i] += rij * rij", "pairwise coupling with the classes of a pair swapped"},
	{"mpcvm/rival/svm/platt.go", "return 1 / (minus + 2)", "return 0", "Platt's target for the other class not softened"},
	{"mpcvm/rival/svm/cache.go", "c.used[i] = c.clock\n\tif c.kept[i] != nil {\n\t\treturn c.kept[i]\n\t}", "if c.kept[i] != nil {\n\t\treturn c.kept[i]\n\t}\n\tc.used[i] = c.clock", "stale cache: a row that was just asked for is overwritten"},
	{"mpcvm/rival/svm/smo.go", "return b.m/2 + b.M/2", "return b.m", "bias at one end where no variable is free"},
	{"mpcvm/rival/svm/tune.go", "b.raise(c / grid[i-1])", "b.raise(c / grid[0])", "tuning: C raised from the first value, not from the last"},
	{"mpcvm/rival/vote/model.go", "1 / (inverse[c] - float64(len(v.p)-2))", "1 / (inverse[c] - float64(len(v.p)-1))", "one against one: the constant of Price's rule off by one"},

	// The study.
	{"mpcvm/study/problem.go", "slices.DeleteFunc(mat.Col(nil, j, train),", "slices.DeleteFunc(mat.Col(nil, j, test),", "missing values filled with medians of the test part"},
	{"mpcvm/study/plan.go", "math.Sqrt(best.err*(1-best.err)/float64(best.samples))", "math.Sqrt(best.err*(1-best.err))/float64(best.samples)", "one-standard-error rule: N outside the root"},
	{"mpcvm/study/plan.go", "return (next-1)%s.Shards == s.Shard-1", "return next%s.Shards == s.Shard", "shards: the work of the last is never done"},
	{"mpcvm/study/plan.go", "Seed: j.pair.study.Seed + uint64(j.partition)", "Seed: j.pair.study.Seed", "all partitions with one seed"},
	{"mpcvm/study/plan.go", "t.samples += r.NTest", "t.samples += r.NTrain", "one-standard-error rule: training samples counted"},
	{"mpcvm/study/evaluate.go", "labels[i] = classes[l]", "labels[i] = l", "labels not numbered back where a class is absent from the training part"},
	{"mpcvm/study/store.go", "slices.Reverse(failures)\n", "", "merge: of two failures of a run the older is told"},
	{"mpcvm/study/report.go", "slices.SortFunc(runs, func(a, b Result) int { return a.Partition - b.Partition })", "", "means in the order of the files: last bits differ from merge to merge"},
	{"mpcvm/study/report.go", "math.Sqrt(squares / (n - 1) / n)", "math.Sqrt(squares / (n - 1))", "deviation in place of the standard error"},
	{"mpcvm/study/report.go", "row = append(row, -exact(c.AUC.Mean))", "row = append(row, exact(c.AUC.Mean))", "ranks by AUC upside down"},
}
