// kernelOf returns the function of s that a formula describes: numbers, + - * /, parentheses, pow and
// the functions of Math. It evaluates no text as code, which pages may forbid.
function kernelOf(formula) {
  const tokens = formula.match(/[\d.]+(e[+-]?\d+)?|\w+|\S/g);
  const chain = (next, operators) => {
    let f = next();
    while (tokens[0] in operators) {
      const [a, apply, b] = [f, operators[tokens.shift()], next()];
      f = (s) => apply(a(s), b(s));
    }
    return f;
  };
  const sum = () => chain(product, { "+": (a, b) => a + b, "-": (a, b) => a - b });
  const product = () => chain(factor, { "*": (a, b) => a * b, "/": (a, b) => a / b });
  const factor = () => {
    const token = tokens.shift();
    if (token === "-") {
      const f = factor();
      return (s) => -f(s);
    } else if (token === "s") {
      return (s) => s;
    } else if (token >= "0" && token < ":") {
      return () => Number(token);
    }
    const inside = [];
    if (token !== "(") {
      tokens.shift();
    }
    do {
      inside.push(sum());
    } while (tokens.shift() === ",");
    const [a, b] = inside;
    const f = token === "pow" ? power : Math[token];
    if (token === "(") {
      return a;
    }
    return b ? (s) => f(a(s), b(s)) : (s) => f(a(s));
  };
  return sum();
}

// power returns base to the power n, by repeated squaring if n is a positive whole number.
function power(base, n) {
  if (n < 1 || n !== Math.floor(n)) {
    return Math.pow(base, n);
  }
  let value = 1;
  for (; n > 0; n = Math.floor(n / 2)) {
    if (n % 2 === 1) {
      value *= base;
    }
    base *= base;
  }
  return value;
}

