// Runs in words.

/** A time as people say it. */
export function duration(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

export const MODES = {report: "Learn and assess", learn: "Quick look"};

/** What a run is or was. */
export function about(run) {
  const limit = run.mode === "report" && run.minutes !== null ? `, within ${run.minutes} minute${run.minutes === 1 ? "" : "s"}` : "";
  const known = run.known === null ? "" : `; ${run.known}`;
  return `${MODES[run.mode]}${limit}${known}`;
}

/** What a run was asked otherwise than the one before it; empty for the first. */
export function changes(run) {
  if (run.changes === null) return "";
  return run.changes.length ? `Since run ${run.before}: ${run.changes.join("; ")}` : `The same settings and knowledge as run ${run.before}`;
}

/** How a run is, in a few words. */
export function state(run) {
  const took = run.elapsed === null ? "" : ` in ${duration(run.elapsed)}`;
  if (run.status === "queued") return "waits for its turn";
  if (run.status === "running") return run.stopping ? "is being stopped …" : "is at work";
  if (run.status === "done") return `done${took}`;
  if (run.status === "cancelled") return run.kept ? `stopped after ${duration(run.elapsed ?? 0)}, with what there was` : "cancelled";
  return run.status === "failed" ? "failed" : "was interrupted";
}

/** When a run was asked for. */
export function moment(seconds) {
  const then = new Date(1000 * seconds);
  const today = then.toDateString() === new Date().toDateString();
  return then.toLocaleString(undefined, today ? {timeStyle: "short"} : {dateStyle: "medium", timeStyle: "short"});
}

/** A run as an option of a list. */
export function title(run) {
  return `run ${run.number}, ${moment(run.made)}${run.mode === "learn" ? ", quick" : ""}${run.status === "done" ? "" : ", stopped early"}`;
}

export const isActive = run => run.status === "queued" || run.status === "running";
