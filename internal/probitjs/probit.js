// probit returns the probabilities of the multinomial probit for potentials y.
//
// p_i is the integral over z of phi(z - y_i) * product over k != i of Psi(z - y_k), where Psi is
// the normal distribution and phi its density. The largest y is shifted to 0. Outside of y_i/2
// - 9 and 9 the integrand vanishes, so the trapezoidal rule converges exponentially.
function probit(potentials) {
  const top = Math.max(...potentials);
  const y = potentials.map((v) => Math.max(v - top, -60));
  const step = 0.125;
  const start = Math.min(...y) / 2 - 9;
  const p = y.map(() => 0);
  for (let node = 0; node <= Math.floor((9 - start) / step); node++) {
    const z = start + node * step;
    const psi = y.map((v) => 0.5 * erfc((v - z) / Math.sqrt(2)));
    const product = psi.reduce((a, b) => a * b, 1);
    if (product > 0) {
      y.forEach((v, i) => {
        p[i] += Math.exp(-0.5 * (z - v) * (z - v)) * (product / psi[i]);
      });
    }
  }
  const total = p.reduce((a, b) => a + b, 0);
  return p.map((v) => v / total);
}

// erfc returns the complementary error function, to about 16 digits, by the rational Chebyshev
// approximations of W. J. Cody, Mathematics of Computation 23 (1969), 631-637.
function erfc(x) {
  const t = Math.abs(x);
  let value;
  if (t <= 0.46875) {
    return 1 - x * ratio(t * t, erfNear);
  } else if (t <= 4) {
    value = gauss(t) * ratio(t, erfcMiddle);
  } else {
    const u = 1 / (t * t);
    value = gauss(t) / t * (1 / Math.sqrt(Math.PI) - u * ratio(u, erfcFar));
  }
  return x < 0 ? 2 - value : value;
}

// gauss returns exp(-t * t). The square is computed in two parts, because exp would enlarge its
// rounding error.
function gauss(t) {
  const head = Math.floor(t * 16) / 16;
  return Math.exp(-head * head) * Math.exp(-(t - head) * (t + head));
}

// ratio returns the quotient of two polynomials; their coefficients are in falling order.
function ratio(t, [above, below]) {
  const polynomial = (coefficients) => coefficients.reduce((sum, c) => sum * t + c, 0);
  return polynomial(above) / polynomial(below);
}

const erfNear = [
  [1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2,
    3.20937758913846947e3],
  [1, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3],
];
const erfcMiddle = [
  [2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
    2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
    1.23033935479799725e3],
  [1, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
    3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3],
];
const erfcFar = [
  [1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
    1.60837851487422766e-2, 6.58749161529837803e-4],
  [1, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2,
    2.33520497626869185e-3],
];
