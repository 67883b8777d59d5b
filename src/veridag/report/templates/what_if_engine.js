// What the network expects of every variable given what is seen, exactly. It knows nothing of the page.
// A network of states: a junction tree, messages to its roots and back (Jensen, Lauritzen and Olesen 1990).
// A network of numbers: the normal distribution of all variables, given some of them.
"use strict";
const whatIf = (() => {
  // For each cell of a table over `scope`, the last variable fastest, the cell of the table over `onto` that it adds to.
  const projection = (scope, sizes, onto) => {
    const step = new Map();
    let size = 1;
    for (const v of onto.slice().reverse()) { step.set(v, size); size *= sizes[v]; }
    let cells = Int32Array.of(0);
    for (const v of scope) {
      const width = sizes[v], by = step.has(v) ? step.get(v) : 0, wider = new Int32Array(cells.length * width);
      for (let i = 0; i < cells.length; i++) for (let k = 0; k < width; k++) wider[i * width + k] = cells[i] + k * by;
      cells = wider;
    }
    return { cells, size };
  };
  const summed = (table, { cells, size }) => {
    const sums = new Float64Array(size);
    for (let i = 0; i < table.length; i++) sums[cells[i]] += table[i];
    return sums;
  };
  const multiply = (table, factors, { cells }) => { for (let i = 0; i < table.length; i++) table[i] *= factors[cells[i]]; };
  const normalise = (table) => {
    let total = 0;
    for (const x of table) total += x;
    if (total > 0) for (let i = 0; i < table.length; i++) table[i] /= total;
    return total;
  };

  // `states`: how many each variable has. `cliques`: their variables; `parents`: the clique that each is joined to, or -1.
  // `tables`: [clique, variables, numbers] for P(last | others), with the last variable fastest.
  // `mixtures`: [clique, variables, means, standard deviations] of numbers that are normal given the states of these variables.
  // The answer takes a Map from variables to states, by their numbers; it is null if that is impossible.
  const discrete = ({ states, cliques, parents, tables, mixtures }) => {
    const sizes = states;
    const start = cliques.map((scope) => new Float64Array(scope.reduce((size, v) => size * sizes[v], 1)).fill(1));
    for (const [clique, scope, numbers] of tables) multiply(start[clique], numbers, projection(cliques[clique], sizes, scope));
    const shared = cliques.map((scope, c) => (parents[c] < 0 ? [] : scope.filter((v) => cliques[parents[c]].includes(v))));
    const inward = cliques.map((scope, c) => projection(scope, sizes, shared[c]));
    const outward = cliques.map((_, c) => (parents[c] < 0 ? null : projection(cliques[parents[c]], sizes, shared[c])));
    const depth = (c) => { let steps = 0; for (let at = c; parents[at] >= 0; at = parents[at]) steps++; return steps; };
    const depths = cliques.map((_, c) => depth(c));
    const order = cliques.map((_, c) => c).sort((a, b) => depths[a] - depths[b]); // roots first
    const homes = sizes.map(() => -1); // the smallest clique of each variable
    cliques.forEach((scope, c) => scope.forEach((v) => { if (homes[v] < 0 || start[c].length < start[homes[v]].length) homes[v] = c; }));
    const onto = sizes.map((_, v) => projection(cliques[homes[v]], sizes, [v]));
    const scopes = mixtures.map(([clique, scope]) => projection(cliques[clique], sizes, scope));
    return (evidence) => {
      const beliefs = start.map((table) => table.slice());
      for (const [v, state] of evidence) {
        const only = new Float64Array(sizes[v]);
        only[state] = 1;
        multiply(beliefs[homes[v]], only, onto[v]);
      }
      const messages = [];
      let log = 0; // the logarithm of the probability of the evidence
      for (const c of order.slice().reverse()) {
        messages[c] = summed(beliefs[c], inward[c]); // of a root, one number
        const total = normalise(messages[c]);
        if (!(total > 0)) return null;
        log += Math.log(total);
        if (parents[c] >= 0) multiply(beliefs[parents[c]], messages[c], outward[c]);
      }
      for (const c of order) {
        if (parents[c] >= 0) {
          const back = summed(beliefs[parents[c]], outward[c]);
          for (let i = 0; i < back.length; i++) back[i] = messages[c][i] > 0 ? back[i] / messages[c][i] : 0;
          multiply(beliefs[c], back, inward[c]);
        }
        normalise(beliefs[c]);
      }
      const marginals = sizes.map((_, v) => summed(beliefs[homes[v]], onto[v]));
      for (const marginal of marginals) normalise(marginal);
      const normals = mixtures.map(([clique, , means, sds], i) => {
        const weights = summed(beliefs[clique], scopes[i]);
        normalise(weights);
        const mean = weights.reduce((sum, w, d) => sum + w * means[d], 0);
        return [mean, Math.sqrt(weights.reduce((sum, w, d) => sum + w * (sds[d] ** 2 + (means[d] - mean) ** 2), 0))];
      });
      return { log, marginals, means: normals.map((normal) => normal[0]), sds: normals.map((normal) => normal[1]) };
    };
  };

  // `order`: parents before children; `regressions`: [parents, intercept, coefficients, standard deviation] of each variable.
  // The answer takes a Map from variables to values; it is null if no case can have them.
  const gaussian = ({ order, regressions }) => {
    const n = regressions.length, mean = new Float64Array(n);
    const covariance = Array.from({ length: n }, () => new Float64Array(n));
    order.forEach((v, done) => {
      const [from, intercept, slopes, sd] = regressions[v];
      mean[v] = from.reduce((sum, u, k) => sum + slopes[k] * mean[u], intercept);
      const towards = (w) => from.reduce((sum, u, k) => sum + slopes[k] * covariance[u][w], 0);
      for (const w of order.slice(0, done)) covariance[v][w] = covariance[w][v] = towards(w);
      covariance[v][v] = sd * sd + towards(v);
    });
    return (evidence) => {
      const means = mean.slice(), left = covariance.map((row) => row.slice());
      for (const [v, value] of evidence) { // one after the other
        const variance = left[v][v], scale = covariance[v][v], off = value - means[v];
        if (variance <= 1e-12 * scale) { // the others determine it
          if (off * off > 1e-12 * Math.max(scale, value * value)) return null;
          continue;
        }
        const column = left.map((row) => row[v]);
        for (let i = 0; i < n; i++) {
          means[i] += (column[i] / variance) * off;
          for (let j = 0; j < n; j++) left[i][j] -= (column[i] * column[j]) / variance;
        }
        for (let i = 0; i < n; i++) left[i][v] = left[v][i] = 0;
        means[v] = value;
      }
      return { means, sds: left.map((row, i) => Math.sqrt(Math.max(row[i], 0))) };
    };
  };
  return { discrete, gaussian };
})();
