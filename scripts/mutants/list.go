package main

// mutant is a fault that someone might make: a text of the sources and what replaces it.
type mutant struct {
	from, to string // from occurs exactly once in the sources; any blanks match any others
	why      string // what is wrong with to, in one line
}

// mutants were written from the sources and the paper, before anyone looked at which test
// would notice them. Their order is that of the packages, lower layers first.
var mutants = []mutant{
	// Kernels: the forms in Go are what the assembly is held against.
	{"c += math.Abs(v - u[2])", "c += math.Abs(v - u[3])", "Laplacian in Go: lane three takes its neighbour's sample"},
	{"d += float64(w[i] * dd * dd)", "d += float64(dd * dd)", "ARD in Go: a lane without its width"},
	{"- float64(n*ln2hi) - float64(n*ln2lo)", "- float64(n*ln2hi)", "exp: the low bits of ln 2 dropped"},
	{"theta == 0 && !math.IsNaN(d)", "theta == 0", "a sample that is no number is at distance zero where theta is zero"},
	{"inverseMedian(x, absolute)", "inverseMedian(x, squared)", "first guess for the Laplacian from squared distances"},
	{"math.IsNaN(d) || d != 0 && widths[i] != 0", "d != 0 && widths[i] != 0", "an ignored feature that is no number is ignored in the limit alone"},
	{"float64(k.Scale*p)+k.Offset, 1.0", "float64(k.Scale*(p+k.Offset)), 1.0", "polynomial: the offset scaled as well"},
	{"from = (b/slabRows + 1) * slabRows", "from = (b/slabRows + 2) * slabRows", "Gram: a slab of a tile on the diagonal is not mirrored"},
	{" || bytes.Contains(raw, []byte(\"null\"))", "", "a kernel whose parameter is null passes in a file"},
	{"if _, twice := values[key.(string)]; twice {", "if _, twice := values[key.(string)]; false && twice {", "a parameter that is there twice passes in a file"},
	{"if d, ok := k.(withDefaults); ok {\n\t\tnamed = d.withDefaults()", "if d, ok := k.(withDefaults); ok {\n\t\t_ = d.withDefaults()", "a kernel is written with a zero in place of a default"},
	{"open = open && key != \"theta\"", "", "a Theta of zero on the command line means auto"},

	// Probit.
	{"shift := ratio(d) / math.Sqrt2", "shift := ratio(d)", "two classes: posterior mean without the √2 of the difference's deviation"},
	{"mean += (v - mean) / (k + 1)", "mean += (v - mean) / k", "far apart: running mean with one sample too few"},
	{"square += h * (u + v)", "square += h * (u - v)", "the difference of squares with a wrong sign"},
	{"square := b.base[l] + b.m[l]*b.m[l]", "square := b.base[l]", "lanes: the density of ε missing in log p"},
	{"layout{raw.Data, raw.Cols, 1, raw.Stride}", "layout{raw.Data, raw.Cols, 1, raw.Cols}", "a view of a wider matrix read with the wrong stride"},
	{"for k := 19; k >= 1; k -= 2 {", "for k := 9; k >= 1; k -= 2 {", "Mills' ratio: half of the asymptotic series"},

	// Scores.
	{"own * (2*below[j] + equal[j])", "own * (2 * below[j])", "AUC: ties count nothing instead of a half"},
	{"table[label][pred[n]]++", "table[pred[n]][label]++", "confusion transposed"},
	{"math.Log(min(max(p.At(n, label), smallestNormal), 1))", "math.Log(min(p.At(n, label), 1))", "log loss: no floor, one sure error makes it infinite"},
	{"case k < last && confidence >= table[k].High:", "case k < last && confidence > table[k].High:", "a confidence on a bound in the bin below it"},

	// Ranks.
	{"r.Average[j] - (K+1)/2", "r.Average[j] - K/2", "Friedman: mean rank off by a half"},
	{"mathext.RegIncBeta(d2/2, d1/2, d2/(d2+d1*r.F))", "mathext.RegIncBeta(d1/2, d2/2, d2/(d2+d1*r.F))", "F distribution with its degrees of freedom swapped"},
	{"-distuv.UnitNormal.Quantile(alpha / (2 * float64(k-1)))", "-distuv.UnitNormal.Quantile(alpha / (2 * float64(k)))", "Bonferroni over k instead of k − 1 comparisons"},
	{"dst[i] = float64(lo+1+hi) / 2", "dst[i] = float64(lo + 1)", "ties get the lowest of their ranks"},

	// Data.
	{"math.Sqrt(max(squares-residue*residue/n, 0) / (n - 1))", "math.Sqrt(max(squares-residue*residue/n, 0) / n)", "deviation with n instead of n − 1"},
	{"if text == \"\" {\n\t\treturn 0, cell.ErrMissing", "if text == \"\" {\n\t\treturn 0, nil", "an empty cell is read as zero"},
	{"labels[n] = renumber[c]", "labels[n] = c", "classes sorted, labels not renumbered"},
	{"Row: int64(row) + 1, Column: column + 1,", "Row: int64(row), Column: column,", "cells of a matrix counted from 0 in errors"},
	{"Line: t.before + line, Column", "Line: line, Column", "errors of a batch with lines counted from its own start"},
	{"if bytes > a.total {", "if bytes > a.left() {", "a fit is refused where it should wait for the memory of another"},
	{"a.promised -= bytes", "a.promised -= 0", "memory that is given back stays promised"},
	{"os.Remove(f.Name()) // which then no longer exists", "", "a temporary file is left behind when writing fails"},
	{"classes = slices.Clone(like.Classes)", "classes = slices.Sorted(slices.Values(like.Classes))", "a file read like another numbers the classes in an order of its own"},
	{"if len(rows) == n {", "if len(rows) > n {", "a partition without a test part passes"},
	{"max(len(m)-1, 1), len(m))", "len(m), len(m))", "split: a class may leave the test part"},
	{"row[cp+kind-1] = 1", "row[cp+kind%4] = 1", "the indicators of chest pain shifted by one"},

	// What the learners share.
	{"workers := min(runtime.GOMAXPROCS(0), pieces)", "workers := min(runtime.GOMAXPROCS(0), pieces)\n\tgrain = max(grain, n/max(workers, 1))\n\tpieces = (n + grain - 1) / grain", "pieces that depend on the number of cores, and with them the order of sums"},
	{"h.columns[same] == s.Bases[idx[same]]", "h.columns[same] == idx[same]", "stale cache: places compared with bases"},
	{"row[i] += s.Alpha[a]", "row[i] += s.Alpha[min(i, a)]", "precision of another basis on the diagonal where weights are held at zero"},
	{"case wrong < best:\n\t\t\tbest, patience = wrong, 3", "case wrong <= best:\n\t\t\tbest, patience = wrong, 3", "pivoting that takes no progress for progress"},
	{"jitter = max(1e-14, jitter*100)", "jitter = max(1e-2, jitter*100)", "an indefinite matrix gets a hundredth of its largest entry at once"},
	{"copy(a.Data[i*w:], z.Data[i*z.Stride+lo:i*z.Stride+hi])", "copy(a.Data[i*w:], z.Data[i*z.Stride:i*z.Stride+w])", "Φ: a product with long rows takes the first columns again and again"},
	{"v[i][j] += b.dot(j, row)", "v[i][j] = b.dot(j, row)", "Φ: of products of pairs the last stretch counts alone"},
	{"part.Cols, part.Data = b.rows(), c.Data[from:]", "part.Cols, part.Data = b.rows(), c.Data", "Φ computed anew: all blocks of rows in the place of the first"},
	{"float32: o.Float32 && o.Recompute}", "float32: false}", "Φ computed anew is not rounded to float32"},
	{"phi /= 2", "phi /= 1", "Float32 reserves memory for float64"},
	{"o.Recompute = true", "o.Recompute = false", "a Φ that does not fit is held all the same"},

	// mPCVM₁.
	{"(2*u + 1) / (w*w + 2*v)", "(2*u + 1) / (w*w + v)", "eq. (alpha_nc) without its second factor 2"},
	{"/ (float64(s.N) + s.beta[c])", "/ float64(s.N)", "eq. (new_b) without the precision of the bias"},
	{"s.p.At(c, n) - s.b[c]*s.sum[n]", "s.p.At(c, n) + s.b[c]*s.sum[n]", "the bias added to Z̄ instead of taken off"},
	{"-(u + 0.5) * math.Log1p", "-u * math.Log1p", "eq. (full_prior_w) without its half"},
	{"s.potentials(nil)\n\t\tstep = s.prune(math.Inf(1))", "step = s.prune(math.Inf(1))", "stale potentials after a pruning that is undone"},

	// mPCVM₂.
	{"e.gain(s, q) > 0 && q*e.sign(n, m.c) > 0)", "e.gain(s, q) > 0 && q*e.sign(n, m.c) != 0)", "a basis whose factor has lost its sign stays in the model"},
	{"floats.AddConst(-e.b[c], z)", "floats.AddConst(e.b[c], z)", "mPCVM₂ with Bias: the bias added to Z̄ instead of taken off"},
	{"m.penalty += e.LikelihoodPower*w*w*m.alpha[i] - math.Log(m.alpha[i])", "m.penalty += e.LikelihoodPower*w*w*m.alpha[i] + math.Log(m.alpha[i])", "objective: Σ log alpha with a wrong sign"},
	{"return 1 / (e.LikelihoodPower*w*w + variance)", "return 1 / (w*w + variance)", "the safe update forgets the likelihood power β"},
	{"max(1-alpha*variance, 1e-12)", "max(1-variance, 1e-12)", "MacKay's rule without alpha in 1 − αΣ"},
	{"m.changed()\n\t\tm.fresh = m.fresh[:0]\n\t\tclear(m.lowerS)", "m.fresh = m.fresh[:0]\n\t\tclear(m.lowerS)", "stale factor of H after an epoch that is undone"},
	{"floats.Scale(m.smallestRatio, m.lowerS)\n", "", "stale bounds of S: a precision that falls does not lower them"},
	{"max(0, 1/m.variance[i]-m.alpha[i]), m.mu[i] / m.variance[i]", "max(0, 1/m.variance[i]-m.alpha[i]), m.mu[i] * m.alpha[i]", "Q in place of q for a basis in the model"},
	{"floats.AddScaled(ti, -l.Data[i*k+j], tj)", "floats.AddScaled(ti, l.Data[i*k+j], tj)", "bounds of S: forward substitution with a wrong sign"},
	{"e.gram[a][b], e.gram[b][a] = v, v", "e.gram[a][b] = v", "products of two bases that enter together on one side only"},
	{"return alpha * S / d, alpha * Q / d", "return alpha * S / d, Q", "as printed: q of a basis in the model not corrected for itself"},

	// mPCVM-K.
	{"return logLik - dense.Dot(w, e.at(y))/(2*e.Scale), logLik", "return logLik - dense.Dot(w, e.at(y))/e.Scale, logLik", "the prior counted twice in F"},
	{"floats.AddScaled(k, alpha[i]-beta, m.kstep)", "floats.AddScaled(k, alpha[i]-beta, m.kfall)", "L-BFGS: Kd is not K times d"},
	{"if i < count || len(e.kept[p.class]) == 0 {", "if i < count {", "a class loses all its weights in the cut"},
	{"w[i] = v[c*len(e.bases)+j]", "w[i] = v[j]", "after the cut every class takes the weights of the first"},
	{"(z.At(c, n)-y.At(c, n))*(1/v-1)/h[n])", "(z.At(c, n)-y.At(c, n))*(1/v-1))", "leave-one-out without the precision of the sample"},
	{"l.Scale * root[i] * root[j] * from[j]", "l.Scale * root[j] * root[j] * from[j]", "H^½KH^½ is not symmetric"},

	// Widths, Auto, the choice of Theta.
	{"g[d] -= (s.log[d] - s.start) / (s.Tau * s.Tau)", "g[d] += (s.log[d] - s.start) / (s.Tau * s.Tau)", "the prior of the widths pushes them apart"},
	{"to[m] = -2 * from[m] * v", "to[m] = -from[m] * v", "gradient: a factor 2 dropped in one of two terms"},
	{"result.Trials[1].LogLoss < result.Trials[0].LogLoss", "result.Trials[0].LogLoss < result.Trials[1].LogLoss", "widths accepted where they are worse"},
	{"return gain > errors*se/math.Sqrt(float64(len(gains))) && !c.out", "return gain > 0*se/math.Sqrt(float64(len(gains))) && !c.out", "Auto: any gain beats, its standard error forgotten"},
	{"scaled.Scale(1/temperature(part, labels, 0), y)", "scaled.Scale(temperature(part, labels, 0), y)", "ARD: potentials multiplied by the temperature"},
	{"return loss + logT*logT/(2*spread*spread)", "return loss", "Auto: the temperature without its prior"},
	{"c.Floor[k] = least + share*float64(n)/all", "c.Floor[k] = least", "Auto: not mixed with the frequencies of the classes"},
	{"if gain <= math.Log(float64(len(s.trials))) || !s.best.beats(frequencies, s.Prefer.errors()) {", "if gain < math.Inf(-1) {", "Auto: a model that is no better than the frequencies of the classes"},
	{"if rng.IntN(count) < left {", "if rng.IntN(count) <= left {", "a draw of samples off by one: the first rows of a class are likelier"},
	{"return g.Fold[n] != f", "return g.Fold[n] != f+1", "cross-validation trains on the fold it tests"},
	{"g.Fold[members[0]] = folds", "g.Fold[members[0]] = 0", "the only sample of a class leaves the training part of a fold"},
	{"if counts[label] == 1 {", "if counts[label] == 0 {", "a model is judged by the only sample of a class, which it saw"},
	{"return y, d.MaskSingles(y)", "return y, nil", "leave-one-out judges the only sample of a class"},
	{"if 2*singles > d.N {", "if singles > d.N {", "cross-validation of a few samples where most are alone in their class"},
	{"rand.NewPCG(seed, 1))\n\tg := Dealing", "rand.NewPCG(0*seed, 1))\n\tg := Dealing", "the folds do not follow the seed"},
	{"return g.Fold[n] > f", "return g.Fold[n] >= f-1", "folds by time learn from later rows"},
	{"list) == 1 {\n\t\t\tfold[list[0]] = folds", "list) == 0 {\n\t\t\tfold[list[0]] = folds", "a training part lacks the class of one group"},
	{"g.Fold[n] = g.Judged % folds", "g.Fold[n] = n % folds", "folds by row, not by class"},
	{"return Temperature(y, part.T), nil", "return 1 / Temperature(y, part.T), nil", "Calibrate: the inverse of the temperature"},
	{"better = best != nil && logLoss < smallest\n\t\tif better || best == nil {\n\t\t\tbest, smallest, s.unseen, s.best = k, logLoss, y, s.last", "better = best != nil && errorRate < smallest\n\t\tif better || best == nil {\n\t\t\tbest, smallest, s.unseen = k, errorRate, y", "Theta by error instead of log loss"},
	{"sum += eps / float64(c-1) * math.Log(max(v, 1e-300))", "sum += eps / float64(c) * math.Log(max(v, 1e-300))", "softened labels that do not sum to one"},

	// The model.
	{"if r.Result.Status != Stopped && r.Result.Status != Cancelled {", "if r.Result.Status != Cancelled {", "a fit that an observer stopped is told as converged"},
	{"case r.limit > 0 && s.Iteration >= r.limit:", "case r.limit > 0 && s.Iteration > r.limit:", "one iteration more than the limit"},
	{"s.run = nil\n", "", "a step keeps its fit after the observer has returned"},
	{"row[c] = max((v-top)/T, -farthest)", "row[c] = max(v-top, -farthest)", "probabilities without the temperature"},
	{"(row[d] - m.mean[d]) / m.scale[d]", "row[d]/m.scale[d] - m.mean[d]", "scaling before centring"},
	{"func Argmax(y []float64) int {\n\tbest := 0\n\tfor c, v := range y {\n\t\tif math.IsNaN(v) {\n\t\t\treturn -1\n\t\t}\n\t\tif v > y[best] {", "func Argmax(y []float64) int {\n\tbest := 0\n\tfor c, v := range y {\n\t\tif math.IsNaN(v) {\n\t\t\treturn -1\n\t\t}\n\t\tif v >= y[best] {", "a tie goes to the higher class"},
	{"slices.SortFunc(order, func(i, j int) int { return list[i] - list[j] })", "slices.SortFunc(order, func(i, j int) int { return i - j })", "weights of a model in the order in which they were found"},
	{"Label: m.label[v],", "Label: m.label[j],", "label of another relevance vector in an explanation"},
	{"cmp.Compare(math.Abs(b.Value), math.Abs(a.Value))", "cmp.Compare(b.Value, a.Value+math.Abs(0))", "what speaks against a class counts as no influence"},
	{"if (v > 0) != (t[n] == c) {", "if v > 0 && t[n] != c {", "a model is made with a negative weight for the own class"},
	{"m.calibration.Temperature = *doc.Temperature", "m.calibration.Temperature = 0", "a loaded model has lost its temperature"},
	{"case (w.Weight > 0) != (w.Class == v.Label):", "case w.Weight > 0 && w.Class != v.Label:", "a negative weight for the own class passes in a file"},
	{"if v.Index <= last {", "if v.Index < last {", "the same sample twice passes in a file"},

	// The baselines.
	{"(float64(e.C) + 2*e.Tau) / (norm2 + 2*e.Upsilon)", "(1 + 2*e.Tau) / (norm2 + 2*e.Upsilon)", "mRVM₂ with the precision of one weight for those of all classes"},
	{"try(change{n, next, share(next, s, q2, classes) - now})", "try(change{n, next, share(next, s, q2, classes)})", "mRVM₁: the gain of a re-estimate without what it has already"},
	{"for i, n := range g.samples {\n\t\t\tg.at[n] = i\n\t\t}\n", "", "mRVM₁: stale places after a deletion"},
	{"return sum + float64(g.C)*volume", "return sum + volume", "mRVM₁: the volume of one class for all"},
	{"s.level[c] - floats.Dot(s.w.RawRowView(c), s.mean)", "s.level[c] + floats.Dot(s.w.RawRowView(c), s.mean)", "DLSR: the bias centred to the wrong side"},
	{"(floats.Sum(s) - s[label]) / float64(classes-1)", "floats.Sum(s) / float64(classes)", "DLSR: the own class among the others"},
	{"o.ridge[j] = lambda / N / h2", "o.ridge[j] = lambda / N", "softmax regression: scaled weights penalised instead of weights"},
	{"floats.AddConst(-floats.Dot(p, y), y)\n", "", "softmax regression: Hessian without pᵀy"},
	{"q[i*c+i] += rji * rji", "q[i*c+i] += rij * rij", "pairwise coupling with the classes of a pair swapped"},
	{"return 1 / (minus + 2)", "return 0", "Platt's target for the other class not softened"},
	{"c.used[i] = c.clock\n\tif c.kept[i] != nil {\n\t\treturn c.kept[i]\n\t}", "if c.kept[i] != nil {\n\t\treturn c.kept[i]\n\t}\n\tc.used[i] = c.clock", "stale cache: a row that was just asked for is overwritten"},
	{"return b.m/2 + b.M/2", "return b.m", "bias at one end where no variable is free"},
	{"b.raise(c / grid[i-1])", "b.raise(c / grid[0])", "tuning: C raised from the first value, not from the last"},
	{"1 / (inverse[c] - float64(len(v.p)-2))", "1 / (inverse[c] - float64(len(v.p)-1))", "one against one: the constant of Price's rule off by one"},

	// The study.
	{"slices.DeleteFunc(mat.Col(nil, j, train),", "slices.DeleteFunc(mat.Col(nil, j, test),", "missing values filled with medians of the test part"},
	{"math.Sqrt(best.err*(1-best.err)/float64(best.samples))", "math.Sqrt(best.err*(1-best.err))/float64(best.samples)", "one-standard-error rule: N outside the root"},
	{"return (next-1)%s.Shards == s.Shard-1", "return next%s.Shards == s.Shard", "shards: the work of the last is never done"},
	{"Seed: j.pair.study.Seed + uint64(j.partition)", "Seed: j.pair.study.Seed", "all partitions with one seed"},
	{"t.samples += r.NTest", "t.samples += r.NTrain", "one-standard-error rule: training samples counted"},
	{"labels[i] = classes[l]", "labels[i] = l", "labels not numbered back where a class is absent from the training part"},
	{"slices.Reverse(failures)\n", "", "merge: of two failures of a run the older is told"},
	{"slices.SortFunc(runs, func(a, b Result) int { return a.Partition - b.Partition })", "", "means in the order of the files: last bits differ from merge to merge"},
	{"math.Sqrt(squares / (n - 1) / n)", "math.Sqrt(squares / (n - 1))", "deviation in place of the standard error"},
	{"return -c.AUC.Mean", "return c.AUC.Mean", "ranks by AUC upside down"},
}
